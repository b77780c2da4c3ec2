"""Every function of the compiled library keeps to the instructions that its gate asks the CPU for. The
assembler is the judge: it is given back what each function was disassembled to, and told of those CPU
features alone."""

import re
import shutil
import subprocess
import sys
from collections import defaultdict

import pytest
from toolchain import CROSS, ROOT, must

sys.path.insert(0, str(ROOT / "gen"))
import spec  # noqa: E402

BASE = {"X86": "generic64", "ARM64": "armv8-a"}  # of which NEON is a part
# What ATTNI_CPU_ bits are called by the assembler, where it is not the same in lower case. AVX stands for SSE4.2
# too, which all CPUs with it have, but not for POPCNT.
FEATURES = {"NEON": "simd", "AVX512BF16": "avx512_bf16"}
WITHOUT = {"X86": [".arch .nopopcnt"], "ARM64": []}
DETECTOR = "xgetbv"  # behind the bit that says that it is there


def arch_of(compiler):
    return "ARM64" if compiler.name == CROSS else "X86"


def tool(compiler, name):
    command = f"aarch64-linux-gnu-{name}" if compiler.name == CROSS else name
    if shutil.which(command) is None:
        pytest.skip(f"{command} is not installed")
    return command


def gates(arch):
    """[(pattern of functions, what they may use)], the first that matches counts; others: nothing."""
    found = []
    for isa in map(spec.load_isa, spec.ISAS):
        if isa.arch == arch and isa.bf16:
            found.append((rf"attni_{isa.name}_prefill_([qp][kv]_)?bf16_", isa.cpu + isa.bf16.cpu))
        if isa.arch == arch:
            found.append((rf"attni_{isa.name}_", isa.cpu))
    return found


def gate_of(function, arch):
    return next((cpu for pattern, cpu in gates(arch) if re.match(pattern, function)), ())


def source_of(encoded, text):
    """A line of disassembly as one of assembly: jumps that lead nowhere, padding once. The encoding of
    AVX-512 is asked for where it was used: an assembler left to itself prefers the older one."""
    text = re.sub(r"\s+(# |// |<).*", "", text)
    text = re.sub(r"^(j\w+|call|b|bl|b\.\w+|cbn?z .*,|tbn?z .*,|adrp? .*,)\s+[0-9a-f]+$", r"\1 .",
                  re.sub(r"\s+", " ", text))
    text = re.sub(r"^(data16 )*(cs )?nop", "nop", text)
    text = text.replace("{evex} ", "")
    return f"{{evex}} {text}" if encoded.startswith("62 ") else text


def functions_of(compiler, unit):
    """{function: its instructions, each once}"""
    listing = subprocess.run([tool(compiler, "objdump"), "-d", "--insn-width=16", unit], text=True,
                             capture_output=True, check=True).stdout
    functions, current = {}, None
    for line in listing.splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            current = functions.setdefault(head[1], {})
            continue
        found = re.match(r"\s+[0-9a-f]+:\t([0-9a-f ]+)\t(.*)", line)
        if found:
            current[source_of(*found.groups())] = True
    return functions


def refused(compiler, features, instructions):
    """Those that the assembler does not take, for whatever reason."""
    arch = arch_of(compiler)
    directive = ".arch_extension " if arch == "ARM64" else ".arch ."
    lines = [f".arch {BASE[arch]}", *(directive + name for name in features), *WITHOUT[arch], *instructions]
    done = subprocess.run([tool(compiler, "as"), "-o", "/dev/null", "-"], input="\n".join(lines) + "\n",
                          text=True, capture_output=True)
    numbers = [int(number) for number in re.findall(r"^{standard input}:(\d+):", done.stderr, re.MULTILINE)]
    assert bool(numbers) == (done.returncode != 0), done.stderr
    return {lines[number - 1] for number in numbers}


