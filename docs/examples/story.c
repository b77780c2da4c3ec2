/* story.c: a language model in one file of plain C99, with attn.h doing the attention.
 *
 *   cc -O2 -I. docs/examples/story.c -o story -lm
 *   ./story DIRECTORY [-p PROMPT] [-n STEPS] [-k TYPE]
 *   ./story CHECKPOINT TOKENIZER [-p PROMPT] [-n STEPS] [-k TYPE]
 *
 * CHECKPOINT is a Llama-2 model in the format of llama2.c (version 0), DIRECTORY holds one such
 * *.bin and its tok*.bin. The model continues PROMPT greedily, at most until STEPS positions are
 * filled; the text goes to stdout. Without a prompt the model begins by itself. TYPE is that of the
 * key/value cache: f32, f16, bf16 or i8.
 *
 * What to look at: append(), attention_params() and attend() are all that an inference engine has
 * to say to attn.h. The keys and values of all positions so far lie in a cache, whose heads several
 * query heads share (grouped-query attention); each new row is converted to the cache's type once.
 * The whole prompt is one call with many queries (prefill), and each further token is the same call
 * with one query (decode). All other arithmetic is plain f32 loops.
 *
 * Sizes are int64_t throughout: the limits in read_header() keep every product far below 2^63. */

#ifndef STORY_NO_MAIN
#define ATTN_IMPLEMENTATION
#endif
#include "attn.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef _WIN32
#include <dirent.h>
#endif

enum { PATH_SIZE = 1024, ERROR_SIZE = 3 * PATH_SIZE };
enum { UNKNOWN = 0, BOS = 1 }; /* tokens: what has no token, and the beginning of a text */
enum { HEADER_SIZE = 28, MAX_TOKEN_LENGTH = 1024 }; /* bytes */

/* Note what went wrong, in one line, and return false for the caller to pass on. */
static bool fail(char *error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(error, ERROR_SIZE, format, args);
  va_end(args);
  for (char *c = error; (c = strchr(c, '\n')) != NULL;) *c = ' ';
  return false;
}

/* malloc for sizes that may not fit size_t. */
static void *allocate(int64_t count, size_t item_size) {
  if (count < 0 || (uint64_t)count > (SIZE_MAX / 2) / item_size) return NULL;
  return malloc(count == 0 ? 1 : (size_t)count * item_size);
}

/* Cut the next `count` floats off a block. */
static float *take(float **block, int64_t count) {
  float *floats = *block;
  *block += count;
  return floats;
}

/* ---------------------------------------------------------------- the model */

struct config {
  int64_t dim, hidden_dim, layers, heads_q, heads_kv, vocab_size, seq_len;
  int64_t head_size, kv_dim; /* derived: dim / heads_q, heads_kv * head_size */
  bool shared_classifier;    /* the classifier is the token embedding */
};

/* All weights, in the order of the file. Matrices are [out, in], row by row, one per layer. */
struct model {
  struct config config;
  float *data;                    /* the block that the pointers below point into */
  const float *embedding;         /* [vocab_size, dim] */
  const float *rms_attention;     /* [layers, dim] */
  const float *wq, *wk, *wv, *wo; /* [layers, dim, dim], wk and wv [layers, kv_dim, dim] */
  const float *rms_feed_forward;  /* [layers, dim] */
  const float *w1, *w2, *w3;      /* [layers, hidden_dim, dim], w2 [layers, dim, hidden_dim] */
  const float *rms_final;         /* [dim] */
  const float *classifier;        /* [vocab_size, dim] */
};

