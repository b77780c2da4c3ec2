#!/usr/bin/env python3
"""A mutation check: would the tests notice a wrong line?

universalmutator changes lines of gen/core/ and gen/templates/; a sample, drawn from a fixed seed, is generated, compiled
and run against the test program with small sweeps, what `make test` runs first. A mutant that does not generate or
compile is not counted, nor is one that compiles to the code that there was. Survivors are printed as changes of lines:
each is equivalent, as a person must find, or shows a test that is missing.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("gen/core/*.h", "gen/templates/*.j2")
SWEEPS = {"ATTN_VARIANTS": "1000", "ATTN_SWEEP": "100"}
INTERNALS = ROOT / "tests/test_internals.cpp"
TIME_LIMIT = 240  # seconds; a mutant may loop for ever


def mutants_of(path):
    """[(file, line number, new lines)] of all changes that the tool makes to one file."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([Path(sys.executable).with_name("mutate"), path, "c", "--noCheck", "--mutantDir", folder],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        texts = [mutant.read_text() for mutant in sorted(Path(folder).iterdir(), key=number_of)]
    original = path.read_text()
    return [(path.relative_to(ROOT), text) for text in texts if text != original]


def number_of(mutant):
    return int(re.search(r"\.mutant\.(\d+)", mutant.name)[1])


def change(path, text):
    """The changed lines: number, before, after."""
    before, after = (ROOT / path).read_text().splitlines(), text.splitlines()
    first = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
    added = len(after) - len(before)
    return {"file": str(path), "line": first + 1, "before": before[first].strip(),
            "after": " | ".join(line.strip() for line in after[first:first + 1 + max(added, 0)])}


class Bench:
    """A copy of the generator, and the objects of the tests."""

    def __init__(self, folder, warnings, libraries):
        self.folder, self.warnings, self.libraries = Path(folder), warnings.split(), libraries.split()
        shutil.copytree(ROOT / "gen", self.folder / "gen", ignore=shutil.ignore_patterns("__pycache__"))
        self.objects = sorted((ROOT / "build/tests/native").rglob("*.o"))
        self.objects.remove(ROOT / "build/tests/native" / INTERNALS.with_suffix(".o").name)
        self.code = self.compile()

    def compile(self):
        """The code of the library's functions; None if it is not generated, compiled or linked."""
        header, unit = self.folder / "attn.h", self.folder / "attn_impl.o"
        generate = [sys.executable, "-B", self.folder / "gen/generate.py", "--out", header]
        if not all(self.run(command) for command in (generate, self.compiler("-w"), self.link(unit))):
            return None
        code = self.folder / "code"
        subprocess.run(["objcopy", "-O", "binary", "-j", ".text", "-j", ".rodata", unit, code], check=True)
        return code.read_bytes()

    def compiler(self, *warnings):
        return ["gcc", "-std=c99", "-O1", *warnings, "-c", "-I", self.folder, "-I", ROOT, ROOT / "tests/attn_impl.c",
                "-o", self.folder / "attn_impl.o"]

    def run(self, command):
        return subprocess.run(command, cwd=self.folder, capture_output=True, check=False).returncode == 0

    def link(self, *units):
        return ["g++", "-pthread", "-o", self.folder / "test", *units, *self.objects, *self.libraries]

    def survives(self):
        """First what is quick: the tests, the suites' warnings, the tests with an implementation of their own."""
        internals = self.folder / "internals.o"
        return (self.passes() and self.run(self.compiler(*self.warnings))
                and self.run(["g++", "-std=c++17", "-O0", "-w", "-c", "-I", self.folder, "-I", ROOT, INTERNALS,
                              "-o", internals])
                and self.run(self.link(self.folder / "attn_impl.o", internals)) and self.passes())

    def passes(self):
        try:
            done = subprocess.run([self.folder / "test", "-a"], cwd=ROOT, env=os.environ | SWEEPS, capture_output=True,
                                  timeout=TIME_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def judge(self, path, text):
        """'killed', 'survived', 'invalid' or 'same': it is no other program."""
        target = self.folder / path
        original = target.read_text()
        target.write_text(text)
        try:
            code = self.compile()
            if code is None:
                return "invalid"
            if code == self.code:
                return "same"
            return "survived" if self.survives() else "killed"
        finally:
            target.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=150, help="that compile to another program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="leave out so many of the sample: to go on with it")
    parser.add_argument("--out", type=Path, default=ROOT / "build/mutants/survivors.json")
    parser.add_argument("--warnings", default="", help="with which the suites compile the library")
    parser.add_argument("--libraries", default="-lm", help="that the test program is linked with")
    options = parser.parse_args()
    pool = [mutant for glob in FILES for path in sorted(ROOT.glob(glob)) for mutant in mutants_of(path)]
    random.Random(options.seed).shuffle(pool)
    report = {"pool": len(pool), "seed": options.seed, "first": options.first, "next": options.first,
              "counts": dict.fromkeys(("killed", "survived", "same", "invalid"), 0), "survivors": []}
    counts = report["counts"]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, options.warnings, options.libraries)
        if bench.code is None or not bench.survives():
            sys.exit("mutate: the library as it is does not pass, so nothing can be told")
        for number, (path, text) in enumerate(pool[options.first:], options.first):
            verdict = bench.judge(path, text)
            counts[verdict] += 1
            if verdict == "survived":
                report["survivors"].append({"number": number} | change(path, text))
                print(json.dumps(report["survivors"][-1]), flush=True)
            report["next"] = number + 1
            options.out.write_text(json.dumps(report, indent=1) + "\n")  # each time: it may be stopped
            if counts["killed"] + counts["survived"] == options.mutants:
                break
    print(f"{len(pool)} possible, tried {sum(counts.values())}: "
          + ", ".join(f"{count} {what}" for what, count in counts.items()))


if __name__ == "__main__":
    main()
