"""The comparison with other implementations: what of it needs none of them."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/peers"))
import contestants  # noqa: E402
import peers  # noqa: E402


def run(*arguments, **environment):
    command = [sys.executable, "-B", ROOT / "bench/peers/peers.py", *arguments]
    return subprocess.run([str(x) for x in command], capture_output=True, text=True, env={**os.environ, **environment})


@pytest.mark.parametrize("arguments, message", [
    (["--cases", "prefill-128x64"], "prefill-128x64: not a case such as causal-1024x64"),
    (["--cases", "causal-0x64"], "causal-0x64: not a case"),
    (["--cases", "decode-4096x128"], "decode-4096x128: not a case"),
    (["--cases", "decode-i8-4096x128"], "decode-i8-4096x128: not a case"),
    (["--cases", "causal-128"], "causal-128: not a case"),
    (["--threads", "0"], "0: not a number from 1 to 1024"),
    (["--rounds", "-1"], "--rounds"),
    (["fast"], "unrecognized arguments: fast"),
    (["--json", "/nowhere/x.json"], "/nowhere/x.json cannot be written"),
])
def test_impossible_requests_get_one_line(arguments, message):
    done = run(*arguments)
    assert done.returncode == 1
    assert message in done.stderr and done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_the_suite():
    names = [case.name for case in peers.suite(quick=False)]
    assert len(names) == len(set(names)) == 22
    assert all(peers.case(name).name == name for name in names)
    quick = peers.suite(quick=True)
    assert max(case.t for case in quick if isinstance(case, peers.Case)) == 1024
    assert [case.name for case in quick if isinstance(case, peers.Decode)] == [
        "decode-f32-4096x128", "decode-f16-4096x128", "decode-bf16-4096x128"]


def test_useful_work():
    assert peers.case("full-128x64").flop == 4 * 64 * 128 * 128 * 8
    assert peers.case("causal-128x64").flop == 4 * 64 * (128 * 129 // 2) * 8
    assert peers.case("decode-f32-100x64").bytes == 2 * peers.case("decode-bf16-100x64").bytes == 2 * 8 * 100 * 64 * 4


def row(name, ms, case="causal-128x64", right=True):
    return {"case": case, "name": name, "ms": ms, "gflops": 1 / ms, "error": 1e-7 if right else None, "right": right,
            "note": ""}


def test_a_ratio_is_how_many_times_as_fast_attn_h_is():
    rows = peers.add_ratios([row(peers.ATTN, 2.0), row("slow", 5.0), row("fast", 1.0)])
    assert [r["ratio"] for r in rows] == [1.0, 2.5, 0.5]


def test_the_summary_names_the_best_right_peer_of_each_case():
    rows = peers.add_ratios([row(peers.ATTN, 2.0), row("slow", 5.0), row("fast", 4.0), row("wrong", 0.1, right=False)])
    rows += peers.add_ratios([row(peers.ATTN, 2.0, "full-128x64"), row("slow", 1.0, "full-128x64")])
    rows += peers.add_ratios([row(peers.ATTN, 2.0, "full-512x64")])
    first, second, third, last = peers.summary(rows)
    assert first.split() == ["causal-128x64", "2.00", "fast"]
    assert second.split() == ["full-128x64", "0.50", "slow"]
    assert third.split() == ["full-512x64", "no", "peer"]
    assert last == "attn.h is faster than every peer in 1 of 2 cases."


def test_a_wrong_result_is_printed_as_such():
    [right, wrong] = peers.add_ratios([row(peers.ATTN, 2.0), row("peer", 1.0, right=False)])
    assert "WRONG" not in peers.describe(right) and "WRONG RESULT, error nan" in peers.describe(wrong)


@pytest.mark.parametrize("causal", [True, False])
def test_the_reference_is_that_of_the_example(causal):
    case = peers.Case(causal, 20, 8)
    rows = peers.checked_rows(case)
    q, [(k, v)] = peers.inputs_of(case)
    want = contestants.attn_numpy.reference(q, k, v, causal)[:, :, rows]
    assert np.abs(peers.reference(q, k, v, causal, rows) - want).max() < 1e-12


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_the_references_of_a_decode_are_those_of_the_example(monkeypatch, dtype):
    case = peers.Decode(dtype, 20, 8)
    monkeypatch.setattr(peers, "COLD_BYTES", 3 * case.bytes)
    q, caches = peers.inputs_of(case)
    want = peers.references(case, q, caches)
    assert sorted(want) == [0, 2]
    for i in want:
        assert np.abs(want[i] - contestants.attn_numpy.reference(q, *caches[i], False)).max() < 1e-12


def test_the_caches_of_a_decode_are_as_large_as_they_have_to_be_and_differ(monkeypatch):
    monkeypatch.setattr(peers, "PATTERN", 101)
    case = peers.Decode("bf16", 20, 8)
    monkeypatch.setattr(peers, "COLD_BYTES", 5 * case.bytes - 1)
    q, caches = peers.inputs_of(case)
    assert q.shape == (1, 32, 1, 8) and q.dtype == np.float32
    assert len(caches) == 5 and all(x.shape == (1, 8, 20, 8) and x.flags.c_contiguous for kv in caches for x in kv)
    assert len({x.tobytes() for kv in caches for x in kv}) == 10
    assert caches[0][0].ctypes.data % 64 == 0
    assert caches[-1][1].ctypes.data - caches[0][0].ctypes.data == 9 * case.bytes // 2


def test_bf16_and_back():
    x = np.array([1.0, -2.5, 3.1415927, 0.0], np.float32)
    narrow = contestants.narrow(x, contestants.BF16)
    assert contestants.widen(narrow).tolist() == [1.0, -2.5, 3.140625, 0.0]


def test_a_rounded_output_has_a_tolerance_of_its_size():
    want = {0: np.array([0.5, -0.25]), 3: np.array([0.125])}
    case = peers.Decode("f16", 20, 8)
    assert peers.tolerance(case, "peer", want) == 2**-10
    assert peers.tolerance(case, peers.ATTN, want) == 1e-5
    assert peers.tolerance(peers.Decode("f32", 20, 8), "peer", want) == 1e-5


def test_no_contestant_finds_a_cache_that_another_has_just_read(monkeypatch):
    monkeypatch.setattr(peers, "PASS_SECONDS", 1e-6)
    order = []
    ready = {name: contestants.Prepared([lambda i=i: order.append(i) for i in range(5)], None) for name in "abc"}
    peers.measure(ready, 1, 1, caches=5)
    assert order == [i % 5 for i in range(len(order))] and len(order) >= 9


def test_each_checked_cache_counts():
    outputs = {0: 1.0, 3: 2.0}
    last = [None]

    def call(i):
        last[0] = outputs[i]

    prepared = contestants.Prepared([partial(call, i) for i in range(4)], lambda: np.full((1, 1, 1, 1), last[0]))
    want = {0: np.full((1, 1, 1, 1), 1.0), 3: np.full((1, 1, 1, 1), 1.5)}
    assert peers.error_of(prepared, want, [0]) == 0.5
    outputs[0] = np.nan
    assert np.isnan(peers.error_of(prepared, want, [0]))


def test_microsofts_layout_and_back():
    x = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    flat = contestants.flatten(x)
    assert flat.shape == (2, 4, 15) and flat[1, 2, 7] == x[1, 1, 2, 2]
    assert (contestants.unflatten(flat, 3) == x).all()


def without_peers(monkeypatch, folder):
    """No Python package, and no compiled library but what the folder has."""
    for name in ("torch", "onnx", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(contestants, "ROOT", folder)


def test_missing_peers_are_named_with_the_way_to_get_them(monkeypatch, tmp_path):
    without_peers(monkeypatch, tmp_path)
    case = peers.Case(True, 16, 8)
    ready, lines = peers.prepare(case, peers.inputs_of(case), 1)
    assert ready == {} and contestants.versions() == {}
    assert [line.split(":")[0] for line in lines] == list(contestants.CONTESTANTS)
    assert 'run "make bench-peers"' in lines[0]
    assert all('run "make deps-peers"' in line for line in lines[1:])


def test_without_the_library_the_run_ends_with_one_line(monkeypatch, tmp_path):
    without_peers(monkeypatch, tmp_path)
    with pytest.raises(SystemExit, match="attn.h: build/libattn.so is not built"):
        peers.run_case(peers.Case(True, 16, 8), 1, 1)


def test_attn_h_alone(monkeypatch, tmp_path, capsys):
    (tmp_path / "build").mkdir()
    without_peers(monkeypatch, tmp_path)
    subprocess.run([os.environ.get("CC", "cc"), "-O0", "-fPIC", "-shared", "-DATTN_IMPLEMENTATION", "-x", "c",
                    ROOT / "attn.h", "-o", tmp_path / "build/libattn.so", "-lm"], check=True)
    for causal in (True, False):
        [only], lines = peers.run_case(peers.Case(causal, 40, 24), 2, 1)
        assert only["name"] == peers.ATTN and only["right"] and only["ratio"] == 1
        assert only["gflops"] == pytest.approx(peers.Case(causal, 40, 24).flop / only["ms"] * 1e-6)
    monkeypatch.setattr(peers, "COLD_BYTES", 1 << 20)
    cases = [peers.Decode(dtype, 75, 40) for dtype in ("f32", "f16", "bf16")]
    for case, only in zip(cases, peers.run_cases(cases, 2, 1)):
        assert only["case"] == case.name and only["right"] and only["heads"] == 32 and only["heads_kv"] == 8
        assert only["gbps"] == pytest.approx(case.bytes / only["ms"] * 1e-6) and "gflops" not in only
    assert capsys.readouterr().out.count("GB/s") == 3


def test_make_says_what_is_missing(tmp_path):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    outer = ("MAKEFLAGS", "MFLAGS")  # --keep-going would build the libraries nevertheless
    done = subprocess.run(["make", "-C", ROOT, "bench-peers", f"PEERS_VENV={tmp_path}"], capture_output=True, text=True,
                          env={key: value for key, value in os.environ.items() if key not in outer})
    assert done.returncode != 0 and f'{tmp_path} is missing: run "make deps-peers"' in done.stderr


def test_attn_h_being_wrong_fails_the_run(monkeypatch, tmp_path, capsys):
    broken = np.zeros((1, 8, 40, 24), np.float32)
    prepared = contestants.Prepared([lambda: None], lambda: broken)
    monkeypatch.setattr(contestants, "CONTESTANTS", {peers.ATTN: lambda *_: prepared})
    monkeypatch.setattr(peers, "start_fairly", lambda: None)
    monkeypatch.setattr(sys, "argv", ["peers.py", "--cases", "causal-40x24", "--rounds", "1",
                                      "--json", str(tmp_path / "x.json")])
    with pytest.raises(SystemExit, match="attn.h: wrong result"):
        peers.main()
    assert "WRONG RESULT, error" in capsys.readouterr().out
    [only] = json.loads((tmp_path / "x.json").read_text())["results"]
    assert only["right"] is False and only["error"] > 1e-3
