/* ------------------------------------------------------------------ CPU -- */

/* What kernels may require. A bit is set only if the CPU has the instructions and the operating
 * system saves their registers. */
#define ATTNI_CPU_SSE41 (1u << 0)
#define ATTNI_CPU_AVX (1u << 1)
#define ATTNI_CPU_AVX2 (1u << 2)
#define ATTNI_CPU_FMA (1u << 3)
#define ATTNI_CPU_F16C (1u << 4)
#define ATTNI_CPU_AVX512F (1u << 5)
#define ATTNI_CPU_AVX512BW (1u << 6)
#define ATTNI_CPU_AVX512DQ (1u << 7)
#define ATTNI_CPU_AVX512VL (1u << 8)
#define ATTNI_CPU_AVX512VNNI (1u << 9)
#define ATTNI_CPU_AVX512BF16 (1u << 10)
#define ATTNI_CPU_NEON (1u << 11)
#define ATTNI_CPU_BF16 (1u << 12) /* of AArch64 */

/* The words of CPUID and XGETBV that the detector looks at; 0 where a leaf does not exist. */
typedef struct attni_cpu_words {
  uint32_t leaf0_ebx; /* the vendor's first letters */
  uint32_t leaf1_eax; /* family and model */
  uint32_t leaf1_ecx;
  uint32_t leaf7_ebx;
  uint32_t leaf7_ecx;
  uint32_t leaf7_1_eax;
  uint32_t xcr0;
} attni_cpu_words;

#ifdef ATTNI_X86

static void attni_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t words[4]) {
#ifdef _MSC_VER
  int registers[4];
  __cpuidex(registers, (int)leaf, (int)subleaf);
  memcpy(words, registers, sizeof registers);
#else
  __cpuid_count(leaf, subleaf, words[0], words[1], words[2], words[3]);
#endif
}

