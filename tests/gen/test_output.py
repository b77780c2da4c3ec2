"""What the generator emits, compiled and run: head sizes, prefixes, another instruction set."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT
from toolchain import CROSS, WARNINGS, compile_unit, expected_isas, find, link, must, require, run
from toolchain import HERE as EMBED

FIXTURES = Path(__file__).resolve().parent / "fixtures"
KERNEL = "plan: (.*): (.*): (.*)"


def build(folder, sources, out="program", flags=("-O1",)):
    """C99 sources, with the headers in the folder; warnings are errors."""
    must(["gcc", "-std=c99", *flags, *WARNINGS, f"-I{folder}", f"-I{EMBED}", *sources,
          "-o", folder / out, "-lm"])
    return folder / out


def native_isas():
    return expected_isas(find("gcc-12"))


def run_plan(program, head_size, **environment):
    """The instruction set and the kernels that the plans chose, after all checks passed."""
    done = run([program, head_size], **environment)
    assert done.returncode == 0, done.stdout
    return re.findall(KERNEL, done.stdout)


def test_header_size_and_names():
    text = (ROOT / "attn.h").read_text()
    assert len(text) <= 1_500_000
    assert not re.search(r"^\s*#\s*define\s+(_|\w*__)", text, re.MULTILINE), "a reserved identifier"


def test_head_sizes(project):
    """Those asked for have kernels of their own for the scores; others, even a default one, go without."""
    folder = project.root / "out"
    folder.mkdir()
    project.must("--head-sizes", 8, 48, "--out", folder / "attn.h")
    program = build(folder, [FIXTURES / "plan.c"])
    for head_size, own in ((48, True), (8, True), (64, False)):
        plans = run_plan(program, head_size)
        assert len(plans) == 2
        qk, pv = plans[0][1:]
        assert qk.endswith(f" d{head_size}" if own else " any")
        assert pv.endswith(" any")


STORY = Path(os.environ.get("ATTN_STORY_DIR") or "-")


@pytest.mark.skipif(not STORY.is_dir(), reason="ATTN_STORY_DIR names no directory with stories260K")
@pytest.mark.parametrize("compiler", ["gcc-12", CROSS])
def test_story_with_kernels_for_its_head_size(project, compiler):
    """A header regenerated for the model's head size, 8, tells the published text."""
    compiler = find(compiler)
    require(compiler)
    folder = project.root / "out"
    folder.mkdir()
    project.must("--head-sizes", 8, "--out", folder / "attn.h")
    story = compile_unit(compiler, "c99", ["-O1"], ROOT / "docs" / "examples" / "story.c",
                         folder / "story.o", include=folder)
    program = link(compiler, "c99", [], [story], folder / "story")
    told = (STORY / "greedy.txt").read_text().rstrip("\n")
    for isa in expected_isas(compiler):
        environment = {**os.environ, "ATTN_ISA": isa}
        done = subprocess.run([*compiler.runner, program, STORY], env=environment, text=True,
                              capture_output=True, check=True)
        assert done.stdout.rstrip("\n") == told, isa


@pytest.mark.skipif(not STORY.is_dir(), reason="ATTN_STORY_DIR names no directory with stories260K")
def test_heatmap(tmp_path):
    """A cell for each pair of tokens, whose weights add up to 1 in each row; a label for each token."""
    compiler = find("gcc-12")
    require(compiler)
    unit = compile_unit(compiler, "c99", ["-O1"], ROOT / "docs" / "examples" / "heatmap.c",
                        tmp_path / "heatmap.o")
    program = link(compiler, "c99", [], [unit], tmp_path / "heatmap")

    def draw(*options):
        picture = tmp_path / "picture.svg"
        picture.unlink(missing_ok=True)
        done = subprocess.run([program, STORY, "-o", picture, *options], text=True, capture_output=True)
        return done, ElementTree.parse(picture).getroot() if picture.exists() else None

    space = "{http://www.w3.org/2000/svg}"
    for options in (["-l", "2", "-h", "1"], ["-l", "4", "-h", "mean"],
                    ["-n", "40", "-p", "A <b> & \"x\" \u2192 na\u00efve\n\x01"]):
        done, svg = draw(*options)
        assert done.returncode == 0, done.stderr
        cells = [cell for cell in svg.iter(f"{space}rect") if cell.get("class") == "w"]
        assert len(cells) == 40 * 41 // 2
        rows = {}
        for cell in cells:
            weight = float(cell.find(f"{space}title").text.rsplit(": ", 1)[1])
            rows[cell.get("y")] = rows.get(cell.get("y"), 0) + weight
        assert len(rows) == 40
        assert all(abs(total - 1) < 0.004 for total in rows.values()), rows
        labels = [text for text in svg.iter(f"{space}text") if text.get("text-anchor") == "end"]
        assert len(labels) == 2 * 40
        assert labels[0].text == labels[1].text == "<s>"
    for options, message in ((["-l", "5"], "layers 0 to 4, not 5"), (["-h", "8"], "heads 0 to 7, not 8"),
                             (["-h", "x"], "must be a number"), (["-n", "200"], "room for 120 tokens"),
                             (["-l"], "-l needs a value"), (["-n", "3", "-p", "Once upon a time"], "3")):
        done, svg = draw(*options)
        assert (done.returncode, done.stdout, svg) == (1, "", None)
        assert done.stderr.startswith("heatmap: ") and message in done.stderr


