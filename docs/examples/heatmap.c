/* heatmap.c: a picture of what a language model looks at, by attn_weights of attn.h.
 *
 *   cc -O2 -I. docs/examples/heatmap.c -o heatmap -lm
 *   ./heatmap DIRECTORY [-p PROMPT] [-n TOKENS] [-l LAYER] [-h HEAD] [-o FILE]
 *
 * The model of story.c (which see for DIRECTORY and what else it takes) continues PROMPT until the
 * text has TOKENS tokens. Then the text goes through the model once more, and on the way the
 * attention weights of one layer and one query head, or of the mean of its heads with "-h mean",
 * are drawn to FILE (heatmap.svg) as SVG: a row for each token, a column for each token it may look
 * at. Layers and heads count from 0.
 *
 * What to look at: look() stands in for attn_forward. It is given the same params, asks for the
 * weights of the chosen head, and calls attn_forward after that. */

#define ATTN_IMPLEMENTATION
#define STORY_NO_MAIN
#include "story.c"

enum { DEFAULT_TOKENS = 40, MAX_TOKENS = 120 }; /* beyond which nobody can read the labels */
enum { CELL = 16, CHARACTER = 8, TOP = 64, MARGIN = 16 };

/* ---------------------------------------------------------------- the weights */

/* What to draw. attn_forward has no argument for it, so it is global. */
static struct {
  int64_t layer, calls;
  int32_t head;   /* -1: the mean of all */
  float *weights; /* [tokens, tokens] */
} view;

/* attn_forward, and at the chosen layer the weights too. The layers call it in turn. */
static attn_status look(const attn_params *params, void *workspace, size_t workspace_size) {
  if (view.calls++ == view.layer) {
    attn_weights_params what;
    memset(&what, 0, sizeof what);
    what.stage = ATTN_STAGE_WEIGHTS;
    if (view.head >= 0) {
      what.heads = &view.head;
      what.head_count = 1;
    }
    what.mean_heads = view.head < 0;
    what.queries = params->len_q;
    what.out = attn_bhsd(view.weights, ATTN_F32, params->len_q, 1, params->len_kv);
    const attn_status status = attn_weights(params, &what, NULL, 0);
    if (status != ATTN_OK) return status;
  }
  return attn_forward(params, workspace, workspace_size);
}

/* ---------------------------------------------------------------- the picture */

/* The bytes of a character of UTF-8 that XML may hold; 0 if there is none. */
static int32_t character_length(const char *text, int32_t length) {
  const unsigned char first = (unsigned char)text[0];
  const int32_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  uint32_t code = size == 1 ? first : first & (0x7Fu >> size);
  if (first < 0x20 || first == 0x7F || (first >= 0x80 && first < 0xC2) || first > 0xF4) return 0;
  if (size > length) return 0;
  for (int32_t i = 1; i < size; i++) {
    if (((unsigned char)text[i] & 0xC0) != 0x80) return 0;
    code = code << 6 | ((unsigned char)text[i] & 0x3F);
  }
  if (size == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000) || code > 0xFFFD)) return 0;
  if (size == 4 && (code < 0x10000 || code > 0x10FFFF)) return 0;
  return size;
}

/* Print a token as a label, if out is not null: a space becomes a dot, a new line an arrow. Returns
 * its length in characters. */
static int64_t print_label(const struct tokenizer *t, int32_t id, FILE *out) {
  const char *bytes = t->tokens[id].bytes;
  int32_t length = t->tokens[id].length, size;
  int64_t characters = 0;
  if (id == BOS) {
    bytes = "<s>";
    length = 3;
  } else if (length == 6 && memcmp(bytes, "<0x0A>", 6) == 0) {
    bytes = "\xE2\x86\xB5";
    length = 3;
  }
  for (; length > 0; bytes += size, length -= size, characters++) {
    size = character_length(bytes, length);
    if (out == NULL) {
      size = size == 0 ? 1 : size;
    } else if (size == 0) {
      size = 1;
      fputc('?', out);
    } else if (*bytes == ' ') {
      fputs("\xC2\xB7", out);
    } else if (strchr("<>&\"", *bytes) != NULL) {
      fprintf(out, "&#%d;", *bytes);
    } else {
      fwrite(bytes, 1, (size_t)size, out);
    }
  }
  return characters;
}

/* The colour of a weight: from nearly white to dark blue, by its square root, so that small ones
 * can be told from none. */
static void print_colour(float weight, FILE *out) {
  static const int colours[9][3] = {{247, 251, 255}, {222, 235, 247}, {198, 219, 239},
                                    {158, 202, 225}, {107, 174, 214}, {66, 146, 198},
                                    {33, 113, 181},  {8, 81, 156},    {8, 48, 107}};
  const float at = 8.0f * sqrtf(weight < 0.0f ? 0.0f : weight > 1.0f ? 1.0f : weight);
  const int below = at < 8.0f ? (int)at : 7;
  int mixed[3];
  for (int i = 0; i < 3; i++) {
    const float from = (float)colours[below][i], to = (float)colours[below + 1][i];
    mixed[i] = (int)(from + (to - from) * (at - (float)below) + 0.5f);
  }
  fprintf(out, "#%02x%02x%02x", (unsigned)mixed[0], (unsigned)mixed[1], (unsigned)mixed[2]);
}

