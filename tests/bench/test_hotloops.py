"""The prediction for other processors reads the loops that it means to."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import predict  # noqa: E402


def test_the_prediction_covers_every_core(tmp_path):
    if predict.find_mca() is None:
        pytest.skip("no llvm-mca 19 or newer")
    subprocess.run([sys.executable, "-B", ROOT / "gen/generate.py", "--head-sizes", "64",
                    "--out", tmp_path / "attn.h"], check=True)
    rows = [row for row in predict.predict(predict.find_mca(), {"d64", "any"}, tmp_path)
            if re.search("qk f32 d64|pv f32|bf16", row[2])]
    assert len(rows) == sum(2 * len(predict.compilers_of(core.isa)) * (1 + (core.bf16 > 0))
                            for core in predict.CORES)
    for core, compiler, kernel, rate, of_most in rows:
        assert 0.85 < of_most < 1.01, (core.name, compiler, kernel, rate)


def test_without_llvm_mca_it_says_so(tmp_path):
    done = subprocess.run([sys.executable, "-B", ROOT / "bench/predict.py"], capture_output=True,
                          text=True, env={"PATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == "bench-predict: needs llvm-mca 19 or newer (Debian's package llvm-19)\n"
