"""The recorded errors: docs/numerics.md and its plot show them, and a new record loses none."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/accuracy"))
import record  # noqa: E402

HEADER = "\t".join(record.CELL + record.MEASURES)


@pytest.fixture
def results(tmp_path):
    """Two builds; the first has the larger o, the second the larger lse and a cell more."""
    (tmp_path / "one.tsv").write_text(f"# GCC 1\n{HEADER}\nscalar\tprefill\tf32\t16\t1\t5\t1\t0.1\t0.1\t7\n")
    (tmp_path / "two.tsv").write_text(f"# Clang 2\n{HEADER}\nscalar\tprefill\tf32\t16\t1\t4\t2\t0.1\t0.2\t7\n"
                                      "avx2\tdecode\tint8\t1024\t0.001\t0.5\t1\t0.1\t0.1\t1\n")
    return [tmp_path / "one.tsv", tmp_path / "two.tsv"]


def test_the_page_shows_what_is_recorded():
    page = (ROOT / "docs/numerics.md").read_text()
    assert page == record.insert(page, record.section(*record.read(record.RECORD)))
    assert record.digest_of(record.RECORD) in (ROOT / "docs/plots/accuracy.svg").read_text()


def test_a_record_has_the_largest_error_of_all_builds(results, tmp_path):
    path = tmp_path / "recorded.tsv"
    record.save_record(results, path)
    rows, comments = record.read(path)
    assert comments == ["one: GCC 1", "two: Clang 2"]
    assert [[row[name] for name in record.CELL + record.MEASURES] for row in rows] == [
        ["avx2", "decode", "int8", 1024, 0.001, 0.5, 1, 0.1, 0.1, 1],
        ["scalar", "prefill", "f32", 16, 1, 5, 2, 0.1, 0.2, 7]]


def test_a_record_keeps_every_instruction_set(results, tmp_path):
    path = tmp_path / "recorded.tsv"
    record.save_record(results, path)
    before = path.read_text()
    with pytest.raises(record.BadResults, match="avx2: recorded before, and not measured now"):
        record.save_record(results[:1], path)
    assert path.read_text() == before


def test_another_file_is_refused():
    done = subprocess.run([sys.executable, "-B", record.__file__, ROOT / "README.md"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"accuracy-record: {ROOT / 'README.md'}: not a result of the accuracy campaign\n"


def test_the_plot_has_a_line_for_each_path_and_the_yardsticks(tmp_path):
    rows, _ = record.read(record.RECORD)
    record.plot(rows, tmp_path / "plot.svg", "digest")
    text = (tmp_path / "plot.svg").read_text()
    assert "digest" in text
    for label in ("avx2, decode", "neon, prefill", "products of bf16", "naive f32", "spread x 2^-24"):
        assert f"<!-- {label} -->" in text
