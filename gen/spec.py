"""What is generated: instruction sets, head sizes, and the shapes of tiles.

To add a head size, add it to HEAD_SIZES. To add an instruction set, write gen/isa/NAME.py and add NAME
to ISAS. Then `make gen`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

HEAD_SIZES = [32, 64, 80, 96, 128, 192, 256]
MAX_HEAD_SIZE = 1024  # ATTN_MAX_HEAD_SIZE of core/api.h

ISAS = ["scalar", "avx2", "avx512", "neon"]
ALWAYS = ["scalar"]

FAMILIES = ["prefill", "decode"]
TYPES = {"f32": "float", "f16": "uint16_t", "bf16": "uint16_t", "i8": "int8_t"}  # attn_type: its C type
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1}
LINE_BYTES = 64  # of a cache: ATTNI_ALIGNMENT of core/platform.h
LINE_FLOATS = LINE_BYTES // BYTES["f32"]
NARROW = 128  # features of k and v together: head size 64
MAX_BLOCK = 16  # query tiles of a task, at most 32: they are bits of a word
TOGETHER = (4, 1)  # rows that take a key together in decode: attni_rows_together of core/kernel.h

# 2^r = 1 + r * (c1 + r * (c2 + ...)) on [-1/2, 1/2]: minimax in units of the last place, the constant
# held at 1, the coefficients then searched as floats. See docs/numerics.md.
EXP2 = ["1.0f", "0.693146825f", "0.240222275f", "0.055508893f", "0.009672096f", "0.0013225833f"]
# (2^r - 1) / r = c0 + r * (c1 + ...) on [-1/2, 1/2]: minimax in relative error, 1.3e-8 as floats. EXP2 would
# do for 2^r, but not for its distance from 1 at small r.
EXPM1 = ["0.6931472f", "0.24022649f", "0.055503674f", "0.009618308f", "0.001338739f", "0.00015383237f"]


@dataclass(frozen=True)
class Tile:
    """Shapes of an instruction set's tiles; see docs/design.md.

    A prefill tile is `vectors` vectors of query rows. qk[n] is how many keys a step takes while n
    vectors are in use, pv how many features: each product keeps keys or features times vectors
    accumulators in registers.
    """

    lanes: int
    vectors: int
    qk: dict
    pv: int
    tile_k: int  # prefill: keys per tile of wide heads, more than NARROW features of k and v together
    decode_keys: int  # decode: rows times keys of a QK step, a multiple of lanes
    decode_vectors: int  # decode: rows times vectors of features of a PV pass
    few_rows: int  # decode up to so many rows, prefill beyond: measured on AVX2 and AVX-512, by arithmetic elsewhere
    decode_rows: int = 16
    decode_tile_k: int = 256  # 512 gained nothing
    decode_chain: int = 64  # keys summed in one chain, from 0: longer ones lose accuracy
    decode_few: int = 4  # decode: most keys that QK reads together; memory is read in order
    decode_near: int = 8  # decode: PV's rows so many keys on come into the first-level cache
    chunk_keys: int = 512
    block_rows: int = 192  # prefill: most rows that share a key tile
    ask_every: int = 0  # prefill, f32: features of QK, keys of PV between asks for what comes next; 0: all
    tile_k_narrow: int = 0  # prefill: keys per tile of narrow heads; 0: as many

    @property
    def tile_q(self):
        return self.lanes * self.vectors

    @property
    def pad(self):
        """What extents are rounded up to, so that whole vectors and steps stay within scratch."""
        return max(8, self.lanes, self.decode_keys)

    def ask_every_of(self, element):
        """Products of bf16 have no registers left for it."""
        return self.ask_every if element == "f32" else 0

    def lanes_of(self, family):
        return self.lanes if family == "prefill" else 1

    def tile_q_of(self, family):
        return self.tile_q if family == "prefill" else self.decode_rows

    def block_of(self, family):
        return min(MAX_BLOCK, self.block_rows // self.tile_q) if family == "prefill" else 1

    @property
    def most_keys(self):
        """Keys of prefill's largest tile."""
        return max(self.tile_k, self.tile_k_narrow)

    def tile_k_of(self, family):
        """Keys per tile of narrow heads, and of wide ones."""
        return (self.most_keys, self.tile_k) if family == "prefill" else (self.decode_tile_k,) * 2

    def decode_blocks(self, rows):
        """Vectors of features per pass, largest first."""
        return [n for n in (8, 4, 2, 1) if n <= self.decode_vectors // rows]


# By lanes and registers: what fits one instruction set fits another with the same.
TILES = {
    (1, 16): Tile(lanes=1, vectors=4, qk={4: 2, 3: 2, 2: 4, 1: 4}, pv=2, tile_k=64,
                  decode_keys=4, decode_vectors=4, few_rows=1),
    (4, 16): Tile(lanes=4, vectors=3, qk={3: 4, 2: 4, 1: 8}, pv=4, tile_k=96,
                  decode_keys=8, decode_vectors=8, few_rows=6),
    (4, 32): Tile(lanes=4, vectors=3, qk={3: 8, 2: 8, 1: 8}, pv=8, tile_k=96,
                  decode_keys=8, decode_vectors=8, few_rows=6),
    (8, 16): Tile(lanes=8, vectors=3, qk={3: 4, 2: 4, 1: 8}, pv=4, tile_k=96,
                  tile_k_narrow=128, decode_keys=8, decode_vectors=8, few_rows=12),
    (16, 32): Tile(lanes=16, vectors=3, qk={3: 8, 2: 8, 1: 8}, pv=8, tile_k=128,
                   ask_every=32, decode_keys=16, decode_vectors=16, few_rows=16),
}


def families_of(isa, element, size):
    """The families whose products exist for this type and head size (0: any). Prefill converts other
    types when it packs a key tile, unless the instruction set multiplies them. Decode waits for memory: a
    literal trip count gains nothing."""
    multiplies = element == "f32" or (element == "bf16" and isa.bf16 is not None)
    return [family for family in FAMILIES
            if (family == "prefill" and multiplies) or (family == "decode" and size == 0)]


def products_of(size):
    """Those that a literal head size makes faster: QK's innermost loop runs over it, PV's over keys."""
    return ["qk"] if size else ["qk", "pv"]


def types_of(isa, family):
    """The types that a family's kernels multiply in. Decode's convert every type to f32 themselves."""
    return ["f32", "bf16"] if family == "prefill" and isa.bf16 is not None else ["f32"]


class SpecError(Exception):
    """A request that cannot be generated; the message is one line for the user."""


def load_isa(name):
    return importlib.import_module(f"isa.{name}").ISA


def tile_of(isa):
    tile = TILES.get((isa.lanes, isa.registers))
    if tile is None:
        raise SpecError(f"{isa.name}: no tile for {isa.lanes} lanes and {isa.registers} registers")
    check_tile(isa, tile)
    return tile


def check_tile(isa, tile):
    """Every step's accumulators and operands fit the registers; extents suit the kernels."""
    for vectors in range(1, tile.vectors + 1):
        for what, count in (("qk", tile.qk[vectors]), ("pv", tile.pv)):
            used = count * vectors + vectors + 1
            if used > isa.registers:
                raise SpecError(f"{isa.name}: a {what} step of {count} x {vectors} needs {used} "
                                f"registers of {isa.registers}")
            if count > tile.pad:
                raise SpecError(f"{isa.name}: a {what} step of {count} exceeds the padding {tile.pad}")
    for rows in TOGETHER:
        keys, vectors = tile.decode_keys // rows, tile.decode_vectors // rows
        operands = max(rows, vectors if rows > 1 else 1) + 1
        if not keys or not vectors or max(keys, vectors) * rows + operands > isa.registers:
            raise SpecError(f"{isa.name}: decode steps of {rows} rows by {keys} keys or {vectors} vectors do "
                            f"not fit {isa.registers} registers")
    for name, value, multiple in (("pad", tile.pad, tile.pv), ("pad", tile.pad, isa.lanes),
                                  ("a line of scratch", LINE_FLOATS, tile.pad),
                                  ("tile_k", tile.tile_k, 4), ("tile_k", tile.most_keys, 4),
                                  ("decode_keys", tile.decode_keys, isa.lanes),
                                  ("decode_tile_k", tile.decode_tile_k, tile.decode_keys),
                                  ("chunk_keys", tile.chunk_keys, tile.decode_tile_k)):
        if value <= 0 or value % multiple:
            raise SpecError(f"{isa.name}: {name} {value} is not a multiple of {multiple}")


def check_head_sizes(sizes):
    for size in sizes:
        if not 1 <= size <= MAX_HEAD_SIZE:
            raise SpecError(f"head size {size} is not from 1 to {MAX_HEAD_SIZE}")
    if len(set(sizes)) != len(sizes):
        raise SpecError("a head size is given twice")


def check_isas(names):
    if len(set(names)) != len(names):
        raise SpecError("an instruction set is given twice")
    for name in names:
        if name not in ISAS:
            raise SpecError(f"unknown instruction set '{name}' (known: {', '.join(ISAS)})")
