"""The hot loops of the emitted kernels, as the compiler made them: found in the disassembly of an object
file, for counting instructions and for llvm-mca."""

import re
import subprocess
from dataclasses import dataclass

# Every kernel whose speed is its innermost loop: attni_avx2_prefill_qk_f32_d64 and the like. Those of the
# decode family for four rows and for one, ..._r4 and ..._r1, may be inlined into what chooses one.
KERNEL = re.compile(r"attni_(?P<isa>[a-z0-9]+)_(?P<family>prefill|decode)_(?P<product>qk|pv)_"
                    r"(?P<type>f32|f16|bf16|i8)_(?P<size>d\d+|any)(?P<rows>_r\d+)?(\.\w+)*$")
NO_ACCESS = re.compile(r"lea|nop|prefetch|prfm")
MULTIPLY_ADD = re.compile(r"v?fn?m(add|la|ls)|vdpbf16ps|bfdot")
CALL = re.compile(r"callq?$|blr?$")
JUMP = re.compile(r"(j[a-z]+|b|b\.[a-z]+|cbn?z|tbn?z)$")
ALWAYS_JUMPS = ("jmp", "b")


@dataclass(frozen=True)
class Instruction:
    address: int
    name: str
    operands: str

    @property
    def text(self):
        return f"{self.name} {self.operands}".strip()

    @property
    def is_jump(self):
        return bool(JUMP.match(self.name))

    @property
    def target(self):
        """Where a conditional jump goes, else None."""
        if not self.is_jump or self.name in ALWAYS_JUMPS:
            return None
        found = re.search(r"(?:^|,\s*)(?:0x)?([0-9a-f]+)( <.*>)?$", self.operands)
        return int(found[1], 16) if found else None

    @property
    def is_multiply_add(self):
        return bool(MULTIPLY_ADD.match(self.name))


@dataclass(frozen=True)
class Loop:
    body: tuple
    frame: str  # registers that point into the stack frame, as a pattern

    @property
    def multiply_adds(self):
        return sum(i.is_multiply_add for i in self.body)

    @property
    def calls(self):
        return any(CALL.match(i.name) for i in self.body)

    @property
    def accumulators(self):
        """Registers that are added to: the last operand of x86, the first one of AArch64."""
        return len({re.search(r"%[xyz]mm\d+$|^[vs]\d+", i.operands)[0] for i in self.body
                    if i.is_multiply_add})

    @property
    def memory_accesses(self):
        """Those of the data: not of the stack, so that a loop that spills does not seem a lesser one. Brackets
        of AArch64 with a number in them are lanes."""
        memory = [i for i in self.body if re.search(r"\(|\[[xsw]", i.operands) and not NO_ACCESS.match(i.name)]
        return len(memory) - len(self.stack_accesses)

    @property
    def stack_accesses(self):
        return [i.text for i in self.body if re.search(self.frame, i.operands)]


def disassemble(path, objdump="objdump"):
    """{function: [Instruction]} of an object file's kernels."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], capture_output=True, text=True,
                          check=True).stdout
    functions, current = {}, None
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            current = functions.setdefault(head[1], []) if KERNEL.match(head[1]) else None
            continue
        found = re.match(r"\s+([0-9a-f]+):\s+(\S+)\s*(.*?)(?:\s+# .*|\s+// .*)?$", line)
        if found and current is not None:
            current.append(Instruction(int(found[1], 16), found[2], found[3]))
    return functions


def frame_of(instructions):
    """x86: rbp belongs to the frame only where it was made its pointer, and nothing else."""
    written = {i.text.replace(" ", "") for i in instructions if i.operands.endswith("%rbp") and
               i.name.startswith(("mov", "lea", "add", "sub", "xor", "imul"))}
    if written == {"mov%rsp,%rbp"}:
        return r"\(%r[sb]p|\(,%r[sb]p"
    return r"\(%rsp|\[sp|\[x29"


def innermost(instructions):
    """The loops that hold no other loop. They end with a condition: compilers jump back without one to a
    block that they have put aside."""
    at = {i.address: n for n, i in enumerate(instructions)}
    targets = [(i.target, n) for n, i in enumerate(instructions) if i.is_jump]
    spans = {(at[target], n) for target, n in targets if target in at and at[target] <= n}
    # By their ends, the shorter first: a loop holds an earlier one if and only if the latest beginning so
    # far is not before its own.
    inner, latest = [], -1
    for first, last in sorted(spans, key=lambda span: (span[1], -span[0])):
        if first > latest:
            inner.append((first, last))
            latest = first
    frame = frame_of(instructions)
    return [Loop(tuple(instructions[first:last + 1]), frame) for first, last in inner]


def hot_loops(instructions):
    """Innermost loops that multiply and add, the one with the most multiply-adds per instruction that
    accesses memory first: that with all vectors of a tile in use."""
    return sorted((loop for loop in innermost(instructions) if loop.multiply_adds),
                  key=lambda loop: -loop.multiply_adds / max(1, loop.memory_accesses))


def compile_header(command, header_folder, out):
    """Compile attn.h's implementation; command: compiler and flags."""
    source = '#define ATTN_IMPLEMENTATION\n#include <attn.h>\n'
    subprocess.run([*command, "-I", str(header_folder), "-x", "c", "-", "-c", "-o", str(out)], input=source,
                   text=True, check=True)