/* Seven little-endian int32 (read as they are: a big-endian machine will find them absurd). */
static bool read_header(struct config *c, FILE *file, const char *path, char *error) {
  static const char *const name[7] = {"dim",        "hidden_dim", "n_layers", "n_heads",
                                      "n_kv_heads", "vocab_size", "seq_len"};
  static const int32_t limit[7] = {1 << 16, 1 << 20, 1 << 10, 1 << 16, 1 << 16, 1 << 24, 1 << 24};
  int64_t *const field[7] = {&c->dim,      &c->hidden_dim, &c->layers, &c->heads_q,
                             &c->heads_kv, &c->vocab_size, &c->seq_len};
  int32_t value[7];
  if (fread(value, sizeof value, 1, file) != 1) return fail(error, "%s has no header", path);
  c->shared_classifier = value[5] > 0; /* else it comes last, and vocab_size is negated */
  for (int i = 0; i < 7; i++) {
    *field[i] = i == 5 && value[i] < 0 ? -(int64_t)value[i] : value[i];
    if (*field[i] < 1 || *field[i] > limit[i]) {
      return fail(error, "%s: %s is %ld, not from 1 to %ld", path, name[i], (long)value[i],
                  (long)limit[i]);
    }
  }
  c->head_size = c->dim / c->heads_q;
  c->kv_dim = c->heads_kv * c->head_size;
  if (c->dim % c->heads_q != 0 || c->head_size % 2 != 0 || c->head_size > ATTN_MAX_HEAD_SIZE) {
    return fail(error, "%s: dim %ld over %ld heads gives no even head size up to %d", path,
                (long)c->dim, (long)c->heads_q, ATTN_MAX_HEAD_SIZE);
  }
  if (c->heads_q % c->heads_kv != 0) {
    return fail(error, "%s: %ld query heads cannot share %ld key/value heads", path,
                (long)c->heads_q, (long)c->heads_kv);
  }
  return c->vocab_size > BOS || fail(error, "%s: the vocabulary has no BOS token", path);
}

/* Floats after the header. Each term is at most 2^46. */
static int64_t count_weights(const struct config *c) {
  const int64_t attention = c->dim + 2 * c->dim * c->dim + 2 * c->kv_dim * c->dim;
  const int64_t feed_forward = c->dim + 3 * c->hidden_dim * c->dim;
  const int64_t classifiers = c->shared_classifier ? 1 : 2;
  const int64_t rotary_tables = c->seq_len * c->head_size; /* unused, but there */
  return c->layers * (attention + feed_forward) + classifiers * c->vocab_size * c->dim + c->dim +
         rotary_tables;
}

static void place_weights(struct model *m) {
  const struct config *c = &m->config;
  float *next = m->data;
  m->embedding = take(&next, c->vocab_size * c->dim);
  m->rms_attention = take(&next, c->layers * c->dim);
  m->wq = take(&next, c->layers * c->dim * c->dim);
  m->wk = take(&next, c->layers * c->kv_dim * c->dim);
  m->wv = take(&next, c->layers * c->kv_dim * c->dim);
  m->wo = take(&next, c->layers * c->dim * c->dim);
  m->rms_feed_forward = take(&next, c->layers * c->dim);
  m->w1 = take(&next, c->layers * c->hidden_dim * c->dim);
  m->w2 = take(&next, c->layers * c->dim * c->hidden_dim);
  m->w3 = take(&next, c->layers * c->hidden_dim * c->dim);
  m->rms_final = take(&next, c->dim);
  take(&next, c->seq_len * c->head_size); /* the rotary tables */
  m->classifier = c->shared_classifier ? m->embedding : next;
}

/* Load a checkpoint. The file must have exactly the size that its header implies, and that is known
 * before memory is spent on it. */
static bool load_model(struct model *m, FILE *file, const char *path, char *error) {
  if (!read_header(&m->config, file, path, error)) return false;
  const int64_t count = count_weights(&m->config);
  const int64_t expected = HEADER_SIZE + count * (int64_t)sizeof(float);
  const int64_t size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (size != expected) {
    return fail(error, "%s has %lld bytes, but its header means %lld", path, (long long)size,
                (long long)expected);
  }
  m->data = (float *)allocate(count, sizeof(float));
  if (m->data == NULL) return fail(error, "no memory for %s", path);
  if (fseek(file, HEADER_SIZE, SEEK_SET) != 0 ||
      fread(m->data, sizeof(float), (size_t)count, file) != (size_t)count) {
    return fail(error, "cannot read %s", path);
  }
  place_weights(m);
  return true;
}

/* ---------------------------------------------------------------- the tokenizer */

struct token {
  const char *bytes; /* not terminated */
  int32_t length;
  int32_t id;
  float score; /* the pair of tokens with the best score merges first */
};

struct tokenizer {
  struct token *tokens; /* by id */
  struct token *sorted; /* by bytes, for look-up */
  int64_t vocab_size;
  int32_t max_length; /* of a token, in bytes */
  char *data;         /* the bytes of all tokens */
};

/* Order by length, then by bytes. */
static int compare_tokens(const void *a, const void *b) {
  const struct token *x = (const struct token *)a;
  const struct token *y = (const struct token *)b;
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  return memcmp(x->bytes, y->bytes, (size_t)x->length);
}

/* Load a tokenizer: an int32, the length of the longest token; then for each token a float score,
 * an int32 length, and its bytes. */
