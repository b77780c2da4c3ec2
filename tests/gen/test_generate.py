"""The command line of the generator: what it emits, checks and refuses."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, Project


def test_committed_files_are_current(project):
    project.must("--check")


def test_same_bytes_everywhere(project, tmp_path):
    """From another directory, with other hashes, another time zone and another locale."""
    committed = project.outputs()
    shutil.rmtree(project.root / "generated")
    (project.root / "attn.h").unlink()
    project.must(cwd=tmp_path, PYTHONHASHSEED="1", TZ="Asia/Tokyo", LC_ALL="C")
    assert project.outputs() == committed
    project.must(PYTHONHASHSEED="2", LC_ALL="C.UTF-8")
    assert project.outputs() == committed


def test_no_trace_of_time_or_machine(project):
    project.must()
    for name, content in project.outputs().items():
        text = content.decode("ascii")
        assert str(project.root) not in text and str(ROOT) not in text, name
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b|\b\d\d:\d\d:\d\d\b", text), name
        assert "\r" not in text and text.endswith("\n"), name


def test_check_writes_nothing(project):
    before = project.snapshot()
    project.must("--check")
    assert project.snapshot() == before


def kernel_files(project):
    return sorted((project.root / "generated").glob("*.h"))


@pytest.mark.parametrize("which", ["attn.h", "first kernel", "last kernel"])
def test_check_names_a_stale_file(project, which):
    files = kernel_files(project)
    path = {"attn.h": project.root / "attn.h", "first kernel": files[0],
            "last kernel": files[-1]}[which]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert path.name in project.must_fail("--check")


def test_check_names_a_missing_file(project):
    path = kernel_files(project)[0]
    path.unlink()
    assert path.name in project.must_fail("--check")


def test_check_names_an_orphan(project):
    (project.root / "generated" / "orphan.h").write_text("/* left over */\n")
    assert "orphan.h" in project.must_fail("--check")


def test_a_new_run_removes_orphans(project):
    before = project.snapshot()
    (project.root / "generated" / "orphan.h").write_text("/* left over */\n")
    project.must()
    assert project.snapshot() == before


def test_head_sizes_are_recorded_for_check(project):
    project.must("--head-sizes", 8, 48, "--isa", "avx2")
    manifest = json.loads((project.root / "generated" / "manifest.json").read_text())
    assert manifest["head_sizes"] == [8, 48]
    project.must("--check")


BAD_OPTIONS = [
    ("head size 0", ["--head-sizes", "0"], "0"),
    ("negative head size", ["--head-sizes", "-1"], "-1"),
    ("head size too large", ["--head-sizes", "64", "1025"], "1025"),
    ("head size not a number", ["--head-sizes", "x"], "x"),
    ("head size not whole", ["--head-sizes", "6.5"], "6.5"),
    ("head size twice", ["--head-sizes", "64", "64"], "twice"),
    ("no head size", ["--head-sizes"], "head"),
    ("unknown instruction set", ["--isa", "avx3"], "avx3"),
    ("instruction set twice", ["--isa", "avx2", "avx2"], "twice"),
    ("prefix begins with a digit", ["--prefix", "9x"], "9x"),
    ("prefix with a dash", ["--prefix", "a-b"], "a-b"),
    ("prefix with a space", ["--prefix", "a b"], "a b"),
    ("prefix not ASCII", ["--prefix", "\u00e4b"], "prefix"),
    ("empty prefix", ["--prefix", ""], "prefix"),
    ("prefix is a keyword of C", ["--prefix", "int"], "int"),
    ("prefix is a keyword of C++", ["--prefix", "class"], "class"),
    ("unknown option", ["--heads", "8"], "--heads"),
    ("output with check", ["--check", "--out", "x.h"], "--check"),
]


@pytest.mark.parametrize("options, named", [row[1:] for row in BAD_OPTIONS],
                         ids=[row[0] for row in BAD_OPTIONS])
def test_bad_options(project, options, named):
    """With and without --out."""
    assert named in project.must_fail(*options)
    if "--out" not in options:
        assert named in project.must_fail(*options, "--out", project.root / "out.h")


def test_output_directory_does_not_exist(project):
    assert "nowhere" in project.must_fail("--out", project.root / "nowhere" / "foo.h")


def test_output_is_a_directory(project):
    assert "gen" in project.must_fail("--out", project.root / "gen")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc, where root may not write")
def test_output_directory_is_not_writable(project):
    assert "/proc" in project.must_fail("--out", "/proc/foo.h")


def test_out_writes_one_file_alone(project):
    before = project.snapshot()
    out = project.root / "foo.h"
    project.must("--out", out)
    after = project.snapshot()
    assert set(after) - set(before) == {"foo.h"}
    assert out.read_bytes() == (ROOT / "attn.h").read_bytes()


def test_isa_alone(project):
    """--isa avx2 leaves scalar, which is always there, and nothing of the others."""
    out = project.root / "foo.h"
    project.must("--isa", "avx2", "--out", out)
    text = out.read_text()
    for gone in ("_mm512_", "__m512", "float32x4_t", "vfmaq_f32"):
        assert gone not in text
    assert "_mm256_fmadd_ps" in text
    with_scalar = project.root / "bar.h"
    project.must("--isa", "scalar", "avx2", "--out", with_scalar)
    assert with_scalar.read_text() == text


def test_make_passes_options(project, tmp_path):
    """`make gen` with the variables of its help, and not those of the environment."""
    shutil.copy(ROOT / "Makefile", project.root)
    make = ["make", f"PYTHON={sys.executable}", "gen"]
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
    environment.update(PREFIX=str(tmp_path), ISA="amd64", OUT="elsewhere.h")
    options = ["HEAD_SIZES=8 48", "ISA=avx2 neon", "PREFIX=foo", "OUT=build/foo.h"]
    subprocess.run([*make, *options], cwd=project.root, env=environment, check=True)
    project.must("--head-sizes", 8, 48, "--isa", "avx2", "neon", "--prefix", "foo",
                 "--out", project.root / "direct.h")
    made = (project.root / "build" / "foo.h").read_bytes()
    assert made == (project.root / "direct.h").read_bytes()
    before = project.outputs()
    subprocess.run(make, cwd=project.root, env=environment, check=True)
    assert project.outputs() == before
