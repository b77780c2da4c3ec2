#!/usr/bin/env python3
"""Measure attn.h and other implementations of attention in turns, in one process, on the same inputs.

Each case is one attention: batch 1, 8 heads, f32; or, for decode, one query of 32 heads over caches of 8 heads that
are cold. Each output is first compared with NumPy in double precision.
"""

import argparse
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

try:
    import numpy as np
except ImportError:
    sys.exit('peers: numpy is missing: run "make deps-peers"')

import contestants
from contestants import ATTN

BATCH, HEADS, DECODE_HEADS = 1, 8, 32  # HEADS: of k and v, and of q but in a decode
SIZES = ((128, 64), (512, 64), (1024, 64), (2048, 64), (4096, 64), (128, 128), (1024, 128), (4096, 128))
DECODE_SIZES = ((4096, 128), (32768, 128))
COLD_BYTES = 1 << 30  # what the caches of a decode rotate over: more than a last-level cache
PATTERN = 3_000_001  # values that they repeat: odd, so that no two are the same
CHECKED_ROWS = 16
TOLERANCE = 1e-5
ROUNDED = {"f16": 2**-9, "bf16": 2**-6}  # tolerance of an output in this type, of its largest value
PASS_SECONDS = 0.02  # a measurement repeats its call for about so long


# ---- Cases

class Case(NamedTuple):
    causal: bool
    t: int
    d: int
    type = "f32"
    heads = HEADS

    @property
    def name(self):
        return f"{'causal' if self.causal else 'full'}-{self.t}x{self.d}"

    @property
    def len_q(self):
        return self.t

    @property
    def flop(self):
        """Useful work: two multiply-adds per allowed pair and feature."""
        pairs = self.t * (self.t + 1) / 2 if self.causal else self.t * self.t
        return 4.0 * self.d * pairs * BATCH * HEADS

    def speed(self, seconds):
        return {"gflops": self.flop / seconds * 1e-9}


class Decode(NamedTuple):
    type: str  # of k and v
    t: int
    d: int
    causal = False  # one query sees every key
    heads = DECODE_HEADS
    len_q = 1

    @property
    def name(self):
        return f"decode-{self.type}-{self.t}x{self.d}"

    @property
    def bytes(self):
        """Of k and v."""
        return 2 * BATCH * HEADS * self.t * self.d * contestants.DTYPES[self.type].itemsize

    def speed(self, seconds):
        return {"gbps": self.bytes / seconds * 1e-9}


