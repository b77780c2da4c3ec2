/* The story example without its main, for test_story.cpp, which declares these functions again. */
#define _POSIX_C_SOURCE 200809L /* files in memory */
#define STORY_NO_MAIN
#include "../docs/examples/story.c"

typedef attn_status story_attention(const attn_params *params, void *workspace,
                                    size_t workspace_size);

struct program *story_open(const char *checkpoint, const char *tokenizer, int64_t positions,
                           attn_type kv_type, story_attention *attention, char *error,
                           size_t error_size);
void story_close(struct program *p);
int64_t story_vocab_size(const struct program *p);
int64_t story_encode(const struct program *p, const char *text, int32_t *ids);
int story_logits(struct program *p, const int32_t *ids, int64_t rows, int64_t pos, float *logits);
int story_main(int argc, char **argv, char *out, char *log, size_t size);
int story_tell(const void *checkpoint, size_t checkpoint_size, const void *tokenizer,
               size_t tokenizer_size, const char *prompt, attn_type kv_type, char *log,
               size_t log_size);

/* A model with an open session of that many positions; or null, and what went wrong. */
struct program *story_open(const char *checkpoint, const char *tokenizer, int64_t positions,
                           attn_type kv_type, story_attention *attention, char *error,
                           size_t error_size) {
  char text[ERROR_SIZE] = "";
  struct program *p = (struct program *)calloc(1, sizeof *p);
  if (p != NULL) {
    snprintf(p->paths[0], PATH_SIZE, "%s", checkpoint);
    snprintf(p->paths[1], PATH_SIZE, "%s", tokenizer);
    if (load(p, 0, text) && load(p, 1, text) &&
        open_session(&p->session, &p->model, positions, positions, kv_type, text)) {
      p->session.attention = attention;
      return p;
    }
  }
  snprintf(error, error_size, "%s", text);
  story_close(p);
  return NULL;
}

void story_close(struct program *p) {
  if (p == NULL) return;
  close_program(p);
  free(p);
}

int64_t story_vocab_size(const struct program *p) {
  return p->model.config.vocab_size;
}

int64_t story_encode(const struct program *p, const char *text, int32_t *ids) {
  return encode(&p->tokenizer, text, ids);
}

/* Run `rows` tokens from position pos on, and give logits[rows, vocab_size]. Returns 1, or 0. */
int story_logits(struct program *p, const int32_t *ids, int64_t rows, int64_t pos, float *logits) {
  char error[ERROR_SIZE];
  const int64_t vocab_size = p->model.config.vocab_size;
  if (!forward(&p->session, ids, rows, pos, error)) return 0;
  for (int64_t i = 0; i < rows; i++) {
    memcpy(logits + i * vocab_size, classify(&p->session, i), (size_t)vocab_size * sizeof *logits);
  }
  return 1;
}

/* As text: a random model may print bytes that are zero, which become question marks. */
static void read_back(FILE *file, char *text, size_t size) {
  rewind(file);
  const size_t length = fread(text, 1, size - 1, file);
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\0') text[i] = '?';
  }
  text[length] = '\0';
  fclose(file);
}

/* The whole program; out and log, of `size` bytes each, get what it writes. */
int story_main(int argc, char **argv, char *out, char *log, size_t size) {
  FILE *out_file = tmpfile(), *log_file = tmpfile();
  if (out_file == NULL || log_file == NULL) return -1;
  const int code = story(argc, argv, out_file, log_file);
  read_back(out_file, out, size);
  read_back(log_file, log, size);
  return code;
}

/* Bytes as a file that is read. */
static FILE *as_file(const void *bytes, size_t size) {
  return fmemopen((void *)(uintptr_t)bytes, size, "rb");
}

/* A text of the model and tokenizer that these bytes are: returns 1, or 0 and what is wrong. */
int story_tell(const void *checkpoint, size_t checkpoint_size, const void *tokenizer,
               size_t tokenizer_size, const char *prompt, attn_type kv_type, char *log,
               size_t log_size) {
  char error[ERROR_SIZE] = "no file", *text = NULL;
  size_t length = 0;
  struct program p;
  FILE *const files[3] = {as_file(checkpoint, checkpoint_size), as_file(tokenizer, tokenizer_size),
                          open_memstream(&text, &length)};
  bool ok = files[0] != NULL && files[1] != NULL && files[2] != NULL;
  memset(&p, 0, sizeof p);
  p.prompt = prompt;
  p.kv_type = kv_type;
  ok = ok && load_model(&p.model, files[0], "checkpoint", error) &&
       load_tokenizer(&p.tokenizer, p.model.config.vocab_size, files[1], "tokenizer", error) &&
       tell(&p, files[2], files[2], error);
  for (int i = 0; i < 3; i++) {
    if (files[i] != NULL) fclose(files[i]);
  }
  free(text);
  close_program(&p);
  snprintf(log, log_size, "%s", error);
  return ok;
}
