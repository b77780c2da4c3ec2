"""What a user does with make besides the tests: help, demo, the shared library, install."""

import ctypes
import re
import shutil
import sys
import tarfile

import pytest
from toolchain import HERE, ROOT, WARNINGS, must

HEADER = (ROOT / "attn.h").read_text()
VERSION = ".".join(re.findall(r"^#define ATTN_VERSION_\w+ (\d+)$", HEADER, re.MULTILINE))
PUBLIC = set(re.findall(r"^#define (attn_\w+) ATTNI_VERSIONED", HEADER, re.MULTILINE))


def test_help_names_every_target():
    printed = must(["make"])
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[-1].split()  # those before are for other targets
    for target in set(phony) - {"FORCE"}:
        assert f"make {target} " in printed


@pytest.mark.parametrize("command", ["cc", "gcc", "clang-19"])
def test_demo_builds_without_warnings(command, tmp_path):
    if not shutil.which(command):
        pytest.skip(f"{command} is not installed")
    must([command, "-O0", "-std=c99", *WARNINGS, f"-I{ROOT}", ROOT / "bench" / "demo.c",
          "-o", tmp_path / "demo", "-lm"])


@pytest.fixture(scope="module")
def library():
    must(["make", "shared"])
    return ROOT / "build" / "libattn.so"


def test_shared_library_exports_the_interface_alone(library):
    lines = must(["nm", "--dynamic", "--defined-only", library]).splitlines()
    exported = {re.sub(r"_v\d+$", "", line.split()[-1]) for line in lines}
    assert exported == PUBLIC and PUBLIC


def test_numpy_example(library):
    pytest.importorskip("numpy")
    must([sys.executable, "-B", ROOT / "docs" / "examples" / "attn_numpy.py", library])


def pkg_config(prefix, option):
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    path = prefix / "lib" / "pkgconfig"
    return must(["pkg-config", option, "attn"], PKG_CONFIG_PATH=str(path)).split()


def compile_installed(prefix, program, *sources_and_flags):
    flags = pkg_config(prefix, "--cflags")
    must(["cc", *flags, f"-I{HERE}", *sources_and_flags, "-o", program,
          *pkg_config(prefix, "--libs")])


def test_install(library, tmp_path):
    """Installed under a prefix, found through pkg-config, used as a header and as a library."""
    prefix = tmp_path / "usr"
    must(["make", "install", f"PREFIX={prefix}"])
    files = sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())
    assert files == ["include/attn.h", "lib/libattn.so", "lib/pkgconfig/attn.pc"]
    compile_installed(prefix, tmp_path / "header", "-O0", HERE / "one.c")
    must([tmp_path / "header"])
    compile_installed(prefix, tmp_path / "shared", HERE / "main.c", f"-L{prefix}/lib", "-lattn")
    must([tmp_path / "shared"], LD_LIBRARY_PATH=str(prefix / "lib"))
    assert pkg_config(prefix, "--modversion") == [VERSION]


def test_install_destdir(library, tmp_path):
    """DESTDIR says where the files go now, PREFIX where they will be found."""
    must(["make", "install", "PREFIX=/usr", f"DESTDIR={tmp_path}"])
    assert (tmp_path / "usr" / "include" / "attn.h").exists()
    assert "prefix=/usr\n" in (tmp_path / "usr" / "lib" / "pkgconfig" / "attn.pc").read_text()


def test_versions_agree(library):
    """Of the macros, the library, the manual in the header, and the documents; attn.pc's is tested above."""
    major, minor, patch = map(int, VERSION.split("."))
    interface = re.search(r"^#define ATTN_INTERFACE (\d+)$", HEADER, re.MULTILINE)[1]
    linked = getattr(ctypes.CDLL(library), f"attn_version_v{interface}")()
    assert linked == 10000 * major + 100 * minor + patch
    assert f"\n * Version {VERSION}. " in HEADER
    latest = re.search(r"^## \[(.*?)\] - ", (ROOT / "docs" / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest[1] == VERSION
    cited = re.search(r"^version: (.*)$", (ROOT / "docs" / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited[1] == VERSION


def dist(epoch=None):
    """The archive, made as of a time or of the last commit."""
    must(["make", "dist"], **({} if epoch is None else {"SOURCE_DATE_EPOCH": str(epoch)}))
    return ROOT / "build" / f"attn-{VERSION}.tar.gz"


def test_dist():
    """The header and its licence alone, with nothing of who packed them, and when."""
    archive = dist(1700000000)
    first = archive.read_bytes()
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
        assert [m.name for m in members] == [f"attn-{VERSION}/LICENSE", f"attn-{VERSION}/attn.h"]
        for member in members:
            assert (member.mtime, member.uid, member.gid, member.mode) == (1700000000, 0, 0, 0o644)
            assert (member.uname, member.gname) == ("", "")
            packed = tar.extractfile(member).read()
            assert packed == (ROOT / member.name.partition("/")[2]).read_bytes()
    assert dist(1700000000).read_bytes() == first
    assert dist(1700000001).read_bytes() != first
    assert dist().read_bytes() == dist().read_bytes()
