"""The form of an instruction set's record.

A record says what the templates cannot know: the vector type, how many registers there are, what the
CPU must have, and how each operation is spelt. Templates write `{{ v.fma("a", "b", "c") }}`, which
expands to the intrinsic; an operation that a record does not spell stops the generation.
"""

from __future__ import annotations

from dataclasses import dataclass, field


class UnknownOperation(Exception):
    """A template asks for an operation that a record does not spell."""


@dataclass(frozen=True)
class Bf16:
    """Multiplies pairs of bf16 and adds both products to an f32: what that takes beyond the record."""

    cpu: tuple  # further ATTNI_CPU_ bits
    target: str  # of the target attribute, as a C expression
    pair: str  # type of a pair as load_pair gives it
    compilers: tuple  # the first major versions of GCC and of Clang
    ops: dict = field(repr=False)
    helpers: str = field(default="", repr=False)


@dataclass(frozen=True)
class Isa:
    name: str  # in symbols and file names: "avx2"
    number: int  # value in enum attn_isa; never reused
    rank: int  # the planner prefers higher ranks
    arch: str | None  # "X86", "ARM64" (macros of platform.h), or None for plain C
    cpu: tuple  # ATTNI_CPU_ bits that the kernels need
    target: str | None  # of the target attribute, as a C expression
    lanes: int  # f32 per vector
    registers: int  # vector registers
    vec: str  # type of a vector of f32
    ivec: str  # type of a vector of int32
    ops: dict = field(repr=False)  # spelling of each operation, str.format style
    helpers: str = field(default="", repr=False)  # C that some spellings call
    sleef: str | None = field(default=None, repr=False)  # name of SLEEF's exp2f for this vector
    bf16: Bf16 | None = field(default=None, repr=False)  # products of bf16 by instructions of their own

    def __getattr__(self, op):
        """An operation: a function from C expressions to a C expression."""
        if op.startswith("__"):
            raise AttributeError(op)
        if not self.has(op):
            raise UnknownOperation(f"instruction set '{self.name}' does not spell the operation '{op}'")
        spelling = self.ops[op] if op in self.ops else self.bf16.ops[op]
        return lambda *args: spelling.format(**dict(zip("abcd", args)))

    @property
    def upper(self):
        return self.name.upper()

    @property
    def attribute(self):
        """What precedes every function that uses this instruction set."""
        return f"ATTNI_TARGET_{self.upper}"

    def attribute_as(self, element):
        """What precedes a function whose products are of this type, as a line."""
        if element == "bf16":
            return f"{self.attribute}_BF16\n"
        return f"{self.attribute}\n" if self.target else ""

    def has(self, op):
        return op in self.ops or (self.bf16 is not None and op in self.bf16.ops)

    def multiply_add(self, element, a, b, c):
        """a * b + c in every lane, a from bcast_as; of bf16 both products of a pair."""
        return (self.dot2_pair if element == "bf16" else self.fma)(a, b, c)

    def bcast_type(self, element):
        return self.bf16.pair if element == "bf16" else self.vec

    def bcast_as(self, element, pointer):
        """Every lane the float at a pointer; or the pair of bf16, for multiply_add alone."""
        return (self.load_pair if element == "bf16" else self.bcast)(pointer)

    def load_as(self, element, pointer):
        """A vector of f32 from elements of a type; by a plain helper where the record has no instruction."""
        op = "loadu" if element == "f32" else f"load_{element}"
        return getattr(self, op)(pointer) if self.has(op) else f"attni_{self.name}_{op}({pointer})"

    def load_part_as(self, element, pointer, count):
        if element == "f32":
            return self.load_part(pointer, count)
        return f"attni_{self.name}_load_part_{element}({pointer}, {count})"

    def transpose(self, names, prefix):
        """Transpose the vectors `names` (as many as lanes): C statements, and the result's names."""
        lines = []
        for number, stage in enumerate(transpose_stages(self.lanes)):
            out = [f"{prefix}{number}_{i}" for i in range(len(stage))]
            for name, (op, i, j) in zip(out, stage):
                lines.append(f"const {self.vec} {name} = {getattr(self, op)(names[i], names[j])};")
            names = out
        return lines, names


    def sum_lanes(self, names, prefix):
        """Sum the lanes of each of the vectors `names` (as many as lanes): C statements, and the name of
        the vector of the sums, in fewer steps than a transpose and a sum of its vectors."""
        lines = []
        for low, high in (("lo32", "hi32"), ("lo64", "hi64"), ("lo128", "hi128"), ("lo128", "hi128")):
            if len(names) == 1:
                break
            pairs = list(zip(names[::2], names[1::2]))
            names = [f"{prefix}_{low[2:]}_{len(pairs)}_{i}" for i in range(len(pairs))]
            for name, (a, b) in zip(names, pairs):
                total = self.add(getattr(self, low)(a, b), getattr(self, high)(a, b))
                lines.append(f"const {self.vec} {name} = {total};")
        return lines, names[0]


def transpose_stages(lanes):
    """The steps of a square transpose: each gives row i of its result as (op, row, row).

    lo32/hi32 and lo64/hi64 interleave the low or high halves within each 128-bit part; lo128/hi128
    gather the even or odd parts of two vectors (parts 0 and 1 of AVX2's two).
    """
    if lanes == 1:
        return []
    pairs = range(0, lanes, 2)
    fours = range(0, lanes, 4)
    stages = [
        [(op, i, i + 1) for i in pairs for op in ("lo32", "hi32")],
        [(op, i + k, i + k + 2) for i in fours for k in (0, 1) for op in ("lo64", "hi64")],
    ]
    if lanes == 8:
        stages.append([(op, k, k + 4) for op in ("lo128", "hi128") for k in range(4)])
    if lanes == 16:
        stages.append([(op, k + h, k + h + 4) for op in ("lo128", "hi128") for h in (0, 8)
                       for k in range(4)])
        stages.append([(op, k + h, k + h + 4) for op in ("lo128", "hi128") for h in (0, 8)
                       for k in range(4)])
    return stages