/* The scale, in the corner that a causal mask leaves empty: `steps` boxes, from weight 1 down to 0.
 */
static void draw_scale(int64_t x, int64_t y, FILE *out) {
  enum { STEPS = 24, HEIGHT = 6 };
  static const float marks[] = {1.0f, 0.5f, 0.25f, 0.1f, 0.01f, 0.0f};
  fprintf(out, "<text x=\"%ld\" y=\"%ld\">weight</text>\n", (long)x, (long)(y - 14));
  for (int i = 0; i < STEPS; i++) {
    const float root = 1.0f - ((float)i + 0.5f) / (float)STEPS;
    fprintf(out, "<rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" fill=\"", (long)x,
            (long)(y + i * HEIGHT), CELL, HEIGHT);
    print_colour(root * root, out);
    fputs("\"/>\n", out);
  }
  for (int i = 0; i < 6; i++) {
    fprintf(out, "<text x=\"%ld\" y=\"%.1f\">%g</text>\n", (long)(x + CELL + 6),
            (double)y + 4.0 + (1.0 - sqrt((double)marks[i])) * (double)(STEPS * HEIGHT),
            (double)marks[i]);
  }
}

static void draw_cells(const struct tokenizer *t, const int32_t *ids, int64_t tokens, int64_t left,
                       FILE *out) {
  for (int64_t i = 0; i < tokens; i++) {
    for (int64_t j = 0; j <= i; j++) {
      const float weight = view.weights[i * tokens + j];
      fprintf(out, "<rect class=\"w\" x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" fill=\"",
              (long)(left + j * CELL), (long)(TOP + i * CELL), CELL, CELL);
      print_colour(weight, out);
      fputs("\"><title>", out);
      print_label(t, ids[i], out);
      fputs(" to ", out);
      print_label(t, ids[j], out);
      fprintf(out, ": %.4f</title></rect>\n", (double)weight);
    }
  }
}

static void draw(const struct program *p, int64_t tokens, FILE *out) {
  const struct tokenizer *t = &p->tokenizer;
  const struct config *c = &p->model.config;
  int64_t longest = 0;
  for (int64_t i = 0; i < tokens; i++) {
    const int64_t length = print_label(t, p->ids[i], NULL);
    longest = length > longest ? length : longest;
  }
  const int64_t labels = longest * CHARACTER + 12, left = MARGIN + labels, side = tokens * CELL;
  const int64_t least = 640, right = left + side + MARGIN;
  const int64_t width = right < least ? least : right, height = TOP + side + labels + MARGIN;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" "
          "viewBox=\"0 0 %ld %ld\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" "
          "font-size=\"12\" fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" "
          "fill=\"white\"/>\n",
          (long)width, (long)height, (long)width, (long)height);
  fprintf(out,
          "<text x=\"%d\" y=\"26\" font-size=\"17\">Attention weights: layer %ld of 0 to "
          "%ld, ",
          MARGIN, (long)view.layer, (long)(c->layers - 1));
  if (view.head < 0) {
    fprintf(out, "mean of %ld heads</text>\n", (long)c->heads_q);
  } else {
    fprintf(out, "head %ld of 0 to %ld</text>\n", (long)view.head, (long)(c->heads_q - 1));
  }
  fprintf(out,
          "<text x=\"%d\" y=\"46\" fill=\"#555\">Each row: how much a token takes from itself and "
          "those before it (columns). \xC2\xB7 is a space.</text>\n",
          MARGIN);
  draw_cells(t, p->ids, tokens, left, out);
  for (int64_t i = 0; i < tokens; i++) {
    const int64_t x = left + i * CELL + CELL / 2 + 4, y = TOP + side + 6;
    fprintf(out, "<text x=\"%ld\" y=\"%ld\" text-anchor=\"end\">", (long)(left - 6),
            (long)(TOP + i * CELL + CELL / 2 + 4));
    print_label(t, p->ids[i], out);
    fprintf(out, "</text>\n<text transform=\"translate(%ld %ld) rotate(-90)\" text-anchor=\"end\">",
            (long)x, (long)y);
    print_label(t, p->ids[i], out);
    fputs("</text>\n", out);
  }
  draw_scale(width - MARGIN - CELL - 6 - 4 * CHARACTER, TOP + 30, out);
  fputs("</svg>\n", out);
}

/* ---------------------------------------------------------------- the program */