static uint32_t attni_xgetbv0(void) {
#ifdef _MSC_VER
  return (uint32_t)_xgetbv(0);
#else
  uint32_t eax, edx;
  __asm__ volatile(".byte 0x0f, 0x01, 0xd0" /* xgetbv */ : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
#endif
}

/* A test may replace these two to play another CPU. */
#ifndef ATTNI_CPUID
#define ATTNI_CPUID(leaf, subleaf, words) attni_cpuid(leaf, subleaf, words)
#define ATTNI_XGETBV0() attni_xgetbv0()
#endif

/* No leaf beyond the last is asked for: Intel's CPUs answer with the words of another. */
static attni_cpu_words attni_cpu_read(void) {
  const uint32_t osxsave = 1u << 27;
  attni_cpu_words cpu = {0, 0, 0, 0, 0, 0, 0};
  uint32_t words[4];
  uint32_t max_leaf;
  ATTNI_CPUID(0, 0, words);
  max_leaf = words[0];
  cpu.leaf0_ebx = words[1];
  if (max_leaf >= 1) {
    ATTNI_CPUID(1, 0, words);
    cpu.leaf1_eax = words[0];
    cpu.leaf1_ecx = words[2];
    if (cpu.leaf1_ecx & osxsave) cpu.xcr0 = ATTNI_XGETBV0();
  }
  if (max_leaf >= 7) {
    ATTNI_CPUID(7, 0, words);
    cpu.leaf7_ebx = words[1];
    cpu.leaf7_ecx = words[2];
    if (words[0] >= 1) {
      ATTNI_CPUID(7, 1, words);
      cpu.leaf7_1_eax = words[0];
    }
  }
  return cpu;
}

#endif /* ATTNI_X86 */

static uint32_t attni_bit(uint32_t word, int bit, uint32_t flag) {
  return (word >> bit) & 1u ? flag : 0;
}

/* Bits of Intel SDM volume 2A, CPUID. XCR0: 1 SSE, 2 AVX; 5 opmask, 6 and 7 the ZMM halves. (macOS
 * sets the last three when a thread first uses such a register: see docs/dispatch.md.) */
static ATTNI_UNUSED uint32_t attni_cpu_decode(attni_cpu_words cpu) {
  const bool os_avx = (cpu.xcr0 & 0x06u) == 0x06u;
  const bool os_avx512 = (cpu.xcr0 & 0xe6u) == 0xe6u;
  uint32_t flags = attni_bit(cpu.leaf1_ecx, 19, ATTNI_CPU_SSE41);
  if (os_avx && attni_bit(cpu.leaf1_ecx, 28, 1)) {
    flags |= ATTNI_CPU_AVX;
    flags |= attni_bit(cpu.leaf7_ebx, 5, ATTNI_CPU_AVX2);
    flags |= attni_bit(cpu.leaf1_ecx, 12, ATTNI_CPU_FMA);
    flags |= attni_bit(cpu.leaf1_ecx, 29, ATTNI_CPU_F16C);
  }
  if (os_avx512 && (flags & ATTNI_CPU_AVX2) && attni_bit(cpu.leaf7_ebx, 16, 1)) {
    flags |= ATTNI_CPU_AVX512F;
    flags |= attni_bit(cpu.leaf7_ebx, 30, ATTNI_CPU_AVX512BW);
    flags |= attni_bit(cpu.leaf7_ebx, 17, ATTNI_CPU_AVX512DQ);
    flags |= attni_bit(cpu.leaf7_ebx, 31, ATTNI_CPU_AVX512VL);
    flags |= attni_bit(cpu.leaf7_ecx, 11, ATTNI_CPU_AVX512VNNI);
    flags |= attni_bit(cpu.leaf7_1_eax, 5, ATTNI_CPU_AVX512BF16);
  }
  return flags;
}

/* Sapphire and Emerald Rapids, models 143 and 207 of Intel's family 6, take four times as long for
 * AVX512_BF16's two multiply-adds as for an FMA: f32 is faster there. (Measured on the latter,
 * whose core is the same.) */
static ATTNI_UNUSED bool attni_cpu_slow_bf16(attni_cpu_words cpu) {
  const uint32_t family = cpu.leaf1_eax >> 8 & 0xfu;
  const uint32_t model = (cpu.leaf1_eax >> 4 & 0xfu) | (cpu.leaf1_eax >> 12 & 0xf0u);
  const uint32_t genu = 0x756e6547u; /* of GenuineIntel */
  return cpu.leaf0_ebx == genu && family == 6 && (model == 143 || model == 207);
}

/* What pays of what there is. */
static ATTNI_UNUSED uint32_t attni_cpu_choose(attni_cpu_words cpu) {
  const uint32_t flags = attni_cpu_decode(cpu);
  return attni_cpu_slow_bf16(cpu) ? flags & ~ATTNI_CPU_AVX512BF16 : flags;
}

#ifdef ATTNI_ARM64

#ifdef __APPLE__
/* Of sys/sysctl.h, which does not compile with every _POSIX_C_SOURCE. */
#ifdef __cplusplus
extern "C" {
#endif
int sysctlbyname(const char *, void *, size_t *, void *, size_t);
#ifdef __cplusplus
}
#endif
#endif

/* NEON is part of the architecture; of BF16 the system tells, where it is known how to ask. */
static ATTNI_UNUSED uint32_t attni_cpu_ask(void) {
  bool bf16 = false;
#if defined(__linux__)
  const unsigned long hwcap2 = 26, bit = 14; /* AT_HWCAP2, HWCAP2_BF16: missing in older headers */
  bf16 = (getauxval(hwcap2) >> bit & 1) != 0;
#elif defined(__APPLE__)
  int value = 0;
  size_t size = sizeof value;
  bf16 = sysctlbyname("hw.optional.arm.FEAT_BF16", &value, &size, NULL, 0) == 0 && value != 0;
#endif
  return ATTNI_CPU_NEON | (bf16 ? ATTNI_CPU_BF16 : 0);
}

#endif /* ATTNI_ARM64 */

/* A test may replace this function to play another CPU. */
#ifndef ATTNI_CPU_FLAGS
#if defined(ATTNI_X86)
#define ATTNI_CPU_FLAGS() attni_cpu_choose(attni_cpu_read())
#elif defined(ATTNI_ARM64)
#define ATTNI_CPU_FLAGS() attni_cpu_ask()
#else
#define ATTNI_CPU_FLAGS() 0u
#endif
#endif

/* Read once. Two threads that come first together compute the same value. */
static attni_shared_int attni_cpu_cache = -1;
static uint32_t attni_cpu_flags(void) {
  int flags = attni_load(&attni_cpu_cache);
  if (flags < 0) {
    flags = (int)(ATTNI_CPU_FLAGS());
    attni_store(&attni_cpu_cache, flags);
  }
  return (uint32_t)flags;
}
