"""The benchmark: what it refuses, what it writes, and what is made of it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import results  # noqa: E402

CC = os.environ.get("CC", "cc")
CASE = ["--case", "prefill", "--d", "64", "--t", "128", "--heads", "8"]


# Of the program that `make bench` runs, so that one build serves all.
FLAGS = "CFLAGS=-O2 -Wall -Wextra -Werror"


@pytest.fixture(scope="session")
def bench():
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    done = run("make", "-C", ROOT, "build/attn_bench", FLAGS)
    assert done.returncode == 0, done.stderr
    return ROOT / "build/attn_bench"


def run(*command):
    return subprocess.run([str(x) for x in command], capture_output=True, text=True)


def script(name, *arguments):
    return run(sys.executable, "-B", ROOT / f"bench/{name}.py", *arguments)


def result_of(bench, path, *arguments):
    done = run(bench, *arguments, "--json", path)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text())


@pytest.mark.parametrize("arguments, message", [
    (["--case", "backward"], "--case backward: not prefill"),
    (["--case", "full", "--t", "0"], "--t 0: not a number from 1 to"),
    (["--case", "full", "--d", "2000"], "--d 2000: not a number from 1 to 1024"),
    (["--case", "full", "--heads", "3", "--kv-heads", "2"], "multiple of --kv-heads"),
    (["--case", "full", "--dtype", "f64"], "--dtype f64: not f32, f16, bf16 or i8"),
    (["--dtype", "f16"], "sizes need a --case"),
    (["--case", "prefill", "--len-q", "4"], "--len-q is for decode"),
    (["--case", "decode", "--len-q", "0"], "--len-q 0: not a number from 1 to"),
    (["--case", "decode", "--len-q", "65", "--t", "64"], "--len-q must not exceed --t"),
    (["--case", "full", "--option", "dropout"], "--option dropout: not none, bias, softcap"),
    (["--case", "decode", "--option", "bias"], "--option is for prefill and full"),
    (["--case", "prefill", "--option", "blocks"], "blocks is for full, window for prefill"),
    (["--option", "bias"], "sizes need a --case"),
    (["--case", "full", "--layout", "sbhd"], "--layout sbhd: not bhsd or bshd"),
    (["--isa", "sve"], "--isa sve: no such instruction set"),
    (["--t", "64"], "sizes need a --case"),
    (["fast"], "'fast': what is that?"),
    (["--case", "full", "--json", "/nowhere/x.json"], "/nowhere/x.json cannot be written"),
    (["--case", "full", "--t", "16777216", "--d", "1024", "--heads", "1024"], "MiB of memory are not to be had"),
])
def test_impossible_requests_get_one_line(bench, arguments, message):
    done = run(bench, *arguments)
    assert done.returncode == 1
    assert message in done.stderr and done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize("case", ["prefill", "full", "decode-warm"])
@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
def test_a_case_is_written_as_json(bench, tmp_path, case, layout):
    run = result_of(bench, tmp_path / "x.json", "--case", case, "--layout", layout, "--d", 40,
                    "--t", 64, "--heads", 4, "--kv-heads", 2, "--rounds", 2)
    assert run["schema"] == 1 and run["machine"]["emulated"] is False
    [r] = run["results"]
    wanted = {"case": case, "layout": layout, "dtype": "f32", "d": 40, "t": 64, "heads": 4,
              "kv_heads": 2, "threads": 1, "rounds": 2}
    assert {key: r[key] for key in wanted} == wanted
    assert r["ms"] > 0 and 0 <= r["quiet_rounds"] <= 2 and 0 < r["max_error"] < 1e-6
    pairs = {"prefill": 64 * 65 / 2, "full": 64 * 64, "decode-warm": 64}[case]
    assert r["gflops"] == pytest.approx(4 * 40 * 4 * pairs / r["ms"] * 1e-6, rel=1e-3)
    if case == "decode-warm":
        assert r["gbps"] == pytest.approx(2 * 64 * 40 * 2 * 4 / r["ms"] * 1e-6, rel=1e-3)


CAUSAL = 400 * 401 / 2
IN_WINDOW = CAUSAL - (400 - 257) * (400 - 256) / 2  # 256 keys and the query's own
OPTION_PAIRS = {"bias": CAUSAL, "softcap": CAUSAL, "alibi": CAUSAL, "sinks": CAUSAL, "window": IN_WINDOW}


@pytest.mark.parametrize("option", OPTION_PAIRS)
@pytest.mark.parametrize("layout", ["bhsd", "bshd"])
def test_options_are_checked_and_count_their_pairs(bench, tmp_path, option, layout):
    [r] = result_of(bench, tmp_path / "x.json", "--case", "prefill", "--option", option, "--layout", layout, "--d", 40,
                    "--t", 400, "--heads", 4, "--kv-heads", 2, "--rounds", 1)["results"]
    assert r["option"] == option and r["of_plain"] is None and 0 < r["max_error"] < 1e-6
    assert r["gflops"] == pytest.approx(4 * 40 * 4 * OPTION_PAIRS[option] / r["ms"] * 1e-6, rel=1e-3)


def test_blocks_leave_about_one_pair_in_ten(bench, tmp_path):
    [r] = result_of(bench, tmp_path / "x.json", "--case", "full", "--option", "blocks", "--d", 40, "--t", 1600,
                    "--heads", 2, "--rounds", 1)["results"]
    share = r["gflops"] * r["ms"] * 1e6 / (4 * 40 * 2 * 1600 ** 2)
    assert 0.1 < share < 0.18 and 0 < r["max_error"] < 1e-6  # with the diagonal, a 25th


def test_options_are_compared_with_the_same_without(bench, tmp_path):
    run = result_of(bench, tmp_path / "x.json", "--options", "--rounds", 1)
    assert {r["option"] for r in run["results"]} == {"none", *OPTION_PAIRS, "blocks"}
    assert all(r["of_plain"] == 1 if r["option"] == "none" else 0 < r["of_plain"] < 2 for r in run["results"])
    done = script("report", tmp_path / "x.json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "benchmarks.md").read_text()
    rows = [line.split(" | ")[:2] for line in text.splitlines() if re.match(r"\| [a-z]+ \| \d+ \| \d\.\d{3} \|", line)]
    assert rows == [["| bias", "2048"], ["| softcap", "2048"], ["| alibi", "2048"], ["| sinks", "2048"],
                    ["| window", "2048"], ["| blocks", "4096"], ["| window", "8192"]]
    assert "| causal | f32 |" not in text  # no place among the others


SIZES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}


@pytest.mark.parametrize("dtype, layout", [("f16", "bhsd"), ("bf16", "bshd"), ("i8", "bhsd"), ("i8", "bshd")])
def test_a_decode_counts_the_bytes_of_its_type(bench, tmp_path, dtype, layout):
    run = result_of(bench, tmp_path / "x.json", "--case", "decode-warm", "--dtype", dtype, "--layout", layout,
                    "--d", 40, "--t", 64, "--heads", 4, "--kv-heads", 2, "--len-q", 3, "--rounds", 1)
    [r] = run["results"]
    assert r["dtype"] == dtype and r["len_q"] == 3 and 0 < r["max_error"] < 1e-6
    row = 40 * SIZES[dtype] + (4 if dtype == "i8" else 0)
    assert r["gbps"] == pytest.approx(2 * 64 * 2 * row / r["ms"] * 1e-6, rel=1e-3)
    assert r["gflops"] == pytest.approx(4 * 40 * 4 * (62 + 63 + 64) / r["ms"] * 1e-6, rel=1e-3)


@pytest.mark.parametrize("dtype, error", [("f16", 1e-3), ("bf16", 8e-3), ("i8", 1e-6)])
@pytest.mark.parametrize("case", ["prefill", "full"])
def test_a_prefill_of_a_narrow_type(bench, tmp_path, case, dtype, error):
    """o is f16 or bf16 as well, and f32 beside int8."""
    run = result_of(bench, tmp_path / "x.json", "--case", case, "--dtype", dtype, "--d", 40, "--t", 64,
                    "--heads", 4, "--rounds", 1)
    [r] = run["results"]
    assert r["dtype"] == dtype and r["len_q"] == 64
    assert (1e-5 if error > 1e-4 else 0) < r["max_error"] < error


def test_a_cold_decode_goes_over_its_copies(bench, tmp_path):
    run = result_of(bench, tmp_path / "x.json", "--case", "decode", "--dtype", "i8", "--t", 4096, "--rounds", 1)
    [r] = run["results"]
    assert r["dtype"] == "i8" and 0 < r["of_bandwidth"] < 1.5 and r["max_error"] < 1e-6


def test_two_threads(bench, tmp_path):
    run = result_of(bench, tmp_path / "x.json", *CASE, "--threads", 2, "--rounds", 1)
    assert run["results"][0]["threads"] == 2 and run["results"][0]["max_error"] < 1e-6


def test_an_emulated_run_shows_no_time(bench, tmp_path):
    run = result_of(bench, tmp_path / "x.json", *CASE, "--emulated")
    [r] = run["results"]
    assert run["machine"]["emulated"] is True and run["machine"]["peak_gflops"] == {}
    assert r["ms"] is None and r["gflops"] is None and r["of_peak"] is None and r["rounds"] == 0
    assert r["max_error"] < 1e-6


@pytest.mark.parametrize("dtype", SIZES)
def test_a_wrong_result_stops_the_run(broken_bench, tmp_path, dtype):
    case = [*CASE, "--dtype", dtype]
    done = run(broken_bench, *case, "--json", tmp_path / "x.json")
    assert done.returncode == 1 and "wrong result" in done.stderr and f" {dtype} " in done.stderr
    assert not (tmp_path / "x.json").exists()


@pytest.fixture(scope="session")
def broken_bench(tmp_path_factory):
    """With the kernels of one head size, which takes half the time to compile."""
    folder = tmp_path_factory.mktemp("broken")
    subprocess.run([sys.executable, "-B", ROOT / "gen/generate.py", "--head-sizes", "64",
                    "--out", folder / "attn.h"], check=True)
    text = (folder / "attn.h").read_text()
    broken = re.sub(r"#define ATTNI_LOG2E 1\.4426\d*", "#define ATTNI_LOG2E 1.4", text)
    assert broken != text
    (folder / "attn.h").write_text(broken)
    program = folder / "attn_bench"
    subprocess.run([CC, "-O1", "-I", folder, ROOT / "bench/attn_bench.c", "-o", program, "-pthread", "-lm"],
                   check=True)
    return program


@pytest.fixture(scope="session")
def measured(bench, tmp_path_factory):
    path = tmp_path_factory.mktemp("measured") / "here.json"
    result_of(bench, path, *CASE, "--rounds", 1)
    return path


def scaled(path, to, factor):
    run = json.loads(path.read_text())
    for r in run["results"]:
        r["of_peak"] *= factor
        r["of_peak_quiet"] = None
    to.write_text(json.dumps(run))
    return to


def test_compare_tells_a_loss_from_none(bench, measured, tmp_path):
    slower = script("compare", bench, scaled(measured, tmp_path / "a.json", 0.1), "--rounds", 1)
    assert slower.returncode == 0 and "1 cases, 0 with a loss" in slower.stdout
    faster = script("compare", bench, scaled(measured, tmp_path / "b.json", 10), "--rounds", 1)
    assert faster.returncode == 1 and "1 cases, 1 with a loss" in faster.stdout


def changed(path, to, **fields):
    run = json.loads(path.read_text())
    run["results"][0].update(fields)
    to.write_text(json.dumps(run))
    return to


@pytest.mark.parametrize("fields", [
    {"dtype": "bf16"}, {"case": "decode-warm", "dtype": "i8", "len_q": 2, "of_bandwidth": 0.01}])
def test_compare_measures_the_same_case(bench, measured, tmp_path, fields):
    base = changed(measured, tmp_path / "a.json", of_peak=0.01, **fields)
    done = script("compare", bench, base, "--rounds", 1)
    assert done.returncode == 0 and "1 cases, 0 with a loss" in done.stdout
    assert f" {fields['dtype']} bhsd" in done.stdout and ("2 queries" in done.stdout) == ("len_q" in fields)


def test_results_without_len_q_are_read(measured, tmp_path):
    run = json.loads(measured.read_text())
    run["results"].append({**run["results"][0], "case": "decode"})
    for r in run["results"]:
        del r["len_q"]
    (tmp_path / "old.json").write_text(json.dumps(run))
    assert [r["len_q"] for r in results.read(tmp_path / "old.json")["results"]] == [128, 1]


def test_report_sets_the_types_side_by_side(measured, tmp_path):
    run = json.loads(measured.read_text())
    prefill = run["results"][0]
    decode = {**prefill, "case": "decode", "len_q": 1, "gbps": 5.0, "of_bandwidth": 0.5, "ms": 3.0}
    run["results"] += [{**prefill, "dtype": "f16", "of_peak": 0.25, "of_peak_quiet": None}, decode,
                       {**decode, "dtype": "i8", "ms": 1.0, "gbps": 4.0, "of_bandwidth": 0.4},
                       {**decode, "dtype": "bf16", "ms": 2.0, "len_q": 4}]
    (tmp_path / "x.json").write_text(json.dumps(run))
    done = script("report", tmp_path / "x.json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "benchmarks.md").read_text()
    assert "| causal | f16 | 8 over 8 | bhsd | 64 | - / 0.25 |" in text
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| cold")]
    assert [(row[4], row[5], row[6], row[7], row[8].split(" / ")[1], row[9].strip(" |")) for row in rows] == [
        ("1", "f32", "3.000", "5.0", "0.50", ""), ("1", "i8", "1.000", "4.0", "0.40", "3.00"),
        ("4", "bf16", "2.000", "5.0", "0.50", "")]
    plot = (tmp_path / "plots/decode-1.svg").read_text()
    assert all(f"<!-- {name} -->" in plot for name in ("f32", "bf16", "i8")) and "<!-- f16 -->" not in plot


def test_report_merges_machines(measured, tmp_path):
    other = json.loads(measured.read_text())
    other["machine"].update(cpu="Another <CPU>", emulated=True)
    for r in other["results"]:
        r.update(ms=None, gflops=None, of_peak=None, of_peak_quiet=None)
    (tmp_path / "other.json").write_text(json.dumps(other))
    done = script("report", measured, tmp_path / "other.json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "benchmarks.md").read_text()
    assert len(re.findall(r"^## .*, .*, ", text, re.MULTILINE)) == 2 and "Another <CPU>" in text and "emulated" in text
    plots = re.findall(r"\]\((plots/.*?)\)", text)
    assert plots and all((tmp_path / plot).read_text().startswith("<?xml") for plot in plots)
    assert "| causal | f32 | 8 over 8 | bhsd | 64 |" in text


def test_report_replaces_its_own_plots_alone(measured, tmp_path):
    plots = tmp_path / "plots"
    plots.mkdir()
    (plots / "heatmap.svg").write_text("another's")
    (plots / "peak-9.svg").write_text("an earlier report's")
    assert script("report", measured, "--out", tmp_path).returncode == 0
    assert (plots / "heatmap.svg").read_text() == "another's"
    assert (plots / "peak-1.svg").exists() and not (plots / "peak-9.svg").exists()


def test_report_is_the_same_twice(measured, tmp_path):
    for name in ("a", "b"):
        assert script("report", measured, "--out", tmp_path / name).returncode == 0
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


@pytest.mark.parametrize("text, message", [
    ("{", "not JSON"), ("{}", "schema 1"), ('{"schema": 1}', "machine, results missing"),
    ('{"schema": 1, "machine": {}, "results": [{}]}', "missing")])
def test_a_bad_file_gets_one_line(tmp_path, text, message):
    (tmp_path / "x.json").write_text(text)
    done = script("report", tmp_path / "x.json", "--out", tmp_path)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "benchmarks.md").exists()


def test_the_committed_page_is_that_of_the_committed_results(tmp_path):
    if not list((ROOT / "bench/results").glob("*.json")):
        pytest.skip("no results are committed")
    assert script("report", "--out", tmp_path).returncode == 0
    assert (tmp_path / "benchmarks.md").read_text() == (ROOT / "docs/benchmarks.md").read_text()


def test_make_bench_marks_an_emulated_run(bench):
    done = run("make", "-C", ROOT, "bench", FLAGS, "RUNNER=env", f"ARGS={' '.join(CASE)}")
    assert done.returncode == 0 and "Emulated" in done.stdout