/* A number from 0, or an error that names what it is of. */
static bool read_number(int64_t *number, const char *text, const char *what, char *error) {
  char *end = NULL;
  *number = strtol(text, &end, 10);
  if (end != text && *end == '\0' && *number >= 0 && *number < INT32_MAX) return true;
  return fail(error, "%s must be a number from 0, not \"%s\"", what, text);
}

/* Take the options of heatmap out of argv, and leave the rest to story.c. */
static bool read_options(struct program *p, int argc, char **argv, const char **path, char *error) {
  int kept = 1;
  *path = "heatmap.svg";
  for (int i = 1; i < argc; i++) {
    const char option = argv[i][0] == '-' && strlen(argv[i]) == 2 ? argv[i][1] : '\0';
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    int64_t number = -1;
    if (option == '\0' || strchr("lho", option) == NULL) {
      argv[kept++] = argv[i];
      if (option != '\0' && value != NULL) argv[kept++] = argv[++i];
      continue;
    }
    if (value == NULL) return fail(error, "%s needs a value", argv[i]);
    i++;
    if (option == 'o') {
      *path = value;
    } else if (option == 'l') {
      if (!read_number(&view.layer, value, "the layer", error)) return false;
    } else {
      if (strcmp(value, "mean") != 0 && !read_number(&number, value, "the head", error))
        return false;
      view.head = (int32_t)number;
    }
  }
  if (kept == 1) {
    return fail(error,
                "usage: heatmap DIRECTORY | CHECKPOINT TOKENIZER [-p PROMPT] [-n TOKENS] "
                "[-l LAYER] [-h HEAD|mean] [-o FILE]");
  }
  return read_arguments(p, kept, argv, error);
}

/* The prompt's tokens, and how many the text shall have. */
static bool begin_text(struct program *p, int64_t *count, char *error) {
  const int64_t length = (int64_t)strlen(p->prompt), seq_len = p->model.config.seq_len;
  const int64_t most = seq_len < MAX_TOKENS ? seq_len : MAX_TOKENS;
  const char *const too_long = "a picture has room for %ld tokens of this model, not for %ld";
  if (p->steps > most) return fail(error, too_long, (long)most, (long)p->steps);
  if (length > most * p->tokenizer.max_length) return fail(error, "the prompt is too long");
  p->ids = (int32_t *)allocate(most + length + 2, sizeof *p->ids);
  if (p->ids == NULL) return fail(error, "no memory for the tokens");
  *count = encode(&p->tokenizer, p->prompt, p->ids);
  if (p->steps == 0) p->steps = *count > DEFAULT_TOKENS ? *count : DEFAULT_TOKENS;
  if (p->steps > most && *count <= most) p->steps = most;
  if (*count > most) return fail(error, too_long, (long)most, (long)*count);
  if (*count > p->steps) {
    return fail(error, "the prompt has %ld tokens, more than %ld", (long)*count, (long)p->steps);
  }
  return true;
}

static bool show(struct program *p, int argc, char **argv, FILE *log, char *error) {
  const struct config *c = &p->model.config;
  const char *path;
  int64_t count = 0;
  if (!read_options(p, argc, argv, &path, error) || !load(p, 0, error) || !load(p, 1, error)) {
    return false;
  }
  if (view.layer >= c->layers) {
    return fail(error, "the model has the layers 0 to %ld, not %ld", (long)(c->layers - 1),
                (long)view.layer);
  }
  if (view.head >= c->heads_q) {
    return fail(error, "the model has the heads 0 to %ld, not %ld", (long)(c->heads_q - 1),
                (long)view.head);
  }
  if (!begin_text(p, &count, error) ||
      !open_session(&p->session, &p->model, p->steps, p->steps, p->kv_type, error)) {
    return false;
  }
  const int64_t tokens = generate(&p->session, &p->tokenizer, p->ids, count, p->steps, log, error);
  if (tokens == 0) return false;
  view.weights = (float *)allocate(tokens * tokens, sizeof(float));
  if (view.weights == NULL) return fail(error, "no memory for the weights");
  p->session.attention = look;
  if (!forward(&p->session, p->ids, tokens, 0, error)) return false;
  FILE *out = fopen(path, "wb");
  if (out == NULL) return fail(error, "cannot write %s: %s", path, strerror(errno));
  draw(p, tokens, out);
  const bool written = ferror(out) == 0;
  if (fclose(out) != 0 || !written) return fail(error, "cannot write %s", path);
  fprintf(log, "%s: the weights of %ld tokens\n", path, (long)tokens);
  return true;
}

int main(int argc, char **argv) {
  struct program p;
  char error[ERROR_SIZE];
  (void)story; /* whose part show() plays */
  memset(&p, 0, sizeof p);
  const bool ok = show(&p, argc, argv, stdout, error);
  if (!ok) fprintf(stderr, "heatmap: %s\n", error);
  free(view.weights);
  close_program(&p);
  return ok ? 0 : 1;
}
