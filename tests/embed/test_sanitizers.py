"""Consumers with every part of them under a sanitizer; `make test-sanitize` runs these."""

import pytest
from toolchain import HERE, ROOT, compile_unit, execute, find, link, require

EXAMPLES = ROOT / "docs" / "examples"
PROGRAMS = {
    "quickstart": EXAMPLES / "quickstart.c",
    "decode": EXAMPLES / "decode.c",
    "threads": EXAMPLES / "threads.c",
    "strides": HERE / "strides.c",
    "first_call": HERE / "first_call.c",
}


def run_under(name, sanitizer, source, folder, headers):
    compiler = find(name)
    require(compiler)
    flags = ["-O1", "-g1", "-pthread", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
    unit = compile_unit(compiler, "c99", flags, source, folder / "unit.o",
                        headers["one_size"])
    program = link(compiler, "c99", flags, [unit], folder / source.stem)
    return execute(compiler, program)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_memory_is_read_before_it_is_written(tmp_path, headers, name):
    done = run_under("clang-19", "memory", PROGRAMS[name], tmp_path, headers)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("by", ["gcc-12", "clang-19"])
@pytest.mark.parametrize("name", ["threads", "first_call"])
def test_threads_do_not_race(tmp_path, headers, name, by):
    """first_call: eight threads make the first call of the process at once."""
    done = run_under(by, "thread", PROGRAMS[name], tmp_path, headers)
    assert done.returncode == 0, done.stdout


def test_a_planted_fault_is_found(tmp_path, headers):
    """The check of memory notices an output that a call with an error did not write."""
    done = run_under("clang-19", "memory", HERE / "planted.c", tmp_path, headers)
    assert done.returncode != 0 and "use-of-uninitialized-value" in done.stdout
