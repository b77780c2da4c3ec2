#!/usr/bin/env python3
"""Copy the inputs that together run most of the code: choose.py CONTROL_FILE FOLDER [COUNT]

CONTROL_FILE is that of libFuzzer's -set_cover_merge=1, which lists what each input runs.
"""

import shutil
import sys
from pathlib import Path


def inputs_of(control):
    """{path: what it runs}. The first two lines are numbers, paths follow; then what each runs."""
    count, _, *lines = control.read_text().splitlines()
    paths = lines[:int(count)]
    features = {path: set() for path in paths}
    for line in lines[int(count):]:
        kind, number, *values = line.split()
        if kind == "FT":
            features[paths[int(number)]] = set(values)
    return features


def choose(features, count):
    """One by one the input that adds most, and of such the smallest."""
    left = dict(features)
    while left and count > 0:
        best = max(left, key=lambda path: (len(left[path]), -Path(path).stat().st_size, path))
        new = left.pop(best)
        if not new:
            return
        yield best
        count -= 1
        left = {path: values - new for path, values in left.items()}


def main(control, folder, count="60"):
    target = Path(folder)
    for path in choose(inputs_of(Path(control)), int(count)):
        shutil.copy(path, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
