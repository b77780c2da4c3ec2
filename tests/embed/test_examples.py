"""The documentation: its programs run, its lists are complete, its links lead somewhere."""

import re
import subprocess
import sys

import pytest
from toolchain import ROOT, compile_unit, execute, link, require, runner_of

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
PROGRAMS = {"quickstart": "ok: ", "decode": "decode: ok, ", "threads": "threads: ok, "}


@pytest.mark.parametrize("name", PROGRAMS)
def test_example(compiler, tmp_path, name):
    """Each checks itself with a naive loop. Under qemu 7 threads hang unless linked statically."""
    require(compiler)
    flags = ["-O0", "-pthread"]
    source = DOCS / "examples" / f"{name}.c"
    unit = compile_unit(compiler, "c99", flags, source, tmp_path / "unit.o")
    static = [] if compiler.native else ["-static"]
    done = execute(compiler, link(compiler, "c99", [*flags, *static], [unit], tmp_path / name))
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith(PROGRAMS[name])


def test_heatmap_says_how_to_use_it(compiler, tmp_path):
    """It builds without a warning; tests/gen has it draw, where there is a model."""
    require(compiler)
    unit = compile_unit(compiler, "c99", ["-O0"], DOCS / "examples" / "heatmap.c", tmp_path / "unit.o")
    program = link(compiler, "c99", [], [unit], tmp_path / "heatmap")
    done = subprocess.run([*runner_of(compiler), program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("heatmap: usage: heatmap DIRECTORY")


def test_readme_shows_the_quickstart():
    shown = re.search(r"^```c\n(.*?)^```$", PAGES[0].read_text(), re.MULTILINE | re.DOTALL)
    assert shown[1] == (DOCS / "examples" / "quickstart.c").read_text()


def test_api_names_everything():
    """Every function, type, constant and option of the header stands in api.md."""
    header = (ROOT / "attn.h").read_text()
    public = header[:header.index("#define ATTNI_IMPLEMENTED")]
    words = set(re.findall(r"\b(?:attn|ATTN)_\w+", public)) - {"ATTN_H"}
    assert not sorted(words - set(re.findall(r"\w+", (DOCS / "api.md").read_text())))
    assert {"attn_forward", "attn_bhs", "ATTN_ERR_MEMORY", "ATTN_NO_ENV"} <= words


def function_of(number, snippet):
    return f"static int show_{number}(void) {{\n{snippet}return (int)status;\n}}\n"


def test_snippets_of_the_reference(compiler, tmp_path):
    """The code in api.md succeeds: functions beside attention each with memory of their own, calls with
    options on four tokens that one snippet declares for all."""
    require(compiler)
    blocks = re.findall(r"^```c\n(.*?)^```$", (DOCS / "api.md").read_text(), re.MULTILINE | re.DOTALL)
    called = [re.search(r"^attn_status status = (\w+)\(", block, re.MULTILINE) for block in blocks]
    shown = {name[1]: block for name, block in zip(called, blocks) if name}
    names = ["attn_kv_append", "attn_rope", "attn_merge", "attn_weights", "attn_alibi_slopes",
             "attn_block_mask_build"]
    four_tokens, = [block for block in blocks if "static attn_params four_tokens(void)" in block]
    options = [block for block in blocks if "attn_params p = four_tokens();" in block]
    assert len(options) >= 12 and all("assert(" in block for block in options)
    version, = [block for block in blocks if "if (attn_version() " in block]
    snippets = [*(shown[name] for name in names), *options]
    functions = [function_of(number, snippet) for number, snippet in enumerate(snippets)]
    functions.insert(len(names), four_tokens)
    functions.append(f"static int show_version(void) {{\n{version}return 0;\n}}\n")
    source = tmp_path / "snippets.c"
    source.write_text('#define ATTN_IMPLEMENTATION\n#include "attn.h"\n' + "".join(functions) +
                      "int main(void) {\nreturn show_version() || " +
                      " || ".join(f"show_{number}()" for number in range(len(snippets))) + ";\n}\n")
    unit = compile_unit(compiler, "c99", ["-O0"], source, tmp_path / "unit.o")
    static = [] if compiler.native else ["-static"]
    done = execute(compiler, link(compiler, "c99", static, [unit], tmp_path / "snippets"))
    assert done.returncode == 0, done.stdout


def test_operations_are_explained():
    sys.path.insert(0, str(ROOT / "gen"))
    import spec

    text = (DOCS / "adding-an-instruction-set.md").read_text()
    table = set(re.findall(r"`(\w+)\([abcd, ]*\)`", text.split("## The operations")[1]))
    records = [spec.load_isa(name) for name in spec.ISAS]
    assert table - {"ATTNI_FENCE", "ATTNI_CLANG_FENCE"} == {
        op for isa in records for op in [*isa.ops, *(isa.bf16.ops if isa.bf16 else [])]}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target
