"""Compilers, and consumers built with them."""

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror".split()
CROSS = "aarch64-linux-gnu-gcc"
COMPILERS = ["gcc-11", "gcc-12", "clang-14", "clang-19", CROSS]
THOROUGH = ["gcc-12", "clang-19", CROSS]


@dataclass(frozen=True)
class Compiler:
    name: str
    c: str  # the command, empty if it is not installed
    cxx: str
    runner: tuple = ()  # what runs its programs, if this machine cannot

    @property
    def native(self):
        return not self.runner

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
    kind, _, version = name.partition("-")
    candidates = [name]
    if name != CROSS and _is_version(kind, version):
        candidates.append(kind)
    for command in candidates:
        if shutil.which(command) and shutil.which(_cxx_of(command)):
            return Compiler(name, command, _cxx_of(command), _runner(name))
    return Compiler(name, "", "")


def _runner(name):
    if name != CROSS or platform.machine() == "aarch64":
        return ()
    return ("qemu-aarch64",)


def require(compiler):
    if not compiler.c:
        pytest.skip(f"{compiler.name} is not installed")
    if compiler.runner and not shutil.which(compiler.runner[0]):
        pytest.skip("qemu-aarch64 is not installed")


def run(command, **environment):
    """Run with the given variables; ATTN_ISA and make's own are not inherited."""
    clean = {k: v for k, v in os.environ.items() if k not in ("ATTN_ISA", "MAKEFLAGS", "MFLAGS")}
    clean.update(environment)
    return subprocess.run(
        [str(word) for word in command], env=clean, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=ROOT,
    )


def must(command, **environment):
    done = run(command, **environment)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def compile_unit(compiler, std, flags, source, out, include=ROOT):
    """One unit to one object, with every warning an error."""
    language = "c++" if "++" in std else "c"
    must([compiler.command(std), f"-std={std}", *WARNINGS, *flags, f"-I{include}", f"-I{HERE}",
          "-x", language, "-c", source, "-o", out])
    return out


def link(compiler, std, flags, objects, out):
    static = [] if compiler.native else ["-static"]
    must([compiler.command(std), *flags, *static, *objects, "-o", out, "-lm"])
    return out


def execute(compiler, program, **environment):
    return run([*compiler.runner, program], **environment)


def can_build_32_bit(compiler, std, folder, *flags):
    probe = folder / "probe.c"
    probe.write_text("#include <math.h>\n#include <stdio.h>\nint main(void) { return 0; }\n")
    language = "c++" if "++" in std else "c"
    built = run([compiler.command(std), "-m32", *flags, "-x", language, probe, "-o", folder / "probe"])
    return built.returncode == 0 and run([folder / "probe"]).returncode == 0


def expected_isas(compiler):
    """What this machine's processor reports, in the order of the interface."""
    if not compiler.native or platform.machine() == "aarch64":
        return ["scalar", "neon"]
    flags = Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split()
    isas = ["scalar"]
    if {"avx2", "fma"} <= set(flags):
        isas.append("avx2")
    if {"avx2", "fma", "avx512f"} <= set(flags):
        isas.append("avx512")
    return isas