static bool load_tokenizer(struct tokenizer *t, int64_t vocab_size, FILE *file, const char *path,
                           char *error) {
  if (fread(&t->max_length, 4, 1, file) != 1 || t->max_length < 1 ||
      t->max_length > MAX_TOKEN_LENGTH) {
    return fail(error, "%s is no tokenizer: it must begin with a length from 1 to %d", path,
                MAX_TOKEN_LENGTH);
  }
  t->vocab_size = vocab_size;
  t->data = (char *)allocate(vocab_size * t->max_length, 1);
  t->tokens = (struct token *)allocate(vocab_size, sizeof(struct token));
  t->sorted = (struct token *)allocate(vocab_size, sizeof(struct token));
  if (t->data == NULL || t->tokens == NULL || t->sorted == NULL) {
    return fail(error, "no memory for %s", path);
  }
  char *bytes = t->data;
  for (int32_t id = 0; id < vocab_size; id++) {
    struct token *token = &t->tokens[id];
    token->id = id;
    token->bytes = bytes;
    bool ok = fread(&token->score, 4, 1, file) == 1 && fread(&token->length, 4, 1, file) == 1;
    if (ok && (token->length < 1 || token->length > t->max_length)) {
      return fail(error, "%s: the length of token %ld is %ld, not from 1 to %ld", path, (long)id,
                  (long)token->length, (long)t->max_length);
    }
    ok = ok && fread(bytes, (size_t)token->length, 1, file) == 1;
    if (!ok) return fail(error, "%s ends in token %ld of %ld", path, (long)id, (long)vocab_size);
    bytes += token->length;
  }
  if (fgetc(file) != EOF) return fail(error, "%s has over %ld tokens", path, (long)vocab_size);
  memcpy(t->sorted, t->tokens, (size_t)vocab_size * sizeof(struct token));
  qsort(t->sorted, (size_t)vocab_size, sizeof(struct token), compare_tokens);
  return true;
}

/* The token of these bytes, or null. */
static const struct token *find_token(const struct tokenizer *t, const char *bytes, size_t length) {
  struct token key = {bytes, (int32_t)length, 0, 0.0f};
  return (const struct token *)bsearch(&key, t->sorted, (size_t)t->vocab_size, sizeof key,
                                       compare_tokens);
}

/* One character of UTF-8: its token, or else (byte fallback) a token like <0x0A> for each byte. */
static int64_t encode_character(const struct tokenizer *t, const char *bytes, size_t length,
                                int32_t *ids) {
  const struct token *token = find_token(t, bytes, length);
  if (token != NULL) {
    ids[0] = token->id;
    return 1;
  }
  for (size_t i = 0; i < length; i++) {
    char name[8];
    snprintf(name, sizeof name, "<0x%02X>", (unsigned)(unsigned char)bytes[i]);
    token = find_token(t, name, strlen(name));
    ids[i] = token != NULL ? token->id : UNKNOWN;
  }
  return (int64_t)length;
}

/* The token that two neighbours merge into, or null. */
static const struct token *merge(const struct tokenizer *t, int32_t left, int32_t right) {
  const struct token *a = &t->tokens[left], *b = &t->tokens[right];
  char bytes[2 * MAX_TOKEN_LENGTH];
  memcpy(bytes, a->bytes, (size_t)a->length);
  memcpy(bytes + a->length, b->bytes, (size_t)b->length);
  return find_token(t, bytes, (size_t)a->length + (size_t)b->length);
}

/* Byte pair encoding: BOS, then a space and the text in single characters, of which the pair with
 * the best score merges until no pair is a token. ids has room for strlen(text) + 2. */
static int64_t encode(const struct tokenizer *t, const char *text, int32_t *ids) {
  int64_t count = 0;
  ids[count++] = BOS;
  if (*text != '\0') count += encode_character(t, " ", 1, ids + count);
  while (*text != '\0') {
    size_t length = 1;
    while (length < 4 && ((unsigned char)text[length] & 0xC0) == 0x80) length++;
    count += encode_character(t, text, length, ids + count);
    text += length;
  }
  for (;;) {
    const struct token *best = NULL;
    int64_t best_at = 0;
    for (int64_t i = 1; i + 1 < count; i++) {
      const struct token *merged = merge(t, ids[i], ids[i + 1]);
      if (merged != NULL && (best == NULL || merged->score > best->score)) {
        best = merged;
        best_at = i;
      }
    }
    if (best == NULL) return count;
    ids[best_at] = best->id;
    count--;
    memmove(ids + best_at + 1, ids + best_at + 2, (size_t)(count - best_at - 1) * sizeof *ids);
  }
}

