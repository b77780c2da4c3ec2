"""The header dropped into small programs: standards, units, options, flags and compilers. Each
program compares a worked lookup and causal attention on every instruction set with naive loops."""

import re

import pytest
from toolchain import (
    HERE, ROOT, can_build_32_bit, compile_unit, execute, expected_isas, link, require,
)

STANDARDS = ["c99", "c11", "c17", "c++11", "c++20"]

ONE_FILE = [(std, "-O0") for std in STANDARDS] + [
    ("c99", "-O2"),
    ("c11", "-O3 -march=native"),
    ("c++11", "-O3 -march=native -ffast-math"),
    ("c17", "-O2 -ffast-math"),
    ("c11", "-O0 -DEMBED_SYSTEM_FIRST"),
    ("c++20", "-O0 -DEMBED_SYSTEM_FIRST"),
    ("c99", "-O1 -m32"),
    ("c++11", "-O1 -m32"),
]

OPTIONS = {
    "ATTN_NO_AVX512": {"avx512"},
    "ATTN_NO_AVX2": {"avx2"},
    "ATTN_NO_NEON": {"neon"},
    "ATTN_NO_BF16": set(),
    "ATTN_NO_AVX512 ATTN_NO_AVX2 ATTN_NO_NEON": {"avx512", "avx2", "neon"},
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory, compiler):
    require(compiler)
    return tmp_path_factory.mktemp("embed")


@pytest.fixture(scope="session")
def impl(compiler, folder):
    """The implementation as C, for programs of several units."""
    return compile_unit(compiler, "c99", ["-O1"], HERE / "impl.c", folder / "impl.o")


@pytest.fixture(scope="session")
def plain(compiler, folder):
    """A program that many tests can run."""
    return build(compiler, folder, "c99", ["-O0"], "one.c")


def build(compiler, folder, std, flags, *sources):
    name = re.sub(r"[^a-z0-9]+", "_", " ".join([std, *flags, *sources]).lower())
    objects = [
        compile_unit(compiler, std, flags, HERE / source, folder / f"{name}_{index}.o")
        for index, source in enumerate(sources)
    ]
    return link(compiler, std, flags, objects, folder / name)


def check(compiler, program, isas, **environment):
    done = execute(compiler, program, **environment)
    assert done.returncode == 0, done.stdout
    ran = re.findall(r"^checked: (.*)$", done.stdout, re.MULTILINE)
    assert ran and all(line.split() == isas for line in ran), done.stdout


@pytest.mark.parametrize("std, flags", ONE_FILE, ids=lambda value: value)
def test_one_file(compiler, folder, std, flags):
    flags = flags.split()
    if not compiler.native and {"-march=native", "-m32"} & set(flags):
        flags = [flag for flag in flags if flag not in ("-march=native", "-m32")]
    if "-m32" in flags and not can_build_32_bit(compiler, std, folder):
        pytest.skip("-m32: no 32-bit C or C++ library for this compiler")
    check(compiler, build(compiler, folder, std, flags, "one.c"), expected_isas(compiler))


@pytest.mark.parametrize("options", OPTIONS)
def test_option(compiler, folder, options):
    flags = ["-O0"] + [f"-D{option}" for option in options.split()]
    isas = [isa for isa in expected_isas(compiler) if isa not in OPTIONS[options]]
    check(compiler, build(compiler, folder, "c99", flags, "one.c"), isas)


@pytest.mark.parametrize("flags", [[], ["-DATTN_NO_BF16"]], ids=["with", "without"])
def test_option_no_bf16(compiler, folder, flags):
    """The products of bf16 are there, as every compiler here knows the instructions; or none is."""
    unit = compile_unit(compiler, "c99", ["-O0", *flags], HERE / "impl.c", folder / "bf16.o")
    found = re.findall(rb"attni_\w+_prefill_[qp][kv]_bf16_any", unit.read_bytes())
    assert bool(found) == (not flags)


def test_environment_variable(compiler, plain):
    check(compiler, plain, expected_isas(compiler), ATTN_ISA="scalar")
    done = execute(compiler, plain, ATTN_ISA="scalr")
    assert done.returncode != 0 and "ATTN_ISA" in done.stdout


def test_option_no_env(compiler, folder):
    program = build(compiler, folder, "c99", ["-O0", "-DATTN_NO_ENV"], "one.c")
    check(compiler, program, expected_isas(compiler), ATTN_ISA="scalr")


def test_option_malloc(compiler, folder):
    program = build(compiler, folder, "c99", ["-O0"], "allocator.c")
    done = execute(compiler, program)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("std", ["c99", "c++11"])
def test_two_units(compiler, folder, std):
    check(compiler, build(compiler, folder, std, ["-O0"], "impl.c", "main.c"),
          expected_isas(compiler))


def test_c_implementation_used_from_cxx(compiler, folder, impl):
    user = compile_unit(compiler, "c++11", ["-O1"], HERE / "main.c", folder / "user_cxx.o")
    check(compiler, link(compiler, "c++11", [], [impl, user], folder / "user_cxx"),
          expected_isas(compiler))


def test_cxx_implementation_used_from_c(compiler, folder):
    library = compile_unit(compiler, "c++11", ["-O0"], HERE / "impl.c", folder / "impl_cxx.o")
    user = compile_unit(compiler, "c99", ["-O0"], HERE / "main.c", folder / "user_c.o")
    check(compiler, link(compiler, "c++11", [], [library, user], folder / "user_c"),
          expected_isas(compiler))


@pytest.mark.parametrize("std", ["c99", "c++11"])
def test_static_in_two_units(compiler, folder, std):
    program = build(compiler, folder, std, ["-O0"], "static_main.c", "static_other.c")
    check(compiler, program, expected_isas(compiler))


def test_another_interface_does_not_link(compiler, folder, impl):
    """A unit compiled with the header of another interface version fails at link time."""
    header = (ROOT / "attn.h").read_text()
    number = re.search(r"^#define ATTN_INTERFACE (\d+)$", header, re.MULTILINE)
    other = f"#define ATTN_INTERFACE {int(number[1]) + 1}"
    include = folder / "other_interface"
    include.mkdir()
    (include / "attn.h").write_text(header.replace(number[0], other))
    user = compile_unit(compiler, "c99", ["-O0"], HERE / "main.c", folder / "other.o", include)
    with pytest.raises(AssertionError, match="undefined reference"):
        link(compiler, "c99", [], [impl, user], folder / "other")
