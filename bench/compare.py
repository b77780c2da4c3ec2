#!/usr/bin/env python3
"""Measure every case of an earlier result again, and fail if one has lost more than 5%.

What is compared is the median fraction of the peak (decode: of the bandwidth) over all rounds, which each
run measures beside its cases. A case that seems to have lost is measured twice more, and its best run counts: a neighbour
on the machine can cost more than 5% for minutes.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import results

LOSS = 0.05
ATTEMPTS = 3


def measure(program, base, rounds):
    """The same case, now."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "now.json"
        options = {"--case": base["case"], "--isa": base["isa"], "--dtype": base["dtype"],
                   "--layout": base["layout"], "--d": base["d"], "--t": base["t"],
                   "--heads": base["heads"], "--kv-heads": base["kv_heads"],
                   "--threads": base["threads"], "--option": base["option"], "--rounds": rounds, "--json": path}
        if results.is_decode(base):
            options["--len-q"] = base["len_q"]
        command = [program] + [str(x) for pair in options.items() for x in pair]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise results.BadResults(done.stderr.strip() or f"{program} ended with {done.returncode}")
        [now] = results.read(path)["results"]
        if results.describe(now) != results.describe(base):
            raise results.BadResults(f"{program} measured {results.describe(now)}, not {results.describe(base)}")
        return now


def compare(program, base, rounds):
    """The new fraction over the old one, the best of some attempts."""
    old, best = results.fraction(base), 0.0
    for _ in range(ATTEMPTS):
        best = max(best, results.fraction(measure(program, base, rounds)) / old)
        if best >= 1 - LOSS:
            break
    print(f"{best:6.3f} of {old:.3f}  {results.describe(base)}", flush=True)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="build/attn_bench")
    parser.add_argument("base", help="a file that attn_bench --json wrote")
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    try:
        cases = [r for r in results.read(args.base)["results"] if results.fraction(r)]
        if not cases:
            raise results.BadResults(f"{args.base}: holds no measurement")
        lost = [r for r in cases if compare(args.program, r, args.rounds) < 1 - LOSS]
    except results.BadResults as error:
        sys.exit(f"bench-compare: {error}")
    print(f"{len(cases)} cases, {len(lost)} with a loss over {LOSS:.0%}")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