/* Print a token: a piece like <0x0A> is that byte, and after BOS a leading space is dropped. */
static void print_token(const struct tokenizer *t, int32_t previous, int32_t id, FILE *out) {
  static const char hex[] = "0123456789ABCDEF";
  const char *bytes = t->tokens[id].bytes;
  size_t length = (size_t)t->tokens[id].length;
  if (length == 6 && memcmp(bytes, "<0x", 3) == 0 && bytes[5] == '>') {
    const char *high = (const char *)memchr(hex, bytes[3], 16);
    const char *low = (const char *)memchr(hex, bytes[4], 16);
    if (high != NULL && low != NULL) {
      fputc((int)((high - hex) * 16 + (low - hex)), out);
      return;
    }
  }
  if (previous == BOS && bytes[0] == ' ') {
    bytes++;
    length--;
  }
  fwrite(bytes, 1, length, out);
}

/* ---------------------------------------------------------------- inference */

/* The keys or the values of all layers and positions. */
struct cache {
  char *data;    /* [layers, positions, heads_kv, head_size], of the session's kv_type */
  float *scales; /* [layers, positions, heads_kv] for ATTN_I8, else null */
};

/* The memory of one text: its key/value cache, and room for `rows` tokens at a time. */
struct session {
  const struct model *model;
  int64_t positions, rows;
  attn_type kv_type;
  struct cache k_cache, v_cache;
  float *data;      /* the block that the pointers below point into */
  float *x;         /* [rows, dim], the residual stream */
  float *normed;    /* [rows, dim] */
  float *q, *o;     /* [rows, heads_q, head_size] */
  float *k, *v;     /* [rows, heads_kv, head_size], on their way to the cache */
  float *gate, *up; /* [rows, hidden_dim] */
  float *logits;    /* [vocab_size] */
  void *workspace;  /* for attn.h */
  size_t workspace_size;
  /* attn_forward, or something else that does the same. */
  attn_status (*attention)(const attn_params *params, void *workspace, size_t workspace_size);
};

/* Elements of a cache; each head_size of them are a row. */
static int64_t count_cached(const struct session *s) {
  return s->model->config.layers * s->positions * s->model->config.kv_dim;
}

/* Bytes of both caches, with their scales. */
static int64_t cache_bytes(const struct session *s) {
  const int64_t count = count_cached(s);
  const int64_t rows = s->kv_type == ATTN_I8 ? count / s->model->config.head_size : 0;
  return 2 * (count * (int64_t)attn_type_size(s->kv_type) + rows * (int64_t)sizeof(float));
}

static bool open_cache(struct cache *cache, const struct session *s) {
  const int64_t count = count_cached(s);
  cache->data = (char *)allocate(count, attn_type_size(s->kv_type));
  if (s->kv_type != ATTN_I8) return cache->data != NULL;
  cache->scales = (float *)allocate(count / s->model->config.head_size, sizeof(float));
  return cache->data != NULL && cache->scales != NULL;
}

static void place_buffers(struct session *s) {
  const struct config *c = &s->model->config;
  float *next = s->data;
  s->x = take(&next, s->rows * c->dim);
  s->normed = take(&next, s->rows * c->dim);
  s->q = take(&next, s->rows * c->dim);
  s->o = take(&next, s->rows * c->dim);
  s->k = take(&next, s->rows * c->kv_dim);
  s->v = take(&next, s->rows * c->kv_dim);
  s->gate = take(&next, s->rows * c->hidden_dim);
  s->up = take(&next, s->rows * c->hidden_dim);
  s->logits = take(&next, c->vocab_size);
}

static bool open_session(struct session *s, const struct model *m, int64_t positions, int64_t rows,
                         attn_type kv_type, char *error) {
  const struct config *c = &m->config;
  const int64_t row = 4 * c->dim + 2 * c->kv_dim + 2 * c->hidden_dim;
  memset(s, 0, sizeof *s);
  s->model = m;
  s->positions = positions;
  s->rows = rows;
  s->kv_type = kv_type;
  s->attention = attn_forward;
  s->data = (float *)allocate(rows * row + c->vocab_size, sizeof(float));
  if (s->data == NULL || !open_cache(&s->k_cache, s) || !open_cache(&s->v_cache, s)) {
    return fail(error, "no memory for a cache of %lld positions", (long long)positions);
  }
  place_buffers(s);
  return true;
}

