"""The option that picks one compiler, so that several can be tested side by side; and what each has built."""

import re
import sys

import pytest
from toolchain import (COMPILERS, FOREIGN, HERE, NATIVE, ROOT, THOROUGH, compile_unit, find, link, must,
                       require)

EVERYWHERE = ("test_whole_header", "test_flags", "test_no_hot_loop_spills",
              "test_a_planted_spill_is_found", "test_instructions_at_o2")
WITH = {
    **dict.fromkeys(EVERYWHERE, COMPILERS),
    "test_standard": [*NATIVE, *FOREIGN],
    "test_values": NATIVE,
    "test_values_elsewhere": FOREIGN,
    "test_values_with_no_evex512": ["clang-19"],
}


def pytest_addoption(parser):
    parser.addoption("--compiler", help="test this compiler only, e.g. gcc-12")


def pytest_generate_tests(metafunc):
    """Every compiler takes every standard and flag; how units fit together, one of each kind."""
    if "compiler" in metafunc.fixturenames:
        names = WITH.get(metafunc.function.__name__, THOROUGH)
        metafunc.parametrize("compiler", [find(name) for name in names], ids=names, scope="session")


def pytest_collection_modifyitems(config, items):
    """Leave the compiler asked for; if it is not installed, one test of it, to be skipped."""
    only = config.getoption("--compiler")
    absent = set()
    kept = []
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        compiler = parameters.get("compiler")
        if compiler and (only not in (None, compiler.name) or compiler.name in absent):
            continue
        if compiler and not compiler.native and "-m32" in parameters.get("flags", ""):
            continue  # a flag of x86
        if compiler and not compiler.c:
            absent.add(compiler.name)
        kept.append(item)
    items[:] = kept


@pytest.fixture(scope="session")
def headers(tmp_path_factory):
    """Folders with attn.h: whole, and for one head size instead of seven, which takes half the time."""
    one_size = tmp_path_factory.mktemp("one_size")
    must([sys.executable, "-B", ROOT / "gen" / "generate.py", "--head-sizes", 64,
          "--out", one_size / "attn.h"])
    return {"whole": ROOT, "one_size": one_size}


@pytest.fixture(scope="session")
def folder(tmp_path_factory, compiler):
    require(compiler)
    return tmp_path_factory.mktemp("embed")


class Builder:
    """Builds programs of one compiler, and each of their units once."""

    def __init__(self, compiler, folder, headers):
        self.compiler, self.folder, self.headers = compiler, folder, headers
        self.objects = {}

    def unit(self, std, flags, source, header="one_size"):
        key = (std, *flags, source, header)
        if key not in self.objects:
            name = re.sub(r"[^a-z0-9]+", "_", " ".join(key).lower().replace("+", "x"))
            self.objects[key] = compile_unit(self.compiler, std, flags, HERE / source,
                                             self.folder / f"{name}.o", self.headers[header])
        return self.objects[key]

    def link(self, std, flags, objects):
        out = self.folder / f"{objects[-1].stem}_program{self.compiler.suffix}"
        return link(self.compiler, std, flags, objects, out)

    def program(self, std, flags, *sources, header="one_size"):
        return self.link(std, flags, [self.unit(std, flags, source, header) for source in sources])


@pytest.fixture(scope="session")
def builder(compiler, folder, headers):
    return Builder(compiler, folder, headers)
