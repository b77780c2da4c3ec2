"""The header dropped into small programs: standards, units, options, flags and compilers. Each
program compares a worked lookup and causal attention on every instruction set with naive loops."""

import re

import pytest
from toolchain import HERE, can_build_32_bit, compile_unit, execute, expected_isas

STANDARDS = ["c99", "c11", "c17", "c2x", "c++11", "c++14", "c++17", "c++20", "c++2b"]

# The whole header, once with the optimiser's warnings; the suites of gcc and clang compile it at -O3.
WHOLE = [("c99", "-O0"), ("c++11", "-O0"), ("c99", "-O2")]

# Flags, with kernels enough to see what they break; each standard runs somewhere.
FLAGS = [
    ("c17", "-O3 -march=native"),
    ("c++11", "-O3 -march=native -ffast-math"),
    ("c11", "-O0 -DEMBED_SYSTEM_FIRST"),
    ("c++20", "-O0 -DEMBED_SYSTEM_FIRST"),
    ("c99", "-O1 -m32"),
    ("c++11", "-O0 -m32"),
]

OPTIONS = {
    "ATTN_NO_AVX512": {"avx512"},
    "ATTN_NO_AVX2": {"avx2"},
    "ATTN_NO_NEON": {"neon"},
    "ATTN_NO_BF16": set(),
    "ATTN_NO_AVX512 ATTN_NO_AVX2 ATTN_NO_NEON": {"avx512", "avx2", "neon"},
}


def check(compiler, program, isas, **environment):
    done = execute(compiler, program, **environment)
    assert done.returncode == 0, done.stdout
    ran = re.findall(r"^checked: (.*)$", done.stdout, re.MULTILINE)
    assert ran and all(line.split() == isas for line in ran), done.stdout


def check_one_file(compiler, builder, std, flags, header):
    program = builder.program(std, flags, "one.c", header=header)
    check(compiler, program, expected_isas(compiler))


@pytest.mark.parametrize("std", STANDARDS)
def test_standard(compiler, folder, std):
    """Accepted without a warning; the tests below run a program of each standard."""
    compile_unit(compiler, std, ["-O0"], HERE / "one.c", folder / "none.o", action=compiler.only_accept)


@pytest.mark.parametrize("std, flags", WHOLE, ids=lambda value: value)
def test_whole_header(compiler, builder, std, flags):
    check_one_file(compiler, builder, std, flags.split(), "whole")


@pytest.mark.parametrize("std, flags", FLAGS, ids=lambda value: value)
def test_flags(compiler, builder, folder, std, flags):
    flags = flags.split()
    if not compiler.native:
        flags = [flag for flag in flags if flag != "-march=native"]
    if "-m32" in flags and not can_build_32_bit(compiler, std, folder):
        pytest.skip("-m32: no 32-bit C or C++ library for this compiler")
    check_one_file(compiler, builder, std, flags, "one_size")


@pytest.mark.parametrize("options", OPTIONS)
def test_option(compiler, builder, options):
    flags = ["-O0"] + [f"-D{option}" for option in options.split()]
    isas = [isa for isa in expected_isas(compiler) if isa not in OPTIONS[options]]
    check(compiler, builder.program("c99", flags, "one.c"), isas)


@pytest.mark.parametrize("flags", [[], ["-DATTN_NO_BF16"]], ids=["with", "without"])
def test_option_no_bf16(builder, flags):
    """The products of bf16 are there, as every compiler here knows the instructions; or none is."""
    unit = builder.unit("c99", ["-O0", *flags], "impl.c")
    found = re.findall(rb"attni_\w+_prefill_[qp][kv]_bf16_any", unit.read_bytes())
    assert bool(found) == (not flags)


def test_environment_variable(compiler, builder):
    plain = builder.program("c99", ["-O0"], "one.c", header="whole")
    check(compiler, plain, expected_isas(compiler), ATTN_ISA="scalar")
    done = execute(compiler, plain, ATTN_ISA="scalr")
    assert done.returncode != 0 and "ATTN_ISA" in done.stdout


def test_option_no_env(compiler, builder):
    program = builder.program("c99", ["-O0", "-DATTN_NO_ENV"], "one.c")
    check(compiler, program, expected_isas(compiler), ATTN_ISA="scalr")


def test_undefined_behaviour(compiler, builder):
    """Of the code as written: what the optimiser would drop is checked too."""
    flags = ["-O0", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    check(compiler, builder.program("c99", flags, "strides.c"), expected_isas(compiler))


def test_workspace_beyond_32_bits(compiler, builder, folder):
    flags = ["-O0", "-m32", "-fopenmp"]
    if not can_build_32_bit(compiler, "c99", folder, "-fopenmp"):
        pytest.skip("-m32 -fopenmp: no 32-bit C or OpenMP library for this compiler")
    done = execute(compiler, builder.program("c99", flags, "threads.c"))
    assert done.returncode == 0, done.stdout


def test_option_malloc(compiler, builder):
    done = execute(compiler, builder.program("c99", ["-O0"], "allocator.c"))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("std", ["c99", "c++11"])
def test_two_units(compiler, builder, std):
    check(compiler, builder.program(std, ["-O0"], "impl.c", "main.c"), expected_isas(compiler))


@pytest.mark.parametrize("impl, user", [("c99", "c++11"), ("c++11", "c99")])
def test_implementation_used_from_the_other_language(compiler, builder, impl, user):
    units = [builder.unit(std, ["-O0"], source)
             for std, source in ((impl, "impl.c"), (user, "main.c"))]
    check(compiler, builder.link("c++11", [], units), expected_isas(compiler))


@pytest.mark.parametrize("std", ["c99", "c++11"])
def test_static_in_two_units(compiler, builder, std):
    program = builder.program(std, ["-O0"], "static_main.c", "static_other.c")
    check(compiler, program, expected_isas(compiler))


def test_another_interface_does_not_link(compiler, builder, folder, headers):
    """A unit compiled with the header of another interface version fails at link time."""
    header = (headers["one_size"] / "attn.h").read_text()
    number = re.search(r"^#define ATTN_INTERFACE (\d+)$", header, re.MULTILINE)
    other = f"#define ATTN_INTERFACE {int(number[1]) + 1}"
    include = folder / "other_interface"
    include.mkdir()
    (include / "attn.h").write_text(header.replace(number[0], other))
    user = compile_unit(compiler, "c99", ["-O0"], HERE / "main.c", folder / "other.o", include)
    with pytest.raises(AssertionError, match="undefined reference"):
        builder.link("c99", [], [builder.unit("c99", ["-O0"], "impl.c"), user])