static void close_session(struct session *s) {
  free(s->k_cache.data);
  free(s->k_cache.scales);
  free(s->v_cache.data);
  free(s->v_cache.scales);
  free(s->workspace);
  free(s->data);
}

/* out[i] = weight * x[i] / (root mean square of x[i]), for each row i. */
static void rms_norm(float *out, const float *x, const float *weight, int64_t rows, int64_t dim) {
  for (int64_t i = 0; i < rows; i++, x += dim, out += dim) {
    float sum = 0.0f;
    for (int64_t d = 0; d < dim; d++) sum += x[d] * x[d];
    const float factor = 1.0f / sqrtf(sum / (float)dim + 1e-5f);
    for (int64_t d = 0; d < dim; d++) out[d] = weight[d] * (factor * x[d]);
  }
}

/* out[rows, n_out] = x[rows, n_in] * w[n_out, n_in] transposed. */
static void matmul(float *out, const float *x, const float *w, int64_t rows, int64_t n_in,
                   int64_t n_out) {
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < n_out; j++) {
      float sum = 0.0f;
      for (int64_t d = 0; d < n_in; d++) sum += x[i * n_in + d] * w[j * n_in + d];
      out[i * n_out + j] = sum;
    }
  }
}

static void add(float *x, const float *y, int64_t count) {
  for (int64_t i = 0; i < count; i++) x[i] += y[i];
}

/* Rotary embedding of x[rows, heads, head_size], whose first row is at position pos: the pairs of
 * features (0,1)(2,3).. turn by an angle that grows with the position. */
static void rotate(float *x, int64_t rows, int64_t heads, int64_t head_size, int64_t pos) {
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t d = 0; d < head_size; d += 2) {
      const float frequency = 1.0f / powf(10000.0f, (float)d / (float)head_size);
      const float cosine = cosf((float)(pos + i) * frequency);
      const float sine = sinf((float)(pos + i) * frequency);
      for (int64_t h = 0; h < heads; h++) {
        float *pair = x + (i * heads + h) * head_size + d;
        const float a = pair[0], b = pair[1];
        pair[0] = a * cosine - b * sine;
        pair[1] = a * sine + b * cosine;
      }
    }
  }
}

/* One layer of a cache, as attn.h is told of it. */
static attn_tensor cached_rows(const struct session *s, const struct cache *cache, int64_t layer) {
  const struct config *c = &s->model->config;
  const int64_t before = layer * s->positions * c->kv_dim * (int64_t)attn_type_size(s->kv_type);
  return attn_bshd(cache->data + before, s->kv_type, s->positions, c->heads_kv, c->head_size);
}

/* What the rows of an int8 cache are multiplied by, one number for each; of other types there is
 * none, and the tensor is zero. */
static attn_tensor cached_scales(const struct session *s, const struct cache *cache,
                                 int64_t layer) {
  const struct config *c = &s->model->config;
  attn_tensor none;
  memset(&none, 0, sizeof none);
  if (cache->scales == NULL) return none;
  return attn_strided(cache->scales + layer * s->positions * c->heads_kv, ATTN_F32, 0, 1,
                      c->heads_kv);
}

/* Convert new keys or values [rows, heads_kv, head_size] to the cache's type, at position pos. */
static bool append(const struct session *s, const struct cache *cache, int64_t layer,
                   const float *x, int64_t rows, int64_t pos, char *error) {
  const struct config *c = &s->model->config;
  attn_append_params p;
  attn_status status;
  memset(&p, 0, sizeof p);
  p.rows = attn_bshd(x, ATTN_F32, rows, c->heads_kv, c->head_size);
  p.cache = cached_rows(s, cache, layer);
  p.cache_scale = cached_scales(s, cache, layer);
  p.batch = 1;
  p.heads = c->heads_kv;
  p.len = rows;
  p.size = c->head_size;
  p.position = pos;
  status = attn_kv_append(&p);
  return status == ATTN_OK || fail(error, "cache: %s", attn_status_string(status));
}

/* What attn.h has to know: where q, k, v and o lie, and how many there are of each. The keys are
 * all positions up to the last query's (bottom-right alignment, the default), so that for a single
 * query the causal mask hides nothing. */
