/* ------------------------------------------------------ public functions -- */

ATTN_API attn_status attn_plan_init(attn_plan *plan, const attn_params *params) {
  attn_plan made;
  attn_status status;
  if (plan == NULL) return ATTN_ERR_PLAN;
  status = attni_make_plan(&made, params, true);
  if (status == ATTN_OK) *plan = made;
  return status;
}

ATTN_API attn_status attn_plan_update(attn_plan *plan, const attn_params *params) {
  attn_plan next;
  attn_status status;
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (params == NULL) return ATTN_ERR_PARAMS;
  next = *plan;
  next.params = *params;
  attni_fill_defaults(&next.params);
  if (!attni_same_call(&plan->params, &next.params)) return ATTN_ERR_PLAN_CHANGED;
  next.params.capacity_q = plan->params.capacity_q;
  next.params.capacity_kv = plan->params.capacity_kv;
  next.params.threads = plan->params.threads;
  if (next.params.capacity_q == 0 && params->len_q != plan->params.len_q) {
    return ATTN_ERR_CAPACITY_Q;
  }
  if (next.params.capacity_kv == 0 && params->len_kv != plan->params.len_kv) {
    return ATTN_ERR_CAPACITY_KV;
  }
  status = attni_check_params(&next.params, true);
  if (status == ATTN_OK) status = attni_derive_run(&next, plan->kernels->isa);
  if (status == ATTN_OK) *plan = next;
  return status;
}

ATTN_API int64_t attn_plan_tasks(const attn_plan *plan) {
  return attni_plan_ok(plan) ? plan->tasks : 0;
}

ATTN_API size_t attn_plan_scratch_size(const attn_plan *plan) {
  return attni_plan_ok(plan) ? plan->scratch_size : 0;
}

ATTN_API size_t attn_plan_shared_size(const attn_plan *plan) {
  return attni_plan_ok(plan) ? plan->shared_size : 0;
}

static attn_status attni_check_shared(const attn_plan *plan, const void *shared, size_t size) {
  if (plan->shared_size > 0 && (shared == NULL || size < plan->shared_size)) {
    return ATTN_ERR_SHARED;
  }
  return ATTN_OK;
}

ATTN_API attn_status attn_plan_run(const attn_plan *plan, int64_t task, void *scratch,
                                   size_t scratch_size, void *shared, size_t shared_size) {
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (task < 0 || task >= plan->tasks) return ATTN_ERR_TASK;
  if (scratch == NULL || scratch_size < plan->scratch_size) return ATTN_ERR_SCRATCH;
  if (attni_check_shared(plan, shared, shared_size) != ATTN_OK) return ATTN_ERR_SHARED;
  attni_run_task(plan, task, plan->tasks, scratch, shared);
  return ATTN_OK;
}

ATTN_API attn_status attn_plan_finish(const attn_plan *plan, void *shared, size_t shared_size) {
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (attni_check_shared(plan, shared, shared_size) != ATTN_OK) return ATTN_ERR_SHARED;
  attni_merge(plan, shared);
  return ATTN_OK;
}

/* How many threads attn_forward may run: no more than there are tasks, unless updates of the
 * lengths may bring more. */
static int64_t attni_threads(const attn_plan *plan) {
#ifdef ATTN_USE_OPENMP
  const attn_params *const p = &plan->params;
  const int64_t threads = attni_wanted_threads(p);
  if (p->capacity_q != 0 || p->capacity_kv != 0) return threads;
  return attni_max(1, attni_min(threads, plan->tasks));
#else
  (void)plan;
  return 1;
#endif
}

/* Each thread's scratch, one after the other, then shared; SIZE_MAX if that overflows. */
static size_t attni_workspace_bytes(const attn_plan *plan) {
  const size_t threads = (size_t)attni_threads(plan), room = SIZE_MAX - plan->shared_size;
  if (plan->scratch_size > room / threads) return SIZE_MAX;
  return plan->scratch_size * threads + plan->shared_size;
}

static void attni_forward_in(const attn_plan *plan, char *workspace) {
  const size_t scratch_size = plan->scratch_size;
  const int64_t threads = attni_threads(plan);
  char *const shared = workspace + scratch_size * (size_t)threads;
  int64_t task;
#ifdef ATTN_USE_OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads) if (threads > 1)
#endif
  for (task = 0; task < plan->tasks; ++task) {
#ifdef ATTN_USE_OPENMP
    const size_t thread = threads > 1 ? (size_t)omp_get_thread_num() : 0;
#else
    const size_t thread = 0;
#endif
    attni_run_task(plan, task, threads > 1 ? plan->tasks : task + 1,
                   workspace + scratch_size * thread, shared);
  }
  attni_merge(plan, shared);
}

