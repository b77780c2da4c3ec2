"""Compilers, and consumers built with them."""

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror".split()
CROSS = "aarch64-linux-gnu-gcc"
COMPILERS = ["gcc-11", "gcc-12", "clang-14", "clang-19", CROSS]
THOROUGH = ["gcc-12", "clang-19", CROSS]

# What runs the programs of other processors and systems.
QEMU = {name: (f"qemu-{name}",) for name in ("aarch64", "arm", "riscv64", "s390x")}
WINE = ("wine",)
CROSS_RUNNERS = {CROSS: QEMU["aarch64"], "s390x-linux-gnu-gcc": QEMU["s390x"],
                 "x86_64-w64-mingw32-gcc": WINE}

# Clang for other targets, with their C libraries: the Python package ziglang, in an environment of its own.
ZIG_PYTHON = ROOT / "build" / "compilers" / "bin" / "python"
WASI = (str(ZIG_PYTHON), str(HERE / "run_wasi.py"))
HERE_OR_QEMU = () if platform.machine() == "x86_64" else ("qemu-x86_64",)
NOTHING_RUNS = None
ZIG_RUNNERS = {
    "x86_64-linux-musl": HERE_OR_QEMU,
    "x86-linux-musl": HERE_OR_QEMU,
    "aarch64-linux-musl": QEMU["aarch64"],
    "riscv64-linux-musl": QEMU["riscv64"],
    "arm-linux-musleabihf": QEMU["arm"],
    "s390x-linux-musl": QEMU["s390x"],
    "x86_64-windows-gnu": WINE,
    "aarch64-windows-gnu": NOTHING_RUNS,
    "x86_64-macos": NOTHING_RUNS,
    "aarch64-macos": NOTHING_RUNS,
    "wasm32-wasi": WASI,
}

# Where tools keep what they make.
TOOLS_FILES = {"ZIG_GLOBAL_CACHE_DIR": str(ROOT / "build" / "compilers" / "cache"),
               "ZIG_LOCAL_CACHE_DIR": str(ROOT / "build" / "compilers" / "cache"),
               "WINEPREFIX": str(ROOT / "build" / "compilers" / "wine")}

# What `make test-compilers` tests.
NATIVE = ["gcc-11", "gcc-12", "clang-14", "clang-15", "clang-16", "clang-19"]
FOREIGN = [*CROSS_RUNNERS, *ZIG_RUNNERS]


@dataclass(frozen=True)
class Compiler:
    name: str
    c: tuple = ()  # the command, empty if it is not installed
    cxx: tuple = ()
    runner: Optional[tuple] = ()  # what runs its programs, if this machine cannot
    linker: tuple = ()  # flags

    @property
    def native(self):
        return self.runner == ()

    @property
    def suffix(self):  # of a program's name; Wine looks at it
        return ".exe" if "-windows-" in self.name or "-w64-" in self.name else ""

    @property
    def only_accept(self):  # the flag; zig cc adds -c to the first, and warns of it
        return "-c" if self.name in ZIG_RUNNERS else "-fsyntax-only"

    def command(self, std):
        return self.cxx if "++" in std else self.c


def _cxx_of(command):
    return command.replace("gcc", "g++").replace("clang", "clang++")


def _is_version(command, version):
    if not shutil.which(command):
        return False
    printed = subprocess.run([command, "-dumpversion"], capture_output=True, text=True).stdout
    return printed.split(".")[0].strip() == version


def find(name):
    """gcc-12 may also be called gcc, and so on; g++ or clang++ must be there too."""
    if name in ZIG_RUNNERS:
        return _find_zig(name)
    kind, _, version = name.partition("-")
    candidates = [name]
    if name in NATIVE and _is_version(kind, version):
        candidates.append(kind)
    for command in candidates:
        if shutil.which(command) and shutil.which(_cxx_of(command)):
            return Compiler(name, (command,), (_cxx_of(command),), *_beside_native(name))
    return Compiler(name)


def _beside_native(name):
    if name not in CROSS_RUNNERS or (name == CROSS and platform.machine() == "aarch64"):
        return (), ()
    return CROSS_RUNNERS[name], ("-static",)


def _find_zig(target):
    """What is undefined in unoptimised code traps, as zig has it, without a library that explains it. One level
    of optimisation for linking: each has libraries built from source."""
    if not ZIG_PYTHON.exists():
        return Compiler(target)
    zig = [(str(ZIG_PYTHON), "-m", "ziglang", command, "-target", target, "-fsanitize-trap=undefined")
           for command in ("cc", "c++")]
    return Compiler(target, *zig, ZIG_RUNNERS[target], ("-O1",))


def require(compiler):
    if not compiler.c:
        pytest.skip(f"{compiler.name} is not installed")


def runner_of(compiler):
    if compiler.runner == NOTHING_RUNS:
        pytest.skip("compiled only: nothing here runs programs of that system")
    if compiler.runner and not shutil.which(compiler.runner[0]):
        pytest.skip(f"compiled only: {compiler.runner[0]} is not installed")
    return compiler.runner


def run(command, **environment):
    """Run with the given variables; ATTN_ISA and make's own are not inherited."""
    clean = {k: v for k, v in os.environ.items() if k not in ("ATTN_ISA", "MAKEFLAGS", "MFLAGS")}
    clean.update(TOOLS_FILES, WINEDEBUG="-all")
    clean.update(environment)
    return subprocess.run(
        [str(word) for word in command], env=clean, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=ROOT,
    )


def must(command, **environment):
    done = run(command, **environment)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def compile_unit(compiler, std, flags, source, out, include=ROOT, action="-c"):
    """One unit to one object, with every warning an error."""
    language = "c++" if "++" in std else "c"
    must([*compiler.command(std), f"-std={std}", *WARNINGS, *flags, f"-I{include}", f"-I{HERE}",
          "-x", language, action, source, "-o", out])
    return out


def link(compiler, std, flags, objects, out):
    """Of C++, nothing here needs its library."""
    command = compiler.c if compiler.name in ZIG_RUNNERS else compiler.command(std)
    must([*command, *flags, *compiler.linker, *objects, "-o", out, "-lm"])
    return out


def execute(compiler, program, **environment):
    return run([*runner_of(compiler), program], **environment)


def can_build_32_bit(compiler, std, folder, *flags):
    probe = folder / "probe.c"
    probe.write_text("#include <math.h>\n#include <stdio.h>\nint main(void) { return 0; }\n")
    language = "c++" if "++" in std else "c"
    built = run([*compiler.command(std), "-m32", *flags, "-x", language, probe, "-o", folder / "probe"])
    return built.returncode == 0 and run([folder / "probe"]).returncode == 0


def expected_isas(compiler):
    """What the processor reports, this machine's or an emulated one, in the order of the interface."""
    processor = compiler.name.partition("-")[0]
    if processor in ("arm", "riscv64", "s390x", "wasm32"):
        return ["scalar"]
    if processor == "aarch64" or platform.machine() == "aarch64":
        return ["scalar", "neon"]
    flags = Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split()
    isas = ["scalar"]
    if {"avx2", "fma"} <= set(flags):
        isas.append("avx2")
    if {"avx2", "fma", "avx512f"} <= set(flags):
        isas.append("avx512")
    return isas
