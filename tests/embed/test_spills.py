"""The products keep all their accumulators in registers, as each compiler makes them."""

import re
import shutil
import sys

import pytest
from toolchain import CROSS, HERE, ROOT, compile_unit, must

sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "gen")]
import hotloops  # noqa: E402
import spec  # noqa: E402

KERNELS = {("qk", "f32"): len(spec.HEAD_SIZES) + 1}  # of prefill: each head size and any; of the others any alone
VECTOR = re.compile(r"%[xyz]mm\d|\bq\d")

TYPES = 4
# What four rows take at once and one row does, in vectors: each a loop of its own. And the least
# accumulators of the two largest: QK reads no more than four keys at a time.
DECODE_LOOPS = {"qk": 2, "pv": 2 + 4}
DECODE_ACCUMULATORS = {"qk": (4, 8), "pv": (8, 8)}


def kernels(compiler, unit):
    """The disassembly of an object's kernels but the scalar ones."""
    objdump = "aarch64-linux-gnu-objdump" if compiler.name == CROSS else "objdump"
    if shutil.which(objdump) is None:
        pytest.skip(f"{objdump} is not installed")
    functions = hotloops.disassemble(unit, objdump)
    return {name: code for name, code in functions.items() if "_scalar_" not in name}


def loops_of(name, instructions):
    """Of the decode family, those on whole vectors. A part of a vector is loaded from the stack by
    memcpy, and across a call no vector stays in a register: a loop that calls is one of those. Loops
    that call cannot hide a spill from the test, which counts the loops that do not."""
    loops = hotloops.hot_loops(instructions)
    return loops if "_prefill_" in name else [loop for loop in loops if not loop.calls]


def scalars_allowed(kernel):
    """Accesses to the stack per loop that are no vectors: a loop bound, where the trip count is known at
    run time only, and for clang-14 the step of the loop around it too. Of AVX-512, in QK of f32 pointers to four
    queries, four keys and the rows ahead, more than x86 has registers; Clang 14 places PV's loop over keys behind
    the one over features that holds it, which then looks like an innermost one."""
    if kernel["family"] == "prefill":
        return 2 if kernel["size"] == "any" else 0
    if kernel["isa"] != "avx512":
        return 1
    return 24 if kernel["product"] == "pv" else 6


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
    return ["neon"] if compiler.name == CROSS else ["avx2", "avx512"]


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
        assert len(loops) >= DECODE_LOOPS[product], (isa, product, found)
        for most, least in zip(sorted(loops)[-2:], DECODE_ACCUMULATORS[product]):
            assert most >= least, (isa, product, found)


def test_no_hot_loop_spills(compiler, builder):
    """In the object that test_whole_header makes."""
    functions = kernels(compiler, builder.unit("c99", ["-O2"], "one.c", "whole"))
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


def test_a_planted_spill_is_found(compiler, folder, tmp_path):
    """In a header with one instruction set and the kernels of one head size."""
    isa = isas_of(compiler)[0]
    vector = "float32x4_t" if isa == "neon" else "__m256"
    must([sys.executable, "-B", ROOT / "gen" / "generate.py", "--head-sizes", 64, "--isa", isa,
          "--out", tmp_path / "attn.h"])
    header = (tmp_path / "attn.h").read_text()
    for kernel, accumulator in PLANTED.items():
        header = plant(header, f"attni_{isa}_{kernel}", accumulator, vector)
    (tmp_path / "attn.h").write_text(header)
    unit = compile_unit(compiler, "c99", ["-O2"], HERE / "impl.c", tmp_path / "attn.o", tmp_path)
    names = {re.sub(r"(_r\d+)?(\.\w+)*$", "", name) for name in faults(kernels(compiler, unit))}
    assert names == {f"attni_{isa}_{re.sub('_r[0-9]+$', '', kernel)}" for kernel in PLANTED}
