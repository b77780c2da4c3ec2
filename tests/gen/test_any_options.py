"""The generator's command line, of any arguments: a whole header, or one line that says why not. The
environment variable ATTN_EXAMPLES asks for so many that are new each time, as `make fuzz` does."""

import os

import pytest
from conftest import Project

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
from hypothesis import HealthCheck, given, settings, strategies as st  # noqa: E402

EXAMPLES = os.environ.get("ATTN_EXAMPLES")

# Whatever a shell can pass: no NUL, and bytes that are not UTF-8.
CHARACTERS = st.one_of(st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
                       st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF))
WORDS = st.text(CHARACTERS, max_size=12)
NUMBERS = st.one_of(st.integers(1, 300), st.integers(-2, 2000), st.integers()).map(str)
ISAS = st.sampled_from(["scalar", "avx2", "avx512", "neon"])
PREFIXES = st.one_of(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True),
                     st.sampled_from(["int", "attn", "ATTN", "attni", "a" * 300, "_x", "x-y"]))
FILES = st.one_of(st.sampled_from(["out.h", "new.h", "", ".", "..", "/", "gen", "no/where.h", "a\nb.h", "x" * 300]),
                  WORDS.filter(lambda word: "/" not in word))


def mostly(usual, other=WORDS):
    return st.integers(0, 9).flatmap(lambda n: other if n == 9 else usual)


def option(*words):
    return st.tuples(*words).map(lambda parts: [word for part in parts
                                                for word in (part if isinstance(part, list) else [part])])


OPTIONS = st.lists(st.one_of(
    option(st.just("--head-sizes"), st.lists(mostly(NUMBERS), max_size=3)),
    option(st.just("--isa"), st.lists(mostly(ISAS), max_size=3)),
    option(st.just("--prefix"), mostly(PREFIXES)),
    option(st.just("--out"), mostly(FILES)),
    option(st.sampled_from(["--check", "--out", "--help", "-h", "--", "-", "--he", "--head-sizes=8"])),
    option(WORDS),
), max_size=4, unique_by=lambda words: words[0]).map(lambda lists: [word for words in lists for word in words])


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(tmp_path_factory.mktemp("any") / "")


def is_whole(text):
    """From the manual to the last line, with as many blocks opened as closed."""
    lines = text.splitlines()
    opened = sum(line.startswith(("#if", "# if")) for line in lines)
    return (lines[0].startswith("/*") and lines[-1].startswith("#endif /* ") and text.endswith("\n")
            and opened == sum(line.startswith(("#endif", "# endif")) for line in lines))


def changes(before, after):
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


@settings(max_examples=int(EXAMPLES or 20), derandomize=EXAMPLES is None, deadline=None, database=None,
          suppress_health_check=list(HealthCheck))
@given(OPTIONS)
def test_any_options_give_a_whole_header_or_one_line(project, options):
    before = project.snapshot()
    done = project.generate(*options)
    changed = changes(before, project.snapshot())
    if done.returncode == 0:
        assert done.stderr == ""
        headers = [project.root / name for name in changed if not name.startswith("generated")]
        assert all(is_whole(path.read_text()) for path in headers)
        assert project.generate("--check").returncode == 0 or not changed
    else:
        assert done.returncode in (1, 2)
        assert done.stderr.startswith("generate.py: ") and len(done.stderr.splitlines()) == 1
        assert not changed
