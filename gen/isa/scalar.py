from isa import Isa

# Plain C: a vector of one lane. fma is one instruction where the compiler may use one, and a product and a
# sum elsewhere. The fence keeps GCC 12 from vectorising a product's loop: it reads a
# row too many of V (seen under a guard page; its SLP pass loads the next iteration's row).
ISA = Isa(
    name="scalar",
    number=1,
    rank=0,
    arch=None,
    cpu=(),
    target=None,
    lanes=1,
    registers=16,
    vec="float",
    ivec="int32_t",
    ops={
        "zero": "0.0f",
        "set1_bits": "attni_float({a})",
        "set1": "({a})",
        "settle": "ATTNI_FENCE()",
        "fence": "ATTNI_FENCE()",
        "load": "*({a})",
        "loadu": "*({a})",
        "load_f16": "attni_from_f16(*({a}))",
        "load_bf16": "attni_from_bf16(*({a}))",
        "load_i8": "(float)*({a})",
        "bcast": "*({a})",
        "store": "*({a}) = {b}",
        "storeu": "*({a}) = {b}",
        "add": "({a}) + ({b})",
        "sub": "({a}) - ({b})",
        "mul": "({a}) * ({b})",
        "fma": "ATTNI_FMA({a}, {b}, {c})",
        "max": "(({a}) > ({b}) ? ({a}) : ({b}))",
        "where_allowed": "(*({a}) > ({b}) ? ({c}) : ({d}))",
        "where_bits": "(attni_bits({a}) == ({b}) ? ({c}) : ({d}))",
        "abs": "attni_float(attni_bits({a}) & 0x7fffffffu)",
        "exp2": "attni_exp2({a})",
        "softcap": "attni_softcap({a}, {b}, {c})",
        "izero": "0",
        "istore": "*({a}) = {b}",
        "max_bits": "attni_max_bits({a}, {b})",
        "max_magnitude": "attni_max_magnitude({a}, {b})",
    },
    helpers="""\
static ATTNI_FORCE_INLINE int32_t attni_max_bits(int32_t a, float b) {
  return (uint32_t)a > attni_bits(b) ? a : (int32_t)attni_bits(b);
}

static ATTNI_FORCE_INLINE int32_t attni_max_magnitude(int32_t a, float b) {
  const int32_t magnitude = (int32_t)(attni_bits(b) & 0x7fffffffu);
  return a > magnitude ? a : magnitude;
}
""",
)
