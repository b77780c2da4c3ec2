/* ------------------------------------------------- the contract of kernels -- */

/* A query tile holds up to tile_q rows. With grouped heads the rows of one K/V head are packed
 * query by query, row = query * group + head, so that the heads of a group share every K and V they
 * read. Rows fall into groups of `lanes` (the vector lanes of the prefill family; 1 in the decode
 * family). A tile with fewer rows fills its last groups: it starts at row0, the lanes behind its
 * last row repeat that row, and the groups before row0 are left alone.
 *
 * Arrays of a tile, f32 in scratch, 64-byte aligned:
 *              prefill                      decode
 *   qt         [head_size][tile_q]          [tile_q][head_size, up]
 *   st, bias   [tile_k + pad][tile_q]       [tile_q][tile_k + pad]
 *   ot         [head_size_v, up][tile_q]    [tile_q][head_size_v, up]
 *   row_max, m, l, factor, slope, position, start, limit, row_start, row_limit [tile_q]
 * up: rounded up to a multiple of pad.
 *
 * Products of bf16 (prefill) take two features or two keys at a time: qt is [head_size / 2][tile_q]
 * pairs of bf16, the one with the lower number in the lower half of 32 bits, and 0 behind an odd
 * last feature; the weights are [tile_k / 2][tile_q] pairs at the beginning of st. The scores are
 * f32, and so is all the rest.
 *
 * A score is one chain of FMAs over the features (decode: one per lane, then a fixed tree). Every
 * part of an output, of a key tile (prefill) or 64 keys (decode), is one chain over its keys. Both
 * ascend, in every kernel of a family: so a row's bits do not depend on its neighbours. Nor do they
 * depend on which keys without weight are passed over: a weight of 0 adds nothing. Of bf16 read one
 * addition of two products for an FMA; pairs begin at even keys, and so does key_begin. */

/* A key tile, as it lies in the cache or as it was packed. */
typedef struct attni_keys {
  int64_t key0; /* the first one's number in its batch entry */
  bool strided; /* whether they lie one stride apart; if not, they must be packed */
  /* f32 for prefill kernels, or bf16 for those that multiply it, and then k has a 0 behind an odd
   * last feature, and v is [keys / 2][feature][2], with 0 behind an odd last key. The tensors'
   * types for decode kernels. */
  const void *k, *v;
  int64_t k_stride, v_stride; /* elements from one key, or pair of keys of v, to the next */
  int32_t keys;               /* 1 to tile_k */
} attni_keys;

/* Rows that will be read or written soon. The addresses are only asked for, never read: they may be
 * anything. */
typedef struct attni_ahead {
  uintptr_t at, stride; /* in bytes */
  int64_t rows;
  size_t bytes; /* of a row */
} attni_ahead;

