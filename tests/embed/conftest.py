"""The option that picks one compiler, so that several can be tested side by side."""

from toolchain import COMPILERS, THOROUGH, find

EVERYWHERE = ("test_standard", "test_whole_header", "test_flags")


def pytest_addoption(parser):
    parser.addoption("--compiler", help="test this compiler only, e.g. gcc-12")


def pytest_generate_tests(metafunc):
    """Every compiler takes every standard and flag; how units fit together, one of each kind."""
    if "compiler" in metafunc.fixturenames:
        names = COMPILERS if metafunc.function.__name__ in EVERYWHERE else THOROUGH
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
