"""The option that picks one compiler, so that several can be tested side by side."""


def pytest_addoption(parser):
    parser.addoption("--compiler", help="test this compiler only, e.g. gcc-12")


def pytest_generate_tests(metafunc):
    if "compiler" in metafunc.fixturenames:
        from toolchain import COMPILERS, find

        only = metafunc.config.getoption("--compiler")
        names = [only] if only else COMPILERS
        metafunc.parametrize("compiler", [find(name) for name in names], ids=names, scope="session")