typedef struct attni_tile {
  int64_t row;    /* among the len_q * group rows of its K/V head, the tile's first */
  int32_t rows;   /* rows in the tile */
  int32_t row0;   /* where the first one stands, a multiple of lanes */
  int32_t group0; /* row0 / lanes */
  int32_t head_size, head_size_v;
  float scale; /* that of the scores, times log2(e) unless natural */

  float *stage;   /* rows of q or o on their way from or to another type than f32 */
  float *qt;      /* queries times scale; as they are for products of bf16 */
  float *st;      /* scores in units of log2, then weights */
  float *ot;      /* output, not yet divided by l */
  float *row_max; /* largest allowed score so far, this key tile included */
  float *m;      /* the same before this key tile; starts at -FLT_MAX, so that m - m is never NaN */
  float *l;      /* sum of the weights so far, relative to m */
  float *factor; /* exp2(m - row_max): what this key tile makes of older weights */
  bool first;    /* no key tile yet: ot is not set, and counts as 0 */

  bool natural; /* scores, row_max and m are in units of e, not of log2; scale has no log2(e) */
  const float *const *bias_rows; /* what is added to the scores, per row from key_begin on; null:
                                    neither bias nor masks */
  bool bias_masks; /* that is -infinity where a key is not allowed; it is in bias, too, laid out as
                      st */
  float *bias;
  float *slope;    /* of ALiBi, per row */
  float *position; /* per row, relative to the key tile's first key */
  bool *any;       /* per row: whether a key has been allowed, where masks decide that */

  attni_keys kv;
  attni_ahead *ahead; /* rows to bring into the cache meanwhile; used up on the way */
  int64_t aheads, ahead_rows;
  size_t v_bytes;                 /* decode: of a row of v */
  float *scales_k, *scales_v;     /* decode: the tile's scales of ATTN_I8, gathered; those of packed
                                     keys are applied */
  int64_t *row_start, *row_limit; /* per row: only keys row_start .. row_limit-1 of its entry can be
                                     allowed; neither ever descends */
  int32_t *start, *limit;         /* the same within this key tile, 0 to kv.keys */
  int32_t key_begin; /* where kernels begin: a multiple of pad; keys before it have no weight */
  int32_t key_from[ATTNI_MAX_GROUPS]; /* per group: every row may see keys key_from .. key_full-1 */
  int32_t key_full[ATTNI_MAX_GROUPS];
  int32_t
      key_end[ATTNI_MAX_GROUPS]; /* per group: no row sees keys from here on; never descending */
} attni_tile;