def faults(compiler, functions):
    """{function: instructions that its gate does not ask for}"""
    arch, by_gate, found = arch_of(compiler), defaultdict(list), {}
    for name in functions:
        by_gate[gate_of(name, arch)].append(name)
    for cpu, names in by_gate.items():
        features = [FEATURES.get(bit, bit.lower()) for bit in cpu]
        every = {text: True for name in names for text in functions[name] if text != DETECTOR}
        wrong = refused(compiler, features, every)
        found.update({name: sorted(wrong & set(functions[name])) for name in names
                      if wrong & set(functions[name])})
    return found


def check(compiler, unit):
    functions = functions_of(compiler, unit)
    assert {gate_of(name, arch_of(compiler)) for name in functions} == {
        (), *(cpu for _, cpu in gates(arch_of(compiler)))}
    assert faults(compiler, functions) == {}


def test_instructions_at_o2(compiler, builder):
    """In the object that test_whole_header makes."""
    check(compiler, builder.unit("c99", ["-O2"], "one.c", "whole"))


def test_instructions_at_o3(compiler, builder):
    check(compiler, builder.unit("c99", ["-O3"], "one.c"))


# For each gate an instruction that it allows, then some that it does not.
PLANTED = {
    "X86": {
        "attn_planted": ("addps %xmm0,%xmm1", "vaddps %xmm0,%xmm1,%xmm2", "popcnt %eax,%ecx"),
        "attni_scalar_planted": ("addss %xmm0,%xmm1", "pmulld %xmm0,%xmm1"),
        "attni_avx2_planted": ("vfmadd231ps %ymm0,%ymm1,%ymm2", "pext %eax,%ecx,%edx",
                               "{evex} vaddps %zmm0,%zmm1,%zmm2", "{evex} vaddps %ymm0,%ymm1,%ymm2"),
        "attni_avx512_planted": ("{evex} vaddps %zmm0,%zmm1,%zmm2", "{evex} vandps %zmm0,%zmm1,%zmm2",
                                 "{evex} vpaddw %zmm0,%zmm1,%zmm2", "{evex} vaddps %ymm0,%ymm1,%ymm16",
                                 "vcvtph2ps %xmm0,%ymm1"),
        "attni_avx512_decode_qk_bf16_planted": ("{evex} vcvtph2ps %ymm0,%zmm1",
                                                "{evex} vdpbf16ps %zmm0,%zmm1,%zmm2"),
        "attni_avx512_prefill_qk_bf16_planted": ("{evex} vdpbf16ps %zmm0,%zmm1,%zmm2",
                                                 "{evex} vpdpbusd %zmm0,%zmm1,%zmm2"),
        "attni_avx512_prefill_bf16_planted": ("{evex} vpermw %zmm0,%zmm1,%zmm2",
                                              "{evex} vpermb %zmm0,%zmm1,%zmm2"),
    },
    "ARM64": {
        "attn_planted": ("fmla v0.4s, v1.4s, v2.4s", "ldadd w0, w1, [x2]"),
        "attni_neon_planted": ("fmla v0.4s, v1.4s, v2.4s", "bfdot v0.4s, v1.8h, v2.8h"),
        "attni_neon_decode_qk_bf16_planted": ("fcvtl v0.4s, v1.4h", "bfdot v0.4s, v1.8h, v2.8h"),
        "attni_neon_prefill_bf16_planted": ("bfdot v0.4s, v1.8h, v2.8h", "sdot v0.4s, v1.16b, v2.16b"),
    },
}


def test_planted_instructions_are_found(compiler, folder):
    """In functions with names like those of the library."""
    planted = PLANTED[arch_of(compiler)]
    lines = [".arch armv8.2-a+bf16+dotprod"] if compiler.name == CROSS else []
    for name, instructions in planted.items():
        lines += [f".type {name}, @function", f"{name}:", *instructions]
    source, unit = folder / "planted_instructions.s", folder / "planted_instructions.o"
    source.write_text("\n".join(lines) + "\n")
    must([tool(compiler, "as"), source, "-o", unit])
    assert faults(compiler, functions_of(compiler, unit)) == {
        name: sorted(wrong) for name, (_, *wrong) in planted.items()}