def case(text):
    match = re.fullmatch(r"(causal|full|decode-(f32|f16|bf16))-([1-9]\d{0,4})x([1-9]\d{0,2})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"{text}: not a case such as causal-1024x64 or decode-f16-4096x128")
    t, d = int(match[3]), int(match[4])
    return Decode(match[2], t, d) if match[2] else Case(match[1] == "causal", t, d)


def suite(quick):
    prefill = [Case(causal, t, d) for causal in (True, False) for t, d in SIZES if not quick or t <= 1024]
    return prefill + [Decode(dtype, t, d) for dtype in contestants.DTYPES for t, d in DECODE_SIZES
                      if not quick or t <= 4096]


def aligned(shape, dtype):
    """To a cache line, as caches are."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + 64, np.uint8)
    return memory[-memory.ctypes.data % 64:][:size].view(dtype).reshape(shape)


def inputs_of(case):
    """q, and the pairs of k and v: as many for a decode as have COLD_BYTES together."""
    random = np.random.default_rng(0)
    if isinstance(case, Case):
        q, k, v = (random.standard_normal((BATCH, HEADS, case.t, case.d), np.float32) for _ in range(3))
        return q, [(k, v)]
    dtype = contestants.DTYPES[case.type]
    q = random.standard_normal((BATCH, case.heads, case.len_q, case.d), np.float32)
    pattern = contestants.narrow(random.standard_normal(PATTERN, np.float32), dtype)
    caches = aligned((math.ceil(COLD_BYTES / case.bytes), 2, BATCH, HEADS, case.t, case.d), dtype)
    flat = caches.reshape(-1)
    for start in range(0, flat.size, PATTERN):
        flat[start:start + PATTERN] = pattern[:flat.size - start]
    return contestants.widen(contestants.narrow(q, dtype)), [(k, v) for k, v in caches]


# ---- Checking

def checked_rows(case):
    return np.unique(np.linspace(0, case.len_q - 1, CHECKED_ROWS).astype(int))


def reference_of_group(q, k, v, causal, rows):
    k, v = (contestants.widen(x).astype(np.float64) for x in (k, v))
    scores = q.astype(np.float64) @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    if causal:
        scores[..., np.arange(k.shape[2]) > rows[:, None]] = -np.inf
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    return weights / weights.sum(axis=3, keepdims=True) @ v


def reference(q, k, v, causal, rows):
    """Some query rows of all heads, in double precision."""
    group = q.shape[1] // k.shape[1]
    return np.concatenate([
        reference_of_group(q[:, i * group:(i + 1) * group, rows], k[:, i:i + 1], v[:, i:i + 1], causal, rows)
        for i in range(k.shape[1])], axis=1)


def references(case, q, caches):
    """By the number of the cache: of the first and the last."""
    return {i: reference(q, *caches[i], case.causal, checked_rows(case)) for i in {0, len(caches) - 1}}


def error_of(prepared, want, rows):
    """The largest difference from the references; NaN if an output is."""
    errors = []
    with prepared.context():
        for i in want:
            prepared.calls[i]()
            errors.append(np.abs(prepared.output()[:, :, rows] - want[i]).max())
    return float(np.max(errors))


def tolerance(case, name, want):
    """attn.h's output is f32, that of its peers as the inputs are."""
    if name == ATTN or case.type == "f32":
        return TOLERANCE
    return ROUNDED[case.type] * max(np.abs(x).max() for x in want.values())


# ---- Measuring

def prepare(case, inputs, threads):
    """Contestants that can run the case, by name, and a line about each that cannot."""
    ready, lines = {}, []
    for name, make in contestants.CONTESTANTS.items():
        try:
            prepared = make(*inputs, case.causal, threads)
        except contestants.Unavailable as error:
            lines.append(f"{name}: {error}")
        else:
            if prepared:
                ready[name] = prepared
    return ready, lines


def seconds_of(prepared, calls, turns):
    """Of one call, as the mean of so many. turns: the numbers of the caches, which each call takes the next of."""
    with prepared.context():
        start = time.perf_counter()
        for _ in range(calls):
            prepared.calls[next(turns)]()
        return (time.perf_counter() - start) / calls


def calls_for(prepared, turns):
    """How many calls take PASS_SECONDS. There has been one already, that of the check."""
    return math.ceil(PASS_SECONDS / min(seconds_of(prepared, 1, turns) for _ in range(2)))


def settle(threads):
    """Threads of the last contestant may spin for some milliseconds after their work."""
    if threads > 1:
        time.sleep(0.01)


def measure(ready, rounds, threads, caches=1):
    """Median seconds of each. They take turns within a round, and each round begins with another. The rotation over
    the caches is one for all: none finds a cache that another has just read."""
    names, turns = list(ready), cycle(range(caches))
    calls = {name: calls_for(ready[name], turns) for name in names}
    times = {name: [] for name in names}
    for i in range(rounds):
        first = i % len(names)
        for name in names[first:] + names[:first]:
            settle(threads)
            times[name].append(seconds_of(ready[name], calls[name], turns))
    return {name: statistics.median(times[name]) for name in names}


def row_of(case, name, prepared, error, most, seconds, threads):
    return {"case": case.name, "causal": case.causal, "len_q": case.len_q, "t": case.t, "d": case.d,
            "heads": case.heads, "heads_kv": HEADS, "batch": BATCH, "type": case.type, "threads": threads,
            "name": name, "note": prepared.note, "ms": seconds * 1e3, **case.speed(seconds),
            "error": None if math.isnan(error) else error, "right": bool(error <= most)}


def run_case(case, rounds, threads):
    """A row for each contestant, attn.h first; and lines about those that cannot run it."""
    q, caches = inputs_of(case)
    want = references(case, q, caches)
    ready, lines = prepare(case, (q, caches), threads)
    if ATTN not in ready:
        sys.exit(f"peers: {lines[0]}")
    errors = {name: error_of(ready[name], want, checked_rows(case)) for name in ready}
    seconds = measure(ready, rounds, threads, len(caches))
    found = [row_of(case, name, ready[name], errors[name], tolerance(case, name, want), seconds[name], threads)
             for name in ready]
    return add_ratios(found), lines


# ---- Results

def add_ratios(rows):
    """How many times as fast as this contestant attn.h is, on rows of one case."""
    [ms] = [row["ms"] for row in rows if row["name"] == ATTN]
    return [{**row, "ratio": row["ms"] / ms} for row in rows]


def best_peer(rows):
    """The fastest with a right result, or None."""
    peers = [row for row in rows if row["name"] != ATTN and row["right"]]
    return min(peers, key=lambda row: row["ms"], default=None)


def by_case(rows):
    cases = {}
    for row in rows:
        cases.setdefault(row["case"], []).append(row)
    return cases


def describe(row):
    speed = f"{row['gbps']:8.1f} GB/s   " if "gbps" in row else f"{row['gflops']:8.1f} GFLOP/s"
    text = f"  {row['name']:<32} {row['ms']:10.3f} ms {speed} {row['ratio']:7.2f}"
    words = [row["note"], "" if row["right"] else f"WRONG RESULT, error {row['error'] or math.nan:.1e}"]
    return "  ".join([text] + [word for word in words if word])


def summary(rows):
    """attn.h against the best peer, a line per case."""
    lines, faster, compared = [], 0, 0
    for name, found in by_case(rows).items():
        best = best_peer(found)
        if best is None:
            lines.append(f"  {name:<22} no peer")
            continue
        compared += 1
        faster += best["ratio"] > 1
        lines.append(f"  {name:<22} {best['ratio']:6.2f}  {best['name']}")
    if compared:
        lines.append(f"attn.h is faster than every peer in {faster} of {compared} cases.")
    return lines


def cpu_field(name):
    """What the system tells of the first CPU; None if it does not."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.split(":")[1].strip() for line in lines if line.startswith(name)), None)


def run_cases(cases, rounds, threads):
    """The rows of all cases, printed on the way."""
    said, rows = [], []
    for case in cases:
        found, lines = run_case(case, rounds, threads)
        new = [line for line in lines if line not in said]
        said += new
        print("\n".join(new + [case.name]))
        print("\n".join(describe(row) for row in found), flush=True)
        rows += found
    return rows


# ---- The command

def positive(text):
    if not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text}: not a number from 1 to 1024")
    return int(text)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """One line, without the usage."""
        self.exit(1, f"peers: {message}\n")


def arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 rounds of the cases up to T 1024, of decode 4096")
    parser.add_argument("--cases", nargs="+", type=case, metavar="CASE",
                        help="instead of the suite: causal-1024x64, full-1024x64 or decode-f16-4096x128 (of f32, f16 "
                             "or bf16), T x head size")
    parser.add_argument("--rounds", type=positive, help="default: 7")
    parser.add_argument("--threads", type=positive, default=1, help="default: 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    args = parser.parse_args()
    if args.json and not os.access(args.json.parent, os.W_OK):
        parser.error(f"{args.json} cannot be written")
    return args


def openblas_core(environment):
    """What to call this CPU if OpenBLAS does not know it, and takes it for one without AVX; else None."""
    flags = (cpu_field("flags") or "").split()
    if "avx2" not in flags:
        return None
    asked = subprocess.run([sys.executable, "-B", "-c", "import contestants; print(contestants.openblas_version())"],
                           cwd=Path(__file__).parent, env=environment, capture_output=True, text=True)
    if "Prescott" not in asked.stdout:
        return None
    return "SkylakeX" if "avx512f" in flags else "Haswell"


def start_fairly():
    """Start anew if the environment, or a CPU that is newer than it, slows OpenBLAS down, or if NumPy's own threads
    would wait for work."""
    wanted = {key: value for key, value in os.environ.items() if key not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    wanted["OPENBLAS_NUM_THREADS"] = "1"
    core = openblas_core(wanted)
    if core is not None:
        wanted["OPENBLAS_CORETYPE"] = core
    if wanted != dict(os.environ):
        os.execve(sys.executable, [sys.executable, "-B", *sys.argv], wanted)


def main():
    args = arguments()
    start_fairly()
    found = contestants.versions()
    machine = {"cpu": cpu_field("model name") or platform.machine(), "cores": os.cpu_count(), "os": platform.system(),
               "versions": found}
    print(f"{machine['cpu']}, {args.threads} thread{'s' * (args.threads > 1)}; "
          "last column: how many times as fast attn.h is")
    print("\n".join(f"{name} {version}" for name, version in found.items()))
    rows = run_cases(args.cases or suite(args.quick), args.rounds or (3 if args.quick else 7), args.threads)
    print("attn.h against the best peer")
    print("\n".join(summary(rows)))
    if args.json:
        args.json.write_text(json.dumps({"schema": 1, "machine": machine, "results": rows}, indent=1) + "\n")
    if not all(row["right"] for row in rows if row["name"] == ATTN):
        sys.exit("peers: attn.h: wrong result")


if __name__ == "__main__":
    main()