/* What a key's number within a vector adds to that of the vector's first key. */
static const float attni_counting[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Bytes of an element of each type. */
static size_t attni_size_of(attn_type type) {
  static const size_t sizes[] = {4, 2, 2, 1, 1};
  return (size_t)type < sizeof sizes / sizeof sizes[0] ? sizes[type] : 0;
}

/* The element at `index` of an array of this type. */
static const void *attni_at(const void *array, attn_type type, int64_t index) {
  return (const char *)array + index * (int64_t)attni_size_of(type);
}

/* Ask for the cache lines of a row. */
static ATTNI_FORCE_INLINE void attni_ask(uintptr_t at, size_t bytes) {
  size_t byte;
  for (byte = 0; byte < bytes; byte += 64) ATTNI_PREFETCH(at + byte);
}

/* Ask for up to `rows` of the tile's rows ahead, of which `ahead` holds the next ones; where the
 * others are is returned. */
static ATTNI_FORCE_INLINE attni_ahead *attni_look_ahead(const attni_tile *t, attni_ahead *ahead,
                                                        int64_t rows) {
  for (; rows > 0 && ahead < t->ahead + t->aheads; --rows) {
    attni_ask(ahead->at, ahead->bytes);
    ahead->at += ahead->stride;
    if (--ahead->rows == 0) ++ahead;
  }
  return ahead;
}

/* The first range of rows ahead, from `ahead` on, that QK has not used up. */
static ATTNI_FORCE_INLINE attni_ahead *attni_next_ahead(const attni_tile *t, attni_ahead *ahead) {
  while (ahead < t->ahead + t->aheads && ahead->rows == 0) ++ahead;
  return ahead;
}

/* How many of the tile's rows ahead have not been asked for. */
static int64_t attni_left_ahead(const attni_tile *t) {
  int64_t rows = 0, i;
  for (i = 0; i < t->aheads; ++i) rows += t->ahead[i].rows;
  return rows;
}

/* The tile's next `rows` rows ahead, for the caller to ask for line by line while it reads rows of
 * `bytes`, `stride` apart. Where those ahead are not like that, they are asked for here, and the
 * address is that of the caller's own rows. */
static attni_ahead *attni_take_ahead(const attni_tile *t, attni_ahead *ahead, int32_t rows,
                                     uintptr_t own, uintptr_t stride, size_t bytes, uintptr_t *at) {
  *at = own;
  ahead = attni_next_ahead(t, ahead);
  if (ahead == t->ahead + t->aheads) return ahead;
  if (ahead->rows < rows || ahead->stride != stride || ahead->bytes != bytes) {
    return attni_look_ahead(t, ahead, rows);
  }
  *at = ahead->at;
  ahead->at += (uintptr_t)rows * stride;
  ahead->rows -= rows;
  return ahead;
}

/* What older parts of an output are multiplied by within a key tile. (In memory, since GCC keeps a
 * constant in registers that the loop needs.) */
static const float attni_ones[4] = {1.0f, 1.0f, 1.0f, 1.0f};

/* What is added to an output at the end, to make -0 into +0: the sign of a zero could tell how many
 * masked keys were passed. (Volatile, since -ffast-math lets compilers drop a zero that they know.)
 */
static const volatile float attni_zero = 0.0f;

/* Where the chain of keys of decode's PV that begins at `begin` ends, at a multiple of `chain`. The
 * first one of a tile is always that of key 0, empty if the keys begin later: so older outputs are
 * multiplied by their factor in a step that does not depend on where other rows have the keys
 * begin. */
static int32_t attni_chain_end(int32_t begin, int32_t end, bool first, int32_t chain) {
  if (first && begin >= chain) return begin;
  return attni_min_i32(begin - begin % chain + chain, end);
}

/* Whether none of the bits that lanes have seen, of which these are the largest, are `bits` or
 * more: unsigned numbers all. */
static bool attni_lanes_below(const int32_t *largest, int32_t lanes, uint32_t bits) {
  int32_t i;
  for (i = 0; i < lanes; ++i) {
    if ((uint32_t)largest[i] >= bits) return false;
  }
  return true;
}

/* How many rows from `row` on, 1 to 4, end at the same key: they take the keys together. */
static int32_t attni_rows_together(const attni_tile *t, int32_t row, int32_t end) {
  int32_t rows = 1;
  while (rows < 4 && row + rows < end && t->key_end[row + rows] == t->key_end[row]) ++rows;
  return rows;
}

/* Kernels of one instruction set and family that do not depend on the head size. */
typedef struct attni_kernels {
  attn_isa isa;
  attn_family family;
  attn_type type;      /* the products multiply in: ATTN_F32, or ATTN_BF16 of q, k and v alike */
  uint32_t cpu;        /* ATTNI_CPU_ bits that all of them need */
  int32_t lanes;       /* rows per group */
  int32_t groups;      /* of a whole query tile */
  int32_t tile_q;      /* most rows of a query tile: groups * lanes */
  int32_t tile_k;      /* keys per key tile, a multiple of 4 */
  int32_t tile_k_wide; /* if k and v have more than ATTNI_NARROW features: no more */
  int32_t block;       /* most query tiles that share a key tile */
  bool packs;          /* the products take key tiles in `type`; otherwise in the cache's types */
  int32_t pad;         /* a multiple of the vector and of PV's step, no less than any step */
  int32_t few_rows;    /* decode: the planner takes it up to so many rows */
  int32_t ahead;       /* decode: so many keys before their turn rows are asked for; else 0 */
  int64_t chunk_keys;  /* least keys per chunk of a split; 0: the family does not split */

  /* to[] = from[], count elements of a type other than f32, times scale for ATTN_I8. */
  void (*widen)(const void *from, attn_type type, float scale, int64_t count, float *to);
  /* to[] = from[], count elements, as ATTN_F16 or ATTN_BF16. */
  void (*narrow)(const float *from, attn_type type, int64_t count, void *to);
  /* to = rows[] * scale, laid out as qt, for lanes row0 to tile_q - 1; each points to size f32.
   * Lanes behind the last row have its pointer, here and in store_o. */
  void (*pack)(const attni_tile *t, const float *const *rows, float scale, int32_t size, float *to);
  /* Null, with the next two, unless the products multiply bf16. qt = rows[], each of which points
   * to pairs of features, not multiplied by anything. */
  void (*pack_q)(const attni_tile *t, const float *const *rows);
  /* to[] = the values of two keys, in pairs; b may be null. */
  void (*pack_v)(const uint16_t *a, const uint16_t *b, int64_t count, float *to);
  /* Whether both elements of all pairs are finite. */
  bool (*finite_pairs)(const float *x, int64_t stride, int32_t rows, int32_t size);
  /* The stages of a score, over keys [key_begin, key_end) of each group, as is all that follows. In
   * the prefill family each leaves row_max as find_max does.
   * st = cap * tanh(st / cap), where slope = 2 log2(e) / cap; st = st - slope * |position - key|;
   * st = st + bias_rows: false if -infinity is among what was added (NaN may pass for it). Lanes
   * behind the last row have its pointer. The decode family reads whole vectors. */
  void (*softcap)(const attni_tile *t, float cap, float slope);
  bool (*add_bias)(const attni_tile *t);
  void (*alibi)(const attni_tile *t);
  /* Set st to the float of these bits where a key is not allowed. */
  void (*mask)(const attni_tile *t, uint32_t fill);
  /* row_max = max(m, st). */
  void (*find_max)(const attni_tile *t);
  /* st = exp2(st - row_max); factor = exp2(m - row_max); l = l * factor + sum of st; with natural,
   * exp instead. For products of bf16 the weights are then rounded. */
  void (*softmax)(const attni_tile *t);
  /* ot = ot * factor + st v, but keys that are not allowed are left out, whatever v, of this type
   * in the decode family, holds. Used up: st. */
  void (*pv_masked)(const attni_tile *t, attn_type type);
  /* Whether all elements of rows of f32 are finite. */
  bool (*finite)(const float *x, int64_t stride, int32_t rows, int32_t size);
  /* rows[] = ot * inverse + 0, for lanes row0 to tile_q - 1; each points to head_size_v f32. */
  void (*store_o)(const attni_tile *t, float *const *rows, const float *inverse);
} attni_kernels;

/* The two products of a tile. They do not depend on each other, so the head sizes of K and V are
 * free. */
typedef enum attni_product_kind {
  ATTNI_QK, /* st = scores over [key_begin, key_end) of each group, and row_max as find_max */
  ATTNI_PV  /* ot = ot * factor + st v, summed from 0 over [key_begin, key_end) of each group */
} attni_product_kind;

typedef struct attni_product {
  const char *name;
  attni_product_kind kind;
  attn_isa isa;
  attn_family family;
  uint32_t cpu;      /* ATTNI_CPU_ bits it needs */
  attn_type type;    /* of K or V as the kernel reads it */
  int32_t head_size; /* the only one it serves; 0: any */
  void (*run)(const attni_tile *t);
} attni_product;

/* -- rows of tensors -- */

/* Row s of head h of entry or page b. Inputs are not written through it. */
static void *attni_tensor_row(const attn_tensor *x, int64_t b, int64_t h, int64_t s) {
  const int64_t offset = b * x->stride_b + h * x->stride_h + s * x->stride_s;
  return (char *)x->data + offset * (int64_t)attni_size_of(x->type);
}

/* Elements of any type to f32, those of ATTN_I8 times scale. */
static void attni_read_row(const attni_kernels *kernels, const void *from, attn_type type,
                           float scale, int64_t size, float *to) {
  if (type == ATTN_F32) {
    memcpy(to, from, (size_t)size * sizeof(float));
  } else {
    kernels->widen(from, type, scale, size, to);
  }
}

/* f32 to elements of any type but ATTN_I8. */
static void attni_write_row(const attni_kernels *kernels, const float *from, attn_type type,
                            int64_t size, void *to) {
  if (type == ATTN_F32) {
    memcpy(to, from, (size_t)size * sizeof(float));
  } else {
    kernels->narrow(from, type, size, to);
  }
}
