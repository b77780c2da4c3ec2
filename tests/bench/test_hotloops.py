"""The prefill products keep all their accumulators in registers, as each compiler makes them; and the
prediction for other processors reads the loops that it means to."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import hotloops  # noqa: E402
import predict  # noqa: E402

COMPILERS = {"gcc-11": "objdump", "gcc-12": "objdump", "clang-14": "objdump", "clang-19": "objdump",
             "aarch64-linux-gnu-gcc": "aarch64-linux-gnu-objdump"}
SIZES = {"f32": 8, "bf16": 1}  # seven head sizes and any; any
VECTOR = re.compile(r"%[xyz]mm\d|\bq\d")


def compiled(compiler, folder, out):
    for tool in (compiler, COMPILERS[compiler]):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    hotloops.compile_header([compiler, "-O2"], folder, out)
    return hotloops.disassemble(out, COMPILERS[compiler])


def faults(functions):
    """{prefill kernel: accesses to the stack in the loops that multiply and add}. A loop bound may lie
    there where the trip count is known at run time only."""
    found = {}
    for name, instructions in functions.items():
        kernel = hotloops.KERNEL.match(name)
        if kernel["family"] != "prefill" or kernel["isa"] == "scalar":
            continue
        for loop in hotloops.hot_loops(instructions):
            vectors = [text for text in loop.stack_accesses if VECTOR.search(text)]
            if vectors or len(loop.stack_accesses) > (kernel["size"] == "any"):
                found[name] = loop.stack_accesses
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_hot_loop_spills(compiler, tmp_path):
    functions = compiled(compiler, ROOT, tmp_path / "attn.o")
    kernels = [hotloops.KERNEL.match(name) for name in functions]
    isas = {"neon"} if compiler.startswith("aarch64") else {"avx2", "avx512"}
    for isa in isas:
        for product in ("qk", "pv"):
            for element in SIZES if isa != "avx2" else ["f32"]:
                assert sum(k["isa"] == isa and k["product"] == product and k["family"] == "prefill" and
                           k["type"] == element for k in kernels) == SIZES[element]
    for name, instructions in functions.items():
        if "_prefill_" in name and "_scalar_" not in name:
            # Three vectors in use, then two, then one: at least the first is a loop of its own.
            assert hotloops.hot_loops(instructions)[0].accumulators >= 12, name
    assert faults(functions) == {}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_planted_spill_is_found(compiler, tmp_path):
    isa, vector = ("neon", "float32x4_t") if compiler.startswith("aarch64") else ("avx2", "__m256")
    text = (ROOT / "attn.h").read_text()
    begin = text.index(f"static void attni_{isa}_prefill_qk_f32_d64(")
    line = re.compile(r"\n( +acc_k0_q0 = [^;]*;)")
    planted = line.search(text, begin)
    spill = f"\n{planted[1]} {{ volatile {vector} spilled = acc_k0_q0; acc_k0_q0 = spilled; }}"
    (tmp_path / "attn.h").write_text(text[:planted.start()] + spill + text[planted.end():])
    found = faults(compiled(compiler, tmp_path, tmp_path / "attn.o"))
    assert set(found) == {f"attni_{isa}_prefill_qk_f32_d64"}


def test_the_prediction_covers_every_core():
    if predict.find_mca() is None:
        pytest.skip("no llvm-mca 19 or newer")
    rows = [row for row in predict.predict(predict.find_mca(), {"d64", "any"})
            if re.search("f32 d64|bf16", row[2])]
    assert len(rows) == sum(2 * len(predict.compilers_of(core.isa)) * (1 + (core.bf16 > 0))
                            for core in predict.CORES)
    for core, compiler, kernel, rate, of_most in rows:
        assert 0.85 < of_most < 1.01, (core.name, compiler, kernel, rate)


def test_without_llvm_mca_it_says_so(tmp_path):
    done = subprocess.run([sys.executable, "-B", ROOT / "bench/predict.py"], capture_output=True,
                          text=True, env={"PATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr == "bench-predict: needs llvm-mca 19 or newer (Debian's package llvm-19)\n"
