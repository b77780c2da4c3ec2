"""The products keep all their accumulators in registers, as each compiler makes them; and the
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
KERNELS = {("qk", "f32"): 8}  # of prefill: seven head sizes and any; of the others any alone
VECTOR = re.compile(r"%[xyz]mm\d|\bq\d")


TYPES = 4
# What four rows take at once and one row does, in vectors: each a loop of its own.
DECODE_LOOPS = {"qk": 2, "pv": 2 + 4}


@pytest.fixture(scope="module")
def header(tmp_path_factory):
    """attn.h with the kernels for one head size, for spills to be planted."""
    out = tmp_path_factory.mktemp("header") / "attn.h"
    subprocess.run([sys.executable, "-B", ROOT / "gen/generate.py", "--head-sizes", "64", "--out", out],
                   check=True)
    return out.read_text()


def compiled(compiler, folder, out):
    for tool in (compiler, COMPILERS[compiler]):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    hotloops.compile_header([compiler, "-O2"], folder, out)
    functions = hotloops.disassemble(out, COMPILERS[compiler])
    return {name: code for name, code in functions.items() if "_scalar_" not in name}


def loops_of(name, instructions):
    """Of the decode family, those on whole vectors. A part of a vector is loaded from the stack by
    memcpy, and across a call no vector stays in a register: a loop that calls is one of those. Loops
    that call cannot hide a spill from the test, which counts the loops that do not."""
    loops = hotloops.hot_loops(instructions)
    return loops if "_prefill_" in name else [loop for loop in loops if not loop.calls]


def scalars_allowed(kernel):
    """Accesses to the stack per loop that are no vectors: a loop bound, where the trip count is known at
    run time only, and for clang-14 the step of the loop around it too; pointers to 16 keys, which with the bound and the index are more than x86 has
    registers. Clang places the loop over keys behind the one over features that holds it, which then
    looks like an innermost one."""
    if kernel["family"] == "prefill":
        return 2 if kernel["size"] == "any" else 0
    if kernel["isa"] != "avx512":
        return 1
    return 6 if kernel["product"] == "qk" else 16


def faults(functions):
    """{kernel: accesses to the stack in the loops that multiply and add}"""
    found = {}
    for name, instructions in functions.items():
        kernel = hotloops.KERNEL.match(name)
        for loop in loops_of(name, instructions):
            vectors = [text for text in loop.stack_accesses if VECTOR.search(text)]
            if vectors or len(loop.stack_accesses) > scalars_allowed(kernel):
                found[name] = loop.stack_accesses
    return found


def isas_of(compiler):
    return {"neon"} if compiler.startswith("aarch64") else {"avx2", "avx512"}


def check_prefill(isa, product, functions):
    """Three vectors in use, then two, then one: at least the first is a loop of its own."""
    for element in ("f32", "bf16") if isa != "avx2" else ["f32"]:
        names = [name for name in functions if f"attni_{isa}_prefill_{product}_{element}_" in name]
        assert len(names) == KERNELS.get((product, element), 1)
        for name in names:
            assert hotloops.hot_loops(functions[name])[0].accumulators >= 12, name


def check_decode(isa, product, functions):
    found = {}
    for name, instructions in functions.items():
        kernel = hotloops.KERNEL.match(name)
        if (kernel["isa"], kernel["family"], kernel["product"]) == (isa, "decode", product):
            loops = found.setdefault(kernel["type"], [])
            loops += [loop.accumulators for loop in loops_of(name, instructions)]
    assert len(found) == TYPES
    for loops in found.values():
        assert len(loops) >= DECODE_LOOPS[product] and sorted(loops)[-2] >= 8, (isa, product, found)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_hot_loop_spills(compiler, tmp_path):
    functions = compiled(compiler, ROOT, tmp_path / "attn.o")
    for isa in isas_of(compiler):
        for product in ("qk", "pv"):
            check_prefill(isa, product, functions)
            check_decode(isa, product, functions)
    assert faults(functions) == {}


PLANTED = {"prefill_qk_f32_d64": r"acc_k0_q0", "decode_qk_f16_any_r4": r"acc_k0_q0",
           "decode_pv_i8_any_r1": r"acc_q0_f0"}


def plant(text, function, accumulator, vector):
    """A spill behind the accumulator's first multiply-add."""
    begin = re.search(rf"static void {function}\([^;]*{{", text).start()
    line = re.compile(rf"\n( +{accumulator} = [^;]*;)").search(text, begin)
    spill = (f"\n{line[1]} {{ volatile {vector} spilled = {accumulator}; "
             f"{accumulator} = spilled; }}")
    return text[:line.start()] + spill + text[line.end():]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_planted_spill_is_found(compiler, header, tmp_path):
    isa, vector = ("neon", "float32x4_t") if compiler.startswith("aarch64") else ("avx2", "__m256")
    for kernel, accumulator in PLANTED.items():
        header = plant(header, f"attni_{isa}_{kernel}", accumulator, vector)
    (tmp_path / "attn.h").write_text(header)
    found = faults(compiled(compiler, tmp_path, tmp_path / "attn.o"))
    names = {re.sub(r"(_r\d+)?(\.\w+)*$", "", name) for name in found}
    assert names == {f"attni_{isa}_{re.sub('_r[0-9]+$', '', kernel)}" for kernel in PLANTED}


def test_the_prediction_covers_every_core(header, tmp_path):
    if predict.find_mca() is None:
        pytest.skip("no llvm-mca 19 or newer")
    (tmp_path / "attn.h").write_text(header)
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
