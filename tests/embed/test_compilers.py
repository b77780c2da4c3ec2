"""Values on every compiler and target of `make test-compilers`: a program of two units, in which attn_forward
is compared with the definition over shapes, element types and options."""

import pytest
from test_embed import check
from toolchain import can_build_32_bit, expected_isas

# Each flag with some standard, and each standard with some flag.
FLAGS = [
    ("c99", "-O0"),
    ("c++14", "-O1 -mno-avx"),
    ("c17", "-Os"),
    ("c++2b", "-O3 -fno-exceptions"),
    ("c2x", "-O3 -march=native"),
    ("c++17", "-O3 -march=native -ffast-math"),
    ("c11", "-O1 -ffast-math"),
    ("c99", "-O2 -flto"),
    ("c++20", "-O1 -m32"),
]
ELSEWHERE = [("c99", "-O0"), ("c++17", "-O3"), ("c11", "-Os -ffast-math")]




def check_values(compiler, builder, std, flags):
    check(compiler, builder.program(std, flags, "impl.c", "values.c"), expected_isas(compiler))


@pytest.mark.parametrize("std, flags", FLAGS, ids=lambda value: value)
def test_values(compiler, builder, folder, std, flags):
    flags = flags.split()
    if "-m32" in flags and not can_build_32_bit(compiler, std, folder):
        pytest.skip("-m32: no 32-bit C or C++ library for this compiler")
    check_values(compiler, builder, std, flags)


@pytest.mark.parametrize("std, flags", ELSEWHERE, ids=lambda value: value)
def test_values_elsewhere(compiler, builder, std, flags):
    check_values(compiler, builder, std, flags.split())


def test_values_with_no_evex512(compiler, builder):
    """As zig cc calls Clang 18 to 20 for x86."""
    check_values(compiler, builder, "c11", ["-O0", "-mno-evex512"])
