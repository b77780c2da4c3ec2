#!/usr/bin/env python3
"""Predict the throughput of the kernels' hot loops on processors that are not at hand, with llvm-mca.

Each figure is multiply-adds per cycle of the loop that does most of a product's work, over what the core
can do at most as its makers document it. Cores whose model in LLVM is known to be wrong are left out:
Cortex-A76, Apple M1, Sapphire Rapids and Ice Lake have half their rate there, and Zen 4's broadcasts from
memory take a multiply-add pipe. Memory is taken to be in the first cache.
"""

import argparse
import functools
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import hotloops

ROOT = Path(__file__).resolve().parent.parent
ITERATIONS = 200


@dataclass(frozen=True)
class Core:
    name: str  # for llvm-mca
    isa: str
    rate: float  # vector multiply-adds per cycle, as documented
    says: str  # where
    bf16: float = 0  # dot products of pairs of bf16 per cycle, as documented


CORES = [
    Core("skylake-avx512", "avx512", 2, "Intel: ports 0 and 5, 512 bits"),
    Core("skylake", "avx2", 2, "Intel: ports 0 and 1"),
    Core("znver3", "avx2", 2, "AMD: pipes 0 and 1"),
    Core("neoverse-n1", "neon", 2, "Arm, optimization guide: V0, V1"),
    Core("neoverse-v1", "neon", 4, "Arm, optimization guide: V0 to V3", bf16=4),
    Core("neoverse-v2", "neon", 4, "Arm, optimization guide: V0 to V3", bf16=4),
]

X86, ARM64 = "x86_64-linux-gnu", "aarch64-linux-gnu"
COMPILERS = {"avx2": ("gcc", "clang"), "avx512": ("gcc", "clang"), "neon": (f"{ARM64}-gcc", "clang")}


def find_tool(*names):
    return next((path for path in map(shutil.which, names) if path), None)


def compilers_of(isa):
    """{name: path} of those that are there; Clang for AArch64 needs the cross compiler's C library."""
    if isa == "neon" and find_tool(f"{ARM64}-gcc") is None:
        return {}
    paths = {name: find_tool("clang-19", "clang") if name == "clang" else find_tool(name)
             for name in COMPILERS[isa]}
    return {name: path for name, path in paths.items() if path}


def find_mca():
    """llvm-mca 19 or newer: older models are wrong for several of these cores."""
    for name in ("llvm-mca-21", "llvm-mca-20", "llvm-mca-19", "llvm-mca"):
        path = shutil.which(name)
        if path:
            version = re.search(r"LLVM version (\d+)", subprocess.run([path, "--version"], text=True,
                                                                     capture_output=True).stdout)
            if version and int(version[1]) >= 19:
                return path
    return None


def cycles_per_iteration(mca, core, loop):
    """By llvm-mca; the closing jump, which it cannot place, is left out with its comparison kept."""
    target = ARM64 if core.isa == "neon" else X86
    text = "\n".join(i.text for i in loop.body if not i.is_jump) + "\n"
    done = subprocess.run([mca, f"-mtriple={target}", f"-mcpu={core.name}",
                           f"-iterations={ITERATIONS}", "-instruction-info=0", "-resource-pressure=0"],
                          input=text, text=True, capture_output=True)
    found = re.search(r"^Total Cycles:\s+(\d+)", done.stdout, re.MULTILINE)
    if not found:
        raise RuntimeError(f"llvm-mca, {core.name}: {done.stderr.strip().splitlines()[0]}")
    return int(found[1]) / ITERATIONS


@functools.cache
def functions_of(path, target, header):
    """The kernels that a compiler makes for all instruction sets of a processor, once."""
    command = [path, "-O2"] + ([f"--target={target}"] if "clang" in Path(path).name else [])
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "attn.o"
        hotloops.compile_header(command, header, out)
        return hotloops.disassemble(out, f"{ARM64}-objdump" if target == ARM64 else "objdump")


def kernels_of(isa, header):
    """{(compiler, function): hottest loop} of the prefill products."""
    found = {}
    for compiler, path in compilers_of(isa).items():
        for name, instructions in functions_of(path, ARM64 if isa == "neon" else X86, header).items():
            kernel = hotloops.KERNEL.match(name)
            loops = hotloops.hot_loops(instructions)
            if kernel["isa"] == isa and kernel["family"] == "prefill" and loops:
                found[compiler, f"{kernel['product']} {kernel['type']} {kernel['size']}"] = loops[0]
    return found


def predict(mca, sizes, header=ROOT):
    """Yields (core, compiler, kernel, multiply-adds per cycle, of the most); header: attn.h's folder."""
    for isa in dict.fromkeys(core.isa for core in CORES):
        kernels = kernels_of(isa, header)
        for core in (core for core in CORES if core.isa == isa):
            for (compiler, kernel), loop in kernels.items():
                _, element, size = kernel.split()
                most = core.bf16 if element == "bf16" else core.rate
                if size in sizes and most:
                    rate = loop.multiply_adds / cycles_per_iteration(mca, core, loop)
                    yield core, compiler, kernel, rate, rate / most


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["d64", "d128", "any"], metavar="SIZE",
                        help="which kernels: d64, ..., any (default: d64 d128 any)")
    args = parser.parse_args()
    mca = find_mca()
    if mca is None:
        sys.exit("bench-predict: needs llvm-mca 19 or newer (Debian's package llvm-19)")
    print(f"{'core':16}{'compiler':24}{'kernel':12}{'per cycle':>10}{'of the most':>13}")
    for core, compiler, kernel, rate, of_most in predict(mca, set(args.sizes)):
        print(f"{core.name:16}{compiler:24}{kernel:12}{rate:10.2f}{of_most:13.2f}")


if __name__ == "__main__":
    main()