static attn_params attention_params(const struct session *s, int64_t layer, int64_t rows,
                                    int64_t pos) {
  const struct config *c = &s->model->config;
  attn_params p = attn_params_init();
  p.q = attn_bshd(s->q, ATTN_F32, rows, c->heads_q, c->head_size);
  p.k = cached_rows(s, &s->k_cache, layer);
  p.v = cached_rows(s, &s->v_cache, layer);
  p.k_scale = cached_scales(s, &s->k_cache, layer);
  p.v_scale = cached_scales(s, &s->v_cache, layer);
  p.o = attn_bshd(s->o, ATTN_F32, rows, c->heads_q, c->head_size);
  p.batch = 1;
  p.heads_q = c->heads_q;
  p.heads_kv = c->heads_kv;
  p.len_q = rows;
  p.len_kv = pos + rows;
  p.head_size = c->head_size;
  p.causal = true;
  return p;
}

/* o = softmax(q k^T / sqrt(head_size)) v over the cache, for prefill and decode alike. */
static bool attend(struct session *s, int64_t layer, int64_t rows, int64_t pos, char *error) {
  const attn_params p = attention_params(s, layer, rows, pos);
  size_t size = 0;
  attn_status status = attn_workspace_size(&p, &size);
  if (status == ATTN_OK && size > s->workspace_size) { /* grows once or twice, then never */
    free(s->workspace);
    s->workspace = malloc(size);
    s->workspace_size = s->workspace != NULL ? size : 0;
    if (s->workspace == NULL) return fail(error, "no memory for the attention");
  }
  if (status == ATTN_OK) status = s->attention(&p, s->workspace, s->workspace_size);
  return status == ATTN_OK || fail(error, "attention: %s", attn_status_string(status));
}

/* x += attention(norm(x)), the new keys and values going into the cache on the way. */
static bool attention_block(struct session *s, int64_t layer, int64_t rows, int64_t pos,
                            char *error) {
  const struct model *m = s->model;
  const struct config *c = &m->config;
  rms_norm(s->normed, s->x, m->rms_attention + layer * c->dim, rows, c->dim);
  matmul(s->q, s->normed, m->wq + layer * c->dim * c->dim, rows, c->dim, c->dim);
  matmul(s->k, s->normed, m->wk + layer * c->kv_dim * c->dim, rows, c->dim, c->kv_dim);
  matmul(s->v, s->normed, m->wv + layer * c->kv_dim * c->dim, rows, c->dim, c->kv_dim);
  rotate(s->q, rows, c->heads_q, c->head_size, pos);
  rotate(s->k, rows, c->heads_kv, c->head_size, pos);
  if (!append(s, &s->k_cache, layer, s->k, rows, pos, error) ||
      !append(s, &s->v_cache, layer, s->v, rows, pos, error) ||
      !attend(s, layer, rows, pos, error)) {
    return false;
  }
  matmul(s->normed, s->o, m->wo + layer * c->dim * c->dim, rows, c->dim, c->dim);
  add(s->x, s->normed, rows * c->dim);
  return true;
}

/* x += w2 (silu(w1 norm(x)) * w3 norm(x)) */
static void feed_forward_block(struct session *s, int64_t layer, int64_t rows) {
  const struct model *m = s->model;
  const struct config *c = &m->config;
  const int64_t matrix = layer * c->hidden_dim * c->dim;
  rms_norm(s->normed, s->x, m->rms_feed_forward + layer * c->dim, rows, c->dim);
  matmul(s->gate, s->normed, m->w1 + matrix, rows, c->dim, c->hidden_dim);
  matmul(s->up, s->normed, m->w3 + matrix, rows, c->dim, c->hidden_dim);
  for (int64_t i = 0; i < rows * c->hidden_dim; i++) {
    s->gate[i] *= s->up[i] / (1.0f + expf(-s->gate[i]));
  }
  matmul(s->normed, s->gate, m->w2 + matrix, rows, c->hidden_dim, c->dim);
  add(s->x, s->normed, rows * c->dim);
}

/* Run `rows` tokens, the first at position pos, through the layers. The earlier positions must be
 * in the cache. Afterwards x[rows, dim] holds the outcome. */
static bool forward(struct session *s, const int32_t *ids, int64_t rows, int64_t pos, char *error) {
  const struct config *c = &s->model->config;
  if (rows > s->rows || pos > s->positions - rows) return fail(error, "the text is too long");
  for (int64_t i = 0; i < rows; i++) {
    memcpy(s->x + i * c->dim, s->model->embedding + ids[i] * c->dim,
           (size_t)c->dim * sizeof(float));
  }
  for (int64_t layer = 0; layer < c->layers; layer++) {
    if (!attention_block(s, layer, rows, pos, error)) return false;
    feed_forward_block(s, layer, rows);
  }
  return true;
}

