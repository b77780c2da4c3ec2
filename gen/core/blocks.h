/* ---------------------------------------------- slopes, and masks of blocks -- */

ATTN_API attn_status attn_alibi_slopes(int64_t heads, float *slopes) {
  int64_t n = 1, h;
  if (heads < 1) return ATTN_ERR_HEADS_Q;
  if (slopes == NULL || !attni_aligned(slopes, sizeof(float))) return ATTN_ERR_RESULT;
  while (n <= heads / 2) n *= 2;
  for (h = 0; h < heads; ++h) {
    const double exponent = h < n ? 8.0 * (double)(h + 1) : 4.0 * (double)(2 * (h - n) + 1);
    slopes[h] = (float)exp2(-exponent / (double)n);
  }
  return ATTN_OK;
}

/* Positions first .. last, both inclusive. */
typedef struct attni_span {
  int64_t first, last;
} attni_span;

/* The positions of a block, among `len` from `offset` on. */
static attni_span attni_block_range(int64_t index, int64_t size, int64_t len, int64_t offset) {
  const int64_t first = index * size;
  attni_span range;
  range.first = offset + first;
  range.last = range.first + attni_min(size, len - first) - 1;
  return range;
}

/* Whether first .. last contains a multiple of n > 0. */
static bool attni_has_multiple(int64_t first, int64_t last, int64_t n) {
  const int64_t rest = last % n;
  return last - (rest < 0 ? rest + n : rest) >= first;
}

/* Whether the window's rules allow any pair of a query at a position of p and a key of j. Between
 * two blocks every difference p - j from the least to the largest occurs. */
static bool attni_window_meets(const attn_block_pattern *w, attni_span p, attni_span j) {
  const int64_t least = p.first - j.last, largest = p.last - j.first;
  if (!w->window) return false;
  if ((w->window_left < 0 || least <= w->window_left) &&
      (w->window_right < 0 || largest >= -w->window_right)) {
    return true;
  }
  if (j.first < w->window_globals) return true;
  if (w->window_globals > 0 && p.last >= 0 && p.first < w->window_globals) return true;
  return w->window_stride > 0 && attni_has_multiple(least, largest, w->window_stride);
}

/* SplitMix64 (Steele et al., "Fast Splittable Pseudorandom Number Generators", 2014). */
static uint64_t attni_random(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* Set `wanted` of the row's zeros, each choice as likely as any other. */
static void attni_add_random(uint8_t *row, int64_t columns, int64_t wanted, uint64_t state) {
  int64_t zeros = 0, i;
  for (i = 0; i < columns; ++i) zeros += row[i] == 0;
  for (i = 0; i < columns && wanted > 0; ++i) {
    if (row[i] != 0) continue;
    if (attni_random(&state) % (uint64_t)zeros < (uint64_t)wanted) {
      row[i] = 1;
      --wanted;
    }
    --zeros;
  }
}

static attn_status attni_check_pattern(const attn_block_pattern *p, size_t *size) {
  int64_t blocks;
  if (p == NULL) return ATTN_ERR_PARAMS;
  if (p->len_q < 0) return ATTN_ERR_LEN_Q;
  if (p->len_kv < 0) return ATTN_ERR_LEN_KV;
  if (p->block_q < 1 || p->block_k < 1) return ATTN_ERR_BLOCK_MASK;
  if (p->offset < -ATTNI_MAX_OFFSET || p->offset > ATTNI_MAX_OFFSET) return ATTN_ERR_OFFSET;
  if (p->window_left < -1 || p->window_right < -1) return ATTN_ERR_WINDOW;
  if (p->window_globals < 0 || p->window_stride < 0) return ATTN_ERR_WINDOW_PATTERN;
  if (!p->window) {
    if (p->window_left != 0 || p->window_right != 0) return ATTN_ERR_WINDOW;
    if (p->window_globals != 0 || p->window_stride != 0) return ATTN_ERR_WINDOW_PATTERN;
  }
  if (p->random_blocks < 0) return ATTN_ERR_RANDOM_BLOCKS;
  blocks =
      attni_mul_sat(attni_ceil_div(p->len_q, p->block_q), attni_ceil_div(p->len_kv, p->block_k));
  if (p->len_q > ATTNI_MAX_OFFSET || p->len_kv > ATTNI_MAX_OFFSET || blocks >= PTRDIFF_MAX) {
    return ATTN_ERR_OVERFLOW;
  }
  *size = (size_t)blocks;
  return ATTN_OK;
}

ATTN_API attn_status attn_block_mask_size(const attn_block_pattern *pattern, size_t *size) {
  return size == NULL ? ATTN_ERR_RESULT : attni_check_pattern(pattern, size);
}

ATTN_API attn_status attn_block_mask_build(const attn_block_pattern *pattern, uint8_t *mask,
                                           size_t size) {
  size_t needed = 0;
  int64_t rows, columns, row, column;
  const attn_status status = attni_check_pattern(pattern, &needed);
  if (status != ATTN_OK) return status;
  if (needed == 0) return ATTN_OK;
  if (mask == NULL || size < needed) return ATTN_ERR_RESULT;
  rows = attni_ceil_div(pattern->len_q, pattern->block_q);
  columns = attni_ceil_div(pattern->len_kv, pattern->block_k);
  for (row = 0; row < rows; ++row, mask += columns) {
    const attni_span p = attni_block_range(row, pattern->block_q, pattern->len_q, pattern->offset);
    uint64_t state = (uint64_t)row;
    for (column = 0; column < columns; ++column) {
      const attni_span j = attni_block_range(column, pattern->block_k, pattern->len_kv, 0);
      mask[column] = attni_window_meets(pattern, p, j) ? 1 : 0;
    }
    attni_add_random(mask, columns, pattern->random_blocks, pattern->seed + attni_random(&state));
  }
  return ATTN_OK;
}