ATTN_API attn_status attn_workspace_size(const attn_params *params, size_t *size) {
  attn_plan plan;
  attn_status status;
  if (size == NULL) return ATTN_ERR_RESULT;
  status = attni_make_plan(&plan, params, false);
  if (status != ATTN_OK) return status;
  if (attni_workspace_bytes(&plan) == SIZE_MAX) return ATTN_ERR_OVERFLOW;
  *size = attni_workspace_bytes(&plan);
  return ATTN_OK;
}

ATTN_API attn_status attn_forward(const attn_params *params, void *workspace,
                                  size_t workspace_size) {
  attn_plan plan;
  void *own;
  attn_status status = attni_make_plan(&plan, params, true);
  if (status != ATTN_OK) return status;
  status = attni_take_workspace(attni_workspace_bytes(&plan), workspace_size, &workspace, &own);
  if (status != ATTN_OK) return status;
  attni_forward_in(&plan, (char *)workspace);
  if (own != NULL) ATTN_FREE(own);
  return ATTN_OK;
}

ATTN_API attn_status attn_plan_get_info(const attn_plan *plan, attn_plan_info *info) {
  if (!attni_plan_ok(plan)) return ATTN_ERR_PLAN;
  if (info == NULL) return ATTN_ERR_RESULT;
  info->isa = plan->kernels->isa;
  info->family = plan->kernels->family;
  info->kernel_qk = plan->qk->name;
  info->kernel_pv = plan->pv->name;
  info->tile_q = plan->kernels->tile_q;
  info->tile_k = plan->tile_k;
  info->tiles = (int32_t)plan->block;
  info->chunks = (int32_t)plan->chunks;
  info->tasks = plan->tasks;
  info->scratch_size = plan->scratch_size;
  info->shared_size = plan->shared_size;
  info->workspace_size = attni_workspace_bytes(plan);
  return ATTN_OK;
}

ATTN_API int attn_plan_describe(const attn_plan *plan, char *text, size_t size) {
  attn_plan_info info;
  if (attn_plan_get_info(plan, &info) != ATTN_OK) {
    return snprintf(text, size, "%s", attn_status_string(ATTN_ERR_PLAN));
  }
  return snprintf(
      text, size,
      "%s, %s: %.0f task(s) of %d tile(s) of up to %d rows by %d keys, %d chunk(s); scores by "
      "'%s', values by '%s'; %.0f bytes of scratch per thread, %.0f shared",
      attn_isa_name(info.isa), attn_family_name(info.family), (double)info.tasks, (int)info.tiles,
      (int)info.tile_q, (int)info.tile_k, (int)info.chunks, info.kernel_qk, info.kernel_pv,
      (double)info.scratch_size, (double)info.shared_size);
}

ATTN_API int attn_version(void) {
  return ATTN_VERSION;
}

ATTN_API size_t attn_type_size(attn_type type) {
  return attni_size_of(type);
}

ATTN_API const char *attn_type_name(attn_type type) {
  static const char *const names[] = {"f32", "f16", "bf16", "i8", "bool"};
  return (size_t)type < ATTNI_COUNT(names) ? names[type] : "unknown";
}

ATTN_API attn_isa attn_cpu_isa(void) {
  return attni_best_isa();
}

ATTN_API bool attn_isa_supported(attn_isa isa) {
  return attni_isa_runs(isa);
}

ATTN_API attn_status attn_set_isa(attn_isa isa) {
  if (isa != ATTN_ISA_AUTO && !attni_isa_runs(isa)) return ATTN_ERR_ISA;
  attni_store(&attni_default_isa, (int)isa);
  return ATTN_OK;
}

ATTN_API const char *attn_isa_name(attn_isa isa) {
  size_t i;
  for (i = 0; i < ATTNI_COUNT(attni_isa_names); ++i) {
    if (attni_isa_names[i].isa == isa) return attni_isa_names[i].name;
  }
  return "unknown";
}

ATTN_API const char *attn_family_name(attn_family family) {
  static const char *const names[] = {"auto", "prefill", "decode"};
  return (size_t)family < ATTNI_COUNT(names) ? names[family] : "unknown";
}

ATTN_API const char *attn_status_string(attn_status status) {
#define ATTNI_STATUS_TEXT(name, text) text,
  static const char *const texts[] = {ATTNI_STATUS_LIST(ATTNI_STATUS_TEXT)};
#undef ATTNI_STATUS_TEXT
  return (size_t)status < ATTNI_COUNT(texts) ? texts[status] : "unknown";
}