/* The logits[vocab_size] that the last forward() gives for the token after its row `row`. */
static const float *classify(struct session *s, int64_t row) {
  const struct model *m = s->model;
  const struct config *c = &m->config;
  rms_norm(s->normed, s->x + row * c->dim, m->rms_final, 1, c->dim);
  matmul(s->logits, s->normed, m->classifier, 1, c->dim, c->vocab_size);
  return s->logits;
}

static int32_t most_likely(const float *logits, int64_t vocab_size) {
  int64_t best = 0;
  for (int64_t i = 1; i < vocab_size; i++) {
    if (logits[i] > logits[best]) best = i;
  }
  return (int32_t)best;
}

/* Fill `steps` positions, of which the first `count` of ids[steps + 1] are given, and print the
 * text. The first round of the loop is the prefill, each further one decodes a token. Returns the
 * number of positions filled, fewer if the model ends its text with BOS; or 0 after an error. */
static int64_t generate(struct session *s, const struct tokenizer *t, int32_t *ids, int64_t count,
                        int64_t steps, FILE *out, char *error) {
  int64_t done = 0;
  int64_t printed = 1; /* BOS is not printed */
  while (done < steps) {
    if (!forward(s, ids + done, count - done, done, error)) return 0;
    const int64_t last_row = count - done - 1;
    done = count;
    ids[count] = most_likely(classify(s, last_row), s->model->config.vocab_size);
    if (ids[count] != BOS) count++;
    for (; printed < count; printed++) print_token(t, ids[printed - 1], ids[printed], out);
    fflush(out);
    if (done == count) break;
  }
  fputc('\n', out);
  if (fflush(out) != 0 || ferror(out)) {
    fail(error, "cannot write the text");
    return 0;
  }
  return done;
}

/* ---------------------------------------------------------------- the program */

/* All that the program holds. */
struct program {
  char paths[2][PATH_SIZE]; /* of the checkpoint and of the tokenizer */
  const char *prompt;
  int64_t steps; /* 0: the default */
  attn_type kv_type;
  struct model model;
  struct tokenizer tokenizer;
  struct session session;
  int32_t *ids; /* the tokens of the text */
};

/* Find the one tok*.bin of a directory, or its one other *.bin. */
static bool find_file(const char *directory, bool tokenizer, char *path, char *error) {
#ifdef _WIN32
  (void)path;
  return fail(error, "name the %s of %s", tokenizer ? "tokenizer" : "checkpoint", directory);
#else
  const char *what = tokenizer ? "tokenizer (tok*.bin)" : "checkpoint (*.bin)";
  int found = 0, length = 0;
  DIR *entries = opendir(directory);
  if (entries == NULL) {
    return fail(error, "cannot look for a %s in %s: %s", what, directory, strerror(errno));
  }
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    const char *name = entry->d_name;
    const char *dot = strrchr(name, '.');
    if (name[0] == '.' || dot == NULL || strcmp(dot, ".bin") != 0) continue;
    if ((strncmp(name, "tok", 3) == 0) != tokenizer) continue;
    length = snprintf(path, PATH_SIZE, "%s/%s", directory, name);
    found++;
  }
  closedir(entries);
  if (found == 0) return fail(error, "%s holds no %s", directory, what);
  if (found > 1) return fail(error, "%s holds more than one %s", directory, what);
  return length < PATH_SIZE || fail(error, "a file name in %s is too long", directory);
#endif
}

/* The type of this name, if a cache may have it. */
static bool read_type(attn_type *type, const char *name, char *error) {
  static const attn_type types[] = {ATTN_F32, ATTN_F16, ATTN_BF16, ATTN_I8};
  for (int i = 0; i < 4; i++) {
    *type = types[i];
    if (strcmp(attn_type_name(types[i]), name) == 0) return true;
  }
  return fail(error, "the cache may be f32, f16, bf16 or i8, not \"%s\"", name);
}

static bool read_arguments(struct program *p, int argc, char **argv, char *error) {
  int files = 0;
  p->prompt = "";
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-p") == 0 && i + 1 < argc) {
      p->prompt = argv[++i];
    } else if (strcmp(argv[i], "-n") == 0 && i + 1 < argc) {
      char *end = NULL;
      p->steps = strtol(argv[++i], &end, 10);
      if (p->steps < 1 || *end != '\0') {
        return fail(error, "the number of steps must be 1 or more, not \"%s\"", argv[i]);
      }
    } else if (strcmp(argv[i], "-k") == 0 && i + 1 < argc) {
      if (!read_type(&p->kv_type, argv[++i], error)) return false;
    } else if (argv[i][0] != '-' && files < 2) {
      if (strlen(argv[i]) >= PATH_SIZE) return fail(error, "a file name is too long");
      strcpy(p->paths[files++], argv[i]);
    } else {
      return fail(error, "cannot make sense of \"%s\"", argv[i]);
    }
  }
  if (files == 0) {
    return fail(error,
                "usage: story DIRECTORY | CHECKPOINT TOKENIZER [-p PROMPT] [-n STEPS] "
                "[-k f32|f16|bf16|i8]");
  }
  if (files == 2) return true;
  char directory[PATH_SIZE];
  strcpy(directory, p->paths[0]);
  return find_file(directory, false, p->paths[0], error) &&
         find_file(directory, true, p->paths[1], error);
}

