#!/usr/bin/env python3
"""How many lines of each section of the header were run: coverage.py PROGRAM... PROFILE

PROGRAM was built with -fprofile-instr-generate -fcoverage-mapping; PROFILE is what llvm-profdata merged.
Sections are those of gen/core/ and the kernels, told by their headings in the header.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

SECTION = re.compile(r"/\* -{20,} (.+?) -- \*/")
KERNELS = re.compile(r"/\* (\w+)[:,] .*Generated from gen/templates")



def find_tool(name):
    return shutil.which(f"{name}-19") or shutil.which(name) or sys.exit(f"coverage.py: no {name}")


def lines_run(programs, profile):
    """{file: {line: how often}} of lines with code; of several copies of a line the most."""
    objects = [word for program in programs[1:] for word in ("-object", program)]
    command = [find_tool("llvm-cov"), "export", "-format=lcov", f"-instr-profile={profile}", programs[0], *objects]
    counts, current = {}, None
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            current = counts.setdefault(value, {})
        elif key == "DA":
            number, count = map(int, value.split(",")[:2])
            current[number] = max(count, current.get(number, 0))
    return counts


def sections(header):
    """[(first line, name)], ascending; the kernels of an instruction set are one section."""
    found = []
    for number, line in enumerate(header.read_text().splitlines(), 1):
        if match := SECTION.match(line):
            found.append((number, match[1]))
        elif (match := KERNELS.match(line)) and found[-1][1] != f"{match[1]} kernels":
            found.append((number, f"{match[1]} kernels"))
    return found


def main(*arguments):
    *programs, profile = arguments
    counts = lines_run(programs, profile)
    for path in sorted(Path(name) for name in counts):
        if path.parent.name == "tests":  # what compiles the header and the example
            continue
        starts = sections(path) if path.name == "attn.h" else [(1, path.name)]
        for (first, section), (end, _) in zip(starts, [*starts[1:], (sys.maxsize, "")]):
            of = [count for line, count in counts[str(path)].items() if first <= line < end]
            if of:
                run = sum(count > 0 for count in of)
                print(f"{section:45}{run:6} of {len(of):6} lines{100 * run / len(of):7.1f}%")


if __name__ == "__main__":
    main(*sys.argv[1:])