def test_prefix_leaves_no_other_name(project):
    out = project.root / "foo.h"
    project.must("--prefix", "foo", "--out", out)
    text = out.read_text()
    left = set(re.findall(r"\b\w*(?:attni?_|ATTNI?_)\w*|\bATTN_?H\b", text))
    assert not left, sorted(left)[:5]
    assert '"FOO_ISA"' in text
    assert re.search(r"\bfoo_forward\b", text) and "FOO_IMPLEMENTATION" in text


def renamed(path):
    """A consumer's source for the copy with the prefix foo."""
    text = path.read_text().replace('"attn.h"', '"foo.h"').replace('"check.h"', '"check_foo.h"')
    for old, new in (("attn_", "foo_"), ("ATTN_", "FOO_"), ("EMBED_CHECK_H", "EMBED_FOO_H"),
                     ("check_", "foo_check_"), ("CHECK_", "FOO_CHECK_"), ("other_", "foo_other_")):
        text = text.replace(old, new)
    return text.replace('"foo_check_foo.h"', '"check_foo.h"')


@pytest.fixture
def two_copies(project):
    """A directory with attn.h, foo.h, and the consumers for both. With the kernels of one head size:
    those of others differ by a number in their names."""
    folder = project.root / "out"
    folder.mkdir()
    project.must("--head-sizes", 64, "--out", folder / "attn.h")
    project.must("--head-sizes", 64, "--prefix", "foo", "--out", folder / "foo.h")
    (folder / "check_foo.h").write_text(renamed(EMBED / "check.h"))
    (folder / "impl_foo.c").write_text(renamed(EMBED / "impl.c"))
    (folder / "user_foo.c").write_text(
        '#include "foo.h"\n#include "check_foo.h"\nint check_of_foo(void);\n'
        "int check_of_foo(void) { return foo_check_all(); }\n")
    return folder


MAIN_OF_BOTH = """\
#include "attn.h"
#include "check.h"
int check_of_foo(void);
int main(void) { return check_all() + check_of_foo(); }
"""


def checked(done):
    assert done.returncode == 0, done.stdout
    return [line.split() for line in re.findall(r"^checked: (.*)$", done.stdout, re.MULTILINE)]


def test_two_copies_linked_together(two_copies):
    (two_copies / "main.c").write_text(MAIN_OF_BOTH)
    sources = [EMBED / "impl.c", *(two_copies / name for name in
                                   ("impl_foo.c", "user_foo.c", "main.c"))]
    program = build(two_copies, sources, flags=["-O0"])
    assert checked(run([program])) == [native_isas()] * 2
    # Each copy listens to its own variable.
    assert run([program], FOO_ISA="nonsense").returncode != 0
    assert run([program], ATTN_ISA="nonsense").returncode != 0


@pytest.mark.parametrize("order", [("attn", "foo"), ("foo", "attn")], ids="-".join)
def test_two_copies_in_one_unit(two_copies, order):
    lines = [f'#define {name.upper()}_IMPLEMENTATION\n#include "{name}.h"' for name in order]
    lines += ['#include "check.h"', '#include "check_foo.h"',
              "int main(void) { return check_all() + foo_check_all(); }\n"]
    source = two_copies / "both.c"
    source.write_text("\n".join(lines))
    assert checked(run([build(two_copies, [source], flags=["-O0"])])) == [native_isas()] * 2


def test_another_instruction_set(project):
    """SSE4.1 is one file and one line: generated, compiled, run, and nothing else really ran."""
    shutil.copy(FIXTURES / "sse41.py", project.root / "gen" / "isa")
    add_to_list(project.root / "gen" / "spec.py", "sse41")
    folder = project.root / "out"
    folder.mkdir()
    project.must("--head-sizes", 64, "--out", folder / "attn.h")
    program = build(folder, [FIXTURES / "plan.c"])
    for head_size in (64, 12):
        plans = run_plan(program, head_size, ATTN_ISA="sse41")
        assert [isa for isa, _, _ in plans] == ["sse41", "sse41"]
        assert all("sse41" in kernel for _, *kernels in plans for kernel in kernels)
    (ran,) = checked(run([program, 64]))
    assert sorted(ran) == sorted([*native_isas(), "sse41"])


def add_to_list(spec, name):
    """The one line that makes the generator use another record."""
    text = spec.read_text()
    changed = re.sub(r"^(ISAS = \[.*)\]$", rf'\1, "{name}"]', text, flags=re.MULTILINE)
    assert changed != text
    spec.write_text(changed)