/* Load the model (which 0) or the tokenizer that goes with it (which 1). */
static bool load(struct program *p, int which, char *error) {
  const char *path = p->paths[which];
  FILE *file = fopen(path, "rb");
  if (file == NULL) return fail(error, "cannot open %s: %s", path, strerror(errno));
  const bool ok =
      which == 0 ? load_model(&p->model, file, path, error)
                 : load_tokenizer(&p->tokenizer, p->model.config.vocab_size, file, path, error);
  fclose(file);
  return ok;
}

/* Say which instruction set the attention ran on, how fast the text came, and what the cache took.
 */
static void report(const struct session *s, int64_t tokens, double seconds, FILE *log) {
  const attn_params params = attention_params(s, 0, 1, tokens - 1);
  attn_plan plan;
  attn_plan_info info;
  if (attn_plan_init(&plan, &params) != ATTN_OK) return;
  if (attn_plan_get_info(&plan, &info) != ATTN_OK) return;
  fprintf(log, "%s: %lld tokens in %.3f s, %.0f tokens/s; %s cache of %lld bytes\n",
          attn_isa_name(info.isa), (long long)tokens, seconds,
          seconds > 0.0 ? (double)tokens / seconds : 0.0, attn_type_name(s->kv_type),
          (long long)cache_bytes(s));
}

/* The text that the loaded model makes of the prompt. */
static bool tell(struct program *p, FILE *out, FILE *log, char *error) {
  const int64_t seq_len = p->model.config.seq_len;
  if (p->steps == 0) p->steps = seq_len < 256 ? seq_len : 256;
  if (p->steps > seq_len) {
    return fail(error, "%lld steps, but the model has %lld positions", (long long)p->steps,
                (long long)seq_len);
  }
  const int64_t length = (int64_t)strlen(p->prompt);
  bool fits = length <= p->steps * p->tokenizer.max_length; /* else not worth the encoding */
  int64_t count = 0;
  if (fits) {
    p->ids = (int32_t *)allocate(p->steps + length + 2, sizeof *p->ids);
    if (p->ids == NULL) return fail(error, "no memory for %ld steps", (long)p->steps);
    count = encode(&p->tokenizer, p->prompt, p->ids);
    fits = count <= p->steps;
  }
  if (!fits) return fail(error, "the prompt does not fit in %ld steps", (long)p->steps);
  if (!open_session(&p->session, &p->model, p->steps, count, p->kv_type, error)) return false;
  const clock_t start = clock(); /* of the processor: right for a program of one thread */
  const int64_t done = generate(&p->session, &p->tokenizer, p->ids, count, p->steps, out, error);
  if (done == 0) return false;
  report(&p->session, done, (double)(clock() - start) / (double)CLOCKS_PER_SEC, log);
  return true;
}

static bool run(struct program *p, int argc, char **argv, FILE *out, FILE *log, char *error) {
  return read_arguments(p, argc, argv, error) && load(p, 0, error) && load(p, 1, error) &&
         tell(p, out, log, error);
}

static void close_program(struct program *p) {
  free(p->ids);
  close_session(&p->session);
  free(p->tokenizer.sorted);
  free(p->tokenizer.tokens);
  free(p->tokenizer.data);
  free(p->model.data);
}

/* The program, with its streams as arguments so that a test can call it. Returns the exit code. */
static int story(int argc, char **argv, FILE *out, FILE *log) {
  struct program p;
  char error[ERROR_SIZE];
  memset(&p, 0, sizeof p);
  const bool ok = run(&p, argc, argv, out, log, error);
  if (!ok) fprintf(log, "story: %s\n", error);
  close_program(&p);
  return ok ? 0 : 1;
}

#ifndef STORY_NO_MAIN
int main(int argc, char **argv) {
  return story(argc, argv, stdout, stderr);
}
#endif
