# Tools around attn.h. GNU Make 4 or newer; `make` alone lists the targets.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
unexport ATTN_ISA

CC ?= cc
CFLAGS ?= -O2
HEADER ?= attn.h
RUNNER ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
STORY_DIR ?= ../shared/data/stories260K

# A variable's value if it was given to make itself: PREFIX and ISA may mean anything in the
# environment. Quoted for the shell.
given = $(if $(findstring command line,$(origin $1)),$($1))
quote_text = '$(subst ','\'',$1)'
quote = $(call quote_text,$(value $1))

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | \
	  while IFS='	' read -r target text; do printf '  make %-16s %s\n' "$$target" "$$text"; done

# ---- Programs

demo: build/demo ## attention on each instruction set of this machine: speed and error; CC=cc
	@$(RUNNER) build/demo

story: build/story ## a language model: CHECKPOINT=DIR [PROMPT="..."] [STEPS=256] [KV=f16] [ISA=avx2]
	@$(if $(CHECKPOINT),,echo 'story: say where the model is: make story CHECKPOINT=DIR' >&2; exit 1)
	@$(if $(call given,ISA),ATTN_ISA=$(call quote,ISA)) $(RUNNER) build/story \
	  $(call quote,CHECKPOINT) $(if $(call given,PROMPT),-p $(call quote,PROMPT)) \
	  $(if $(call given,STEPS),-n $(call quote,STEPS)) $(if $(call given,KV),-k $(call quote,KV))

heatmap: build/heatmap ## a picture of a model's attention: CHECKPOINT=DIR [PROMPT="..."] [STEPS=40] [LAYER=0] [HEAD=0|mean] [OUT=build/heatmap.svg]
	@$(if $(CHECKPOINT),,echo 'heatmap: say where the model is: make heatmap CHECKPOINT=DIR' >&2; exit 1)
	@$(if $(call given,ISA),ATTN_ISA=$(call quote,ISA)) $(RUNNER) build/heatmap \
	  $(call quote,CHECKPOINT) $(if $(call given,PROMPT),-p $(call quote,PROMPT)) \
	  $(if $(call given,STEPS),-n $(call quote,STEPS)) $(if $(call given,LAYER),-l $(call quote,LAYER)) \
	  $(if $(call given,HEAD),-h $(call quote,HEAD)) \
	  -o $(if $(call given,OUT),$(call quote,OUT),build/heatmap.svg)

bench: build/attn_bench ## speed against the peak of the core: [ARGS="--quick"], see ARGS="--help"
	@$(RUNNER) build/attn_bench $(if $(RUNNER),--emulated) $(ARGS)

report: ## docs/benchmarks.md and its plots, from bench/results/ or [FILES="a.json b.json"]
	@$(PYTHON) -c 'import matplotlib' 2>/dev/null || { echo 'matplotlib is missing: run "make deps"' >&2; exit 1; }
	@$(PYTHON) bench/report.py $(call given,FILES)

bench-compare: build/attn_bench ## this build against an earlier run: BASE=FILE; fails on a loss over 5%
	@$(if $(BASE),,echo 'bench-compare: say which run: make bench-compare BASE=FILE' >&2; exit 1)
	@$(PYTHON) bench/compare.py build/attn_bench $(call quote,BASE)

bench-predict: ## multiply-adds per cycle of the hot loops on other processors, by llvm-mca: [ARGS="--sizes d64"]
	@$(PYTHON) bench/predict.py $(ARGS)

PEERS_VENV = build/peers
deps-peers: ## install what bench-peers compares with: OpenBLAS, and PyTorch and onnxruntime in build/peers
	@tests/deps peers

# OpenBLAS's part is built where its header is; where it is not, the run says so.
bench-peers: $(PEERS_VENV)/bin/python build/libattn.so build/libattn_openmp.so ## attn.h and other implementations in turns: [ARGS="--quick"], see ARGS="--help"
	@test ! -e $(OPENBLAS_INCLUDE)/cblas.h || $(MAKE) --no-print-directory build/openblas_attn.so || true
	@$< -B bench/peers/peers.py $(ARGS)

$(PEERS_VENV)/bin/python:
	@test -x $@ || { echo '$(PEERS_VENV) is missing: run "make deps-peers"' >&2; exit 1; }

ifneq ($(filter deps-peers,$(MAKECMDGOALS)),)
$(PEERS_VENV)/bin/python: | deps-peers
endif

accuracy: build/accuracy ## the exponential's error over every float of its range, against SLEEF
	@$(RUNNER) build/accuracy

# The text goes to stderr, so that what a program prints can be piped.
compile = @echo $(call quote_text,$(CC) $(CFLAGS) $(strip $1)) >&2; $(CC) $(CFLAGS) $1

build/demo: bench/demo.c $(wildcard bench/*.h) $(HEADER) build/command
	$(call compile, -I$(dir $(HEADER)) $< -o $@ -lm)

build/attn_bench: bench/attn_bench.c $(wildcard bench/*.h) $(HEADER) build/command
	$(call compile, -I$(dir $(HEADER)) $< -o $@ -pthread -lm)

build/story: docs/examples/story.c $(HEADER) build/command
	$(call compile, -I$(dir $(HEADER)) $< -o $@ -lm)

build/heatmap: docs/examples/heatmap.c docs/examples/story.c $(HEADER) build/command
	$(call compile, -I$(dir $(HEADER)) $< -o $@ -lm)

build/accuracy: tests/accuracy.c $(wildcard tests/*.h) $(HEADER) build/command
	$(call compile, -I$(dir $(HEADER)) $< -o $@ -lsleef -lm)

# Linked in a step of its own: linking with -ffast-math would have the whole process flush denormals.
OPENBLAS_INCLUDE = /usr/include/$(MULTIARCH)/openblas-pthread
OPENBLAS_LIB = /usr/lib/$(MULTIARCH)/openblas-pthread
MULTIARCH = $(shell gcc -print-multiarch 2>/dev/null)
build/openblas_attn.so: bench/peers/openblas_attn.c build/command
	gcc -O3 -march=native -ffast-math -fopenmp -fPIC -I$(OPENBLAS_INCLUDE) -c $< -o build/openblas_attn.o
	gcc -shared -fopenmp build/openblas_attn.o -o $@ -L$(OPENBLAS_LIB) -Wl,-rpath,$(OPENBLAS_LIB) \
	  -lopenblas -lm

# Changes when programs have to be built anew: with another compiler, flags or header.
build/command: FORCE
	@mkdir -p build
	@echo $(call quote_text,$(CC) $(CFLAGS) $(HEADER)) > $@.new
	@cmp -s $@.new $@ || cp $@.new $@

# ---- The generator

gen: ## emit attn.h: [HEAD_SIZES="8 48"] [ISA="avx2 neon"] [PREFIX=foo] [OUT=build/foo.h]
	@$(require_jinja)
	@mkdir -p build
	@$(PYTHON) gen/generate.py \
	  $(if $(call given,HEAD_SIZES),--head-sizes $(HEAD_SIZES)) \
	  $(if $(call given,ISA),--isa $(ISA)) \
	  $(if $(call given,PREFIX),--prefix $(call quote,PREFIX)) \
	  $(if $(call given,OUT),--out $(call quote,OUT))

check-generated: ## whether attn.h and generated/ are what gen/ emits
	@$(require_jinja)
	@$(PYTHON) gen/generate.py --check

# Evaluated in recipes: `make deps test` makes the first one on the way.
PYTHON = $(shell [ -x build/venv/bin/python ] && echo build/venv/bin/python || echo python3)
require_jinja = $(PYTHON) -c 'import jinja2' 2>/dev/null || \
  { echo 'Jinja2 is missing: run "make deps"' >&2; exit 1; }

# ---- Tests

deps: ## install what gen and test need: packages of Debian or Ubuntu, and Python's in build/venv
	@tests/deps

# All suites, the longest first. Each is run by the target suite-NAME, which leaves a record; the
# sums are those of the records, so that a suite that does not build counts as failed.
NEON_SUITES := neon neon-fast neon-sleef
SUITES := neon avx512-emulated embed-clang-19 neon-fast embed-gcc-12 bench generator \
  embed-aarch64-linux-gnu-gcc embed-clang-14 embed-gcc-11 avx512-soft gcc-O2 neon-sleef openmp gcc-fast \
  clang-O2 clang-fast sleef package check-generated

test: ## build and run every test suite
	$(call run_suites,$(SUITES))

test-neon: ## build and run the suites for AArch64, under qemu
	$(call run_suites,$(NEON_SUITES) embed-aarch64-linux-gnu-gcc)

test-sanitize: ## the library under AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer, MemorySanitizer and Valgrind
	$(call run_suites,$(SANITIZE_SUITES))

deps-compilers: deps ## install what test-compilers needs besides: compilers, emulators, and Clang for other systems in build/compilers
	@tests/deps compilers

test-compilers: ## values on every compiler and target of docs/testing.md, and the tests on a big-endian processor
	$(call run_suites,$(COMPILER_SUITES))

deps-mutants: deps ## install what mutants needs besides: universalmutator in build/mutants
	@tests/deps mutants

mutants: programs-mutants ## change lines of the library, one at a time, and see whether the tests notice: [COUNT=150] [SEED=1] [FIRST=0], an hour
	@build/mutants/bin/python -B tests/mutants/mutate.py --warnings='$(WARNINGS) -Werror' \
	  --libraries='$(CATCH_LIBS) -lm' $(if $(call given,COUNT),--mutants $(call quote,COUNT)) \
	  $(if $(call given,SEED),--seed $(call quote,SEED)) $(if $(call given,FIRST),--first $(call quote,FIRST))

.PHONY: programs-mutants
programs-mutants:
	@test -x build/mutants/bin/mutate || { echo 'universalmutator is missing: run "make deps-mutants"' >&2; exit 1; }
	@$(submake) programs PROGRAMS_OF=gcc-O2

T := build/tests
RESULTS := $T/results
RUN = @$(PYTHON) tests/run

# Sub-makes, because the tools are looked up when they start: after deps. The programs are built first:
# suites that wait for theirs would be overtaken by short ones, and the long ones come last.
submake = $(MAKE) --no-print-directory --output-sync --keep-going \
  $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS))
define run_suites
@rm -rf $(RESULTS)
@$(submake) programs PROGRAMS_OF='$1' || true
@$(submake) $2 $(1:%=suite-%) || true
$(RUN) sum $(RESULTS) $1
endef

ifneq ($(filter deps deps-compilers deps-mutants,$(MAKECMDGOALS)),)
test test-neon test-avx512 test-sanitize gen check-generated: | deps
endif
ifneq ($(filter deps-compilers,$(MAKECMDGOALS)),)
test-compilers: | deps-compilers
endif
ifneq ($(filter deps-mutants,$(MAKECMDGOALS)),)
programs-mutants: | deps-mutants
endif

find_tool = $(firstword $(foreach tool,$1,$(shell command -v $(tool))))
CLANG := $(call find_tool,clang-19 clang clang-14)
CROSS := $(and $(call find_tool,qemu-aarch64),$(call find_tool,aarch64-linux-gnu-g++))
CROSS_SLEEF := $(and $(CROSS),$(wildcard /usr/lib/aarch64-linux-gnu/libsleef.so))

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
TEST_CXXFLAGS := -std=c++17 -O1 $(WARNINGS) -pthread -I. -MMD -MP
TEST_CFLAGS := -std=c99 -O1 $(WARNINGS) -I. -MMD -MP
CATCH_LIBS := $(if $(wildcard /usr/include/catch2/catch_all.hpp),-lCatch2)

TEST_CXX_SOURCES := $(wildcard tests/*.cpp) $(filter-out tests/fuzz/main.cpp,$(wildcard tests/fuzz/*.cpp))
TEST_C_SOURCES := $(filter-out tests/attn_impl.c tests/accuracy.c,$(wildcard tests/*.c))
test_objects = $(TEST_CXX_SOURCES:tests/%.cpp=$T/$1/%.o) $(TEST_C_SOURCES:tests/%.c=$T/$1/%.o)

# The tests' objects are shared by all suites of one processor; only the library is built anew. What all
# tests call, the reference and the data, is most of their time; Catch2 takes longer to compile than it runs.
HELPERS := elements reference support variants choices
define shared_objects
$(HELPERS:%=$T/$1/%.o): LEVEL := -O3
$T/$1/main.o: LEVEL := -O0
$T/$1/%.o: tests/%.cpp
	@mkdir -p $$(@D)
	@$2g++ $(TEST_CXXFLAGS) $$(LEVEL) -c -o $$@ $$<
$T/$1/%.o: tests/%.c
	@mkdir -p $$(@D)
	@$2gcc $(TEST_CFLAGS) -c -o $$@ $$<
endef
$(eval $(call shared_objects,native,))
$(eval $(call shared_objects,aarch64,aarch64-linux-gnu-))
$(eval $(call shared_objects,s390x,s390x-linux-gnu-))

# The test of a real model runs where its files are.
STORY_TEST := $(addprefix ATTN_STORY_DIR=,$(abspath $(wildcard $(STORY_DIR))))

# $(call suite,NAME,PROCESSOR,C compiler,its flags,linker,its flags,runner)
define suite
$T/$1/attn_impl.o: tests/attn_impl.c
	@mkdir -p $$(@D)
	@$3 -std=c99 $(WARNINGS) -Werror -I. -MMD -MP $4 -c -o $$@ $$<
$T/$1/test: $T/$1/attn_impl.o $(call test_objects,$2)
	@$5 -pthread -o $$@ $$^ $6 $(CATCH_LIBS) -lm
PROGRAM_$1 := $T/$1/test
suite-$1: $T/$1/test
	$$(RUN) catch2 $(RESULTS)/$1 env $(STORY_TEST) $7 $T/$1/test $$(TEST_ARGUMENTS)
endef

# $(call suite_if,CONDITION,why not,NAME,...): the suite, or a record that it was skipped.
define skipped_suite
suite-$2:
	$$(RUN) skip $(RESULTS)/$2 '$1'
endef
suite_if = $(if $1,$(call suite,$3,$4,$5,$6,$7,$8,$9),$(call skipped_suite,$2,$3))

# The sweep over all options is whole in the first suite, a fifth of it in the others.
FAST := -O3 -ffast-math
FEWER := ATTN_VARIANTS=4000
NO_CLANG := clang is not installed
$(eval $(call suite,gcc-O2,native,gcc,-O2,g++))
$(eval $(call suite,gcc-fast,native,gcc,$(FAST) -march=native,g++,,$(FEWER)))
$(eval $(call suite,sleef,native,gcc,-O2 -DATTN_USE_SLEEF,g++,-lsleef,$(FEWER)))
# Threads that wait sleep: beside another suite those that spin would take its processor's time.
$(eval $(call suite,openmp,native,gcc,-O2 -DATTN_USE_OPENMP -fopenmp,g++,-fopenmp,$\
  OMP_WAIT_POLICY=passive $(FEWER)))
$(eval $(call suite_if,$(CLANG),$(NO_CLANG),clang-O2,native,$(CLANG),-O2,g++,,$(FEWER)))
$(eval $(call suite_if,$(CLANG),$(NO_CLANG),clang-fast,native,$(CLANG),$(FAST),g++,,$(FEWER)))

# Under qemu everything takes long: the sweeps are smaller, and one suite runs all. The others run NEON,
# and leave out what -ffast-math, or SLEEF's exponential, cannot change: statuses, plans, which memory is
# accessed, who runs which task. Scalar code with these has the suites of this processor.
ARM := aarch64-linux-gnu
QEMU := ATTN_SWEEP=20 qemu-aarch64
SLEEF_FOR_ARM := -static-libstdc++ -static-libgcc /usr/lib/$(ARM)/libsleef.so
NO_CROSS := no $(ARM)-g++ or no qemu-aarch64
NO_CROSS_SLEEF := $(NO_CROSS) or no libsleef for AArch64
$(eval $(call suite_if,$(CROSS),$(NO_CROSS),neon,aarch64,$(ARM)-gcc,-O2,$(ARM)-g++,-static,$(QEMU)))
$(eval $(call suite_if,$(CROSS),$(NO_CROSS),neon-fast,aarch64,$(ARM)-gcc,$\
  $(FAST),$(ARM)-g++,-static,ATTN_TEST_ISA=neon $(QEMU)))
$(eval $(call suite_if,$(CROSS_SLEEF),$(NO_CROSS_SLEEF),neon-sleef,aarch64,$(ARM)-gcc,$\
  -O2 -DATTN_USE_SLEEF,$(ARM)-g++,$(SLEEF_FOR_ARM),\
  ATTN_TEST_ISA=neon $(QEMU)))
NO_NUMBERS := ~[campaign]~[story]~[status]~[plan]~[guard]~[threads]~[reference]~[blocks]
suite-neon-fast: TEST_ARGUMENTS = '$(NO_NUMBERS)'
suite-neon-sleef: TEST_ARGUMENTS = '$(NO_NUMBERS)~[variants]~[helpers]~[weights]~[types]~[bf16]'

# A processor with the other order of bytes has the scalar kernels: elements of every type, helpers, layouts.
BIG_ENDIAN := $(and $(call find_tool,qemu-s390x),$(call find_tool,s390x-linux-gnu-g++))
NO_BIG_ENDIAN := no s390x-linux-gnu-g++ or no qemu-s390x
$(eval $(call suite_if,$(BIG_ENDIAN),$(NO_BIG_ENDIAN),big-endian,s390x,s390x-linux-gnu-gcc,-O2,\
  s390x-linux-gnu-g++,-static,ATTN_SWEEP=8 qemu-s390x))
# The real model's file has the bytes of the processors that it is for.
suite-big-endian: TEST_ARGUMENTS = '~[campaign]~story: the real model*'

# On a CPU without AVX-512 its kernels run on an emulated one, about 400 times slower than natively: a
# choice of tests, for the real instructions; avx512-soft runs all of them. `make test-avx512` runs every
# numerical one here. The emulator lacks AVX512_BF16, which is replaced.
AVX512_TESTS := [traps],[kernels],[internals]
cpu_has = $(shell grep -qw $1 /proc/cpuinfo 2>/dev/null && echo yes)
HAS_AVX512 := $(call cpu_has,avx512f)
EMULATE := ATTN_TEST_ISA=avx512 ATTN_SWEEP=8 sh tests/emulate/avx512.sh $T/emulate
EMULATED := $(and $(filter x86_64,$(shell uname -m)),$(if $(HAS_AVX512),,yes))
NO_EMULATED := not needed, or not x86-64: see the other suites
$(eval $(call suite_if,$(EMULATED),$(NO_EMULATED),avx512-emulated,native,gcc,$\
  -O2 -DATTN_TEST_SOFT_BF16,g++,-static,$(EMULATE)))
suite-avx512-emulated: TEST_ARGUMENTS = '$(AVX512_TESTS)'

test-avx512: AVX512_TESTS := ~[story]~[threads]~[status]~[plan]~[accuracy]~[campaign]
test-avx512: ## AVX-512 on an emulated CPU: every numerical test, some ten minutes
	$(call run_suites,avx512-emulated,AVX512_TESTS='$(AVX512_TESTS)')

# The same kernels natively, their intrinsics written in AVX2: every test, the whole sweep, but for those
# that have a copy of the library of their own.
SOFT_AVX512 := -mavx2 -mfma -mf16c -Wno-psabi -DATTN_TEST_SOFT_AVX512 -DATTN_TEST_SOFT_BF16
$(eval $(call suite_if,$(call cpu_has,avx2),no CPU with AVX2,avx512-soft,native,gcc,-O2 $(SOFT_AVX512),g++,,$\
  ATTN_TEST_ISA=avx512))
suite-avx512-soft: TEST_ARGUMENTS = '~[internals]~[campaign]'

# The library with the checks of sanitizers, the tests as they are; a first fault ends the program. What a
# sanitizer changes is left out: the stack that a call takes. Under ThreadSanitizer: whatever has threads.
SANITIZE_SUITES := asan-gcc asan-clang tsan-gcc tsan-clang sanitized valgrind
ASAN := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
TSAN := -O1 -g1 -fsanitize=thread
FEW := ATTN_VARIANTS=400 ATTN_SWEEP=200
CLANGXX := $(subst clang,clang++,$(CLANG))
$(eval $(call suite,asan-gcc,native,gcc,$(ASAN),g++,$(ASAN),$(FEW)))
$(eval $(call suite_if,$(CLANG),$(NO_CLANG),asan-clang,native,$(CLANG),$(ASAN),$(CLANGXX),$(ASAN),\
  $(FEW)))
$(eval $(call suite,tsan-gcc,native,gcc,$(TSAN),g++,$(TSAN),$(FEW)))
$(eval $(call suite_if,$(CLANG),$(NO_CLANG),tsan-clang,native,$(CLANG),$(TSAN),$(CLANGXX),$(TSAN),\
  $(FEW)))
suite-asan-gcc suite-asan-clang: TEST_ARGUMENTS = '~[campaign]~A call takes no more of the stack*'
suite-tsan-gcc suite-tsan-clang: TEST_ARGUMENTS = '[threads],[bits],[plan]'

# Under Valgrind, thirty times slower, the kernels that it knows: not AVX-512.
VALGRIND := $(call find_tool,valgrind)
VALGRIND_TESTS := [traps],[kernels],[nonfinite],[helpers]
ifdef VALGRIND
PROGRAM_valgrind := $T/gcc-O2/test
suite-valgrind: $(PROGRAM_valgrind)
	$(RUN) catch2 $(RESULTS)/valgrind env ATTN_VARIANTS=40 ATTN_SWEEP=20 \
	  $(VALGRIND) -q --error-exitcode=1 $(PROGRAM_valgrind) '$(VALGRIND_TESTS)'
else
$(eval $(call skipped_suite,valgrind is not installed,valgrind))
endif

# ---- Fuzzing

# The library under libFuzzer and sanitizers, with one head size of its own, so that it compiles in a
# minute. The tests' helpers go without: what guides the fuzzer is which code of the library runs.
FUZZ := build/fuzz
FUZZERS := forward helpers checkpoint
FUZZED := $(or $(call given,TARGET),$(FUZZERS) generator)
FUZZ_SECONDS := $(or $(call given,SECONDS),60)
FUZZ_OPTIONS := -max_len=256 -len_control=0
CORPUS := tests/fuzz/corpus
FUZZ_RUN = -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 $(FUZZ)/found/$* $(CORPUS)/$*
HAS_FUZZER = $(wildcard $(shell $(CLANG) -print-resource-dir)/lib/*/libclang_rt.fuzzer*)

fuzz: $(FUZZED:%=fuzz-%) ## fuzz each TARGET ("forward helpers checkpoint generator"): [SECONDS=60] [REPRO=FILE, an input]

.PHONY: fuzz-tools fuzz-generator $(FUZZERS:%=fuzz-%)
$(FUZZERS:%=fuzz-%): fuzz-%: $(FUZZ)/%
	@mkdir -p $(FUZZ)/found/$* $(CORPUS)/$*
	@$< $(FUZZ_OPTIONS) -artifact_prefix=$(FUZZ)/$*- $(if $(call given,REPRO),$(call quote,REPRO),$(FUZZ_RUN)) || { \
	  $(if $(call given,REPRO),,ls -t $(FUZZ)/$*-* 2>/dev/null | \
	    sed -n '1s|^|fuzz: again: make fuzz TARGET=$* REPRO=|p' >&2;) exit 1; }

fuzz-generator:
	@ATTN_EXAMPLES=$$((3 * $(FUZZ_SECONDS))) $(PYTHON) -B -m pytest -q -p no:cacheprovider tests/gen/test_any_options.py

fuzz-corpus: $(FUZZERS:%=$(FUZZ)/%) ## to tests/fuzz/corpus: of each target's inputs the 60 that together run most
	@for target in $(FUZZERS); do \
	  rm -rf $(FUZZ)/merged $(FUZZ)/control && mkdir -p $(FUZZ)/merged $(FUZZ)/found/$$target $(CORPUS)/$$target && \
	  $(FUZZ)/$$target $(FUZZ_OPTIONS) -set_cover_merge=1 -use_counters=0 -merge_control_file=$(FUZZ)/control \
	    $(FUZZ)/merged $(FUZZ)/found/$$target $(CORPUS)/$$target >$(FUZZ)/merge.log 2>&1 && \
	  rm -rf $(FUZZ)/merged && mkdir $(FUZZ)/merged && \
	  $(PYTHON) tests/fuzz/choose.py $(FUZZ)/control $(FUZZ)/merged && \
	  find $(CORPUS)/$$target -name 'crash-*' -exec cp {} $(FUZZ)/merged ';' && \
	  rm -rf $(CORPUS)/$$target && mv $(FUZZ)/merged $(CORPUS)/$$target || exit 1; \
	done

fuzz-coverage: $(FUZZERS:%=$(FUZZ)/coverage/%) ## which share of each section of the library the corpora run
	@for target in $(FUZZERS); do \
	  LLVM_PROFILE_FILE=$(FUZZ)/coverage/$$target.profraw $(FUZZ)/coverage/$$target $(CORPUS)/$$target/* \
	    >$(FUZZ)/coverage/$$target.log 2>&1 || exit 1; \
	done
	@$(subst clang,llvm-profdata,$(CLANG)) merge -o $(FUZZ)/coverage/profile $(FUZZERS:%=$(FUZZ)/coverage/%.profraw)
	@$(PYTHON) tests/fuzz/coverage.py $(FUZZERS:%=$(FUZZ)/coverage/%) $(FUZZ)/coverage/profile

fuzz-tools:
	@$(if $(and $(CLANG),$(HAS_FUZZER)),,echo 'fuzz: libFuzzer is missing: run "make deps"' >&2; exit 1)

$(FUZZ)/attn.h: $(wildcard gen/*.py gen/*/*) | fuzz-tools
	@$(require_jinja)
	@mkdir -p $(@D)
	@$(PYTHON) gen/generate.py --head-sizes 16 --out $@

FUZZ_CXX = @mkdir -p $(@D) && $(CLANGXX) -DTESTS_FUZZ -std=c++17 -O2 $(WARNINGS) -I$(FUZZ) -MMD -MP
$(FUZZ)/tests/%.o: tests/%.cpp $(FUZZ)/attn.h
	$(FUZZ_CXX) -c -o $@ $<
$(FUZZERS:%=$(FUZZ)/tests/main-%.o): $(FUZZ)/tests/main-%.o: tests/fuzz/main.cpp $(FUZZ)/attn.h
	$(FUZZ_CXX) -DTARGET=fuzz_$* -c -o $@ $<

# $(call fuzzers,DIRECTORY,flags of the library,flags of the linker)
define fuzzers
$1/%.o: tests/%.c $(FUZZ)/attn.h
	@mkdir -p $$(@D)
	@$(CLANG) -std=c99 $(WARNINGS) -I$(FUZZ) -MMD -MP $2 -c -o $$@ $$<
$(FUZZERS:%=$1/%): $1/%: $(FUZZ)/tests/main-%.o $(FUZZ)/tests/fuzz/%.o $(FUZZ)/tests/fuzz/targets.o $\
    $(patsubst %,$(FUZZ)/tests/%.o,elements reference support variants choices) $1/attn_impl.o $1/story_c.o
	@$(CLANGXX) -fsanitize=fuzzer $3 -pthread -o $$@ $$^ -lm
endef
COVERAGE := -O1 -g1 -fprofile-instr-generate -fcoverage-mapping
$(eval $(call fuzzers,$(FUZZ),$(ASAN) -fsanitize=fuzzer-no-link,$(ASAN)))
$(eval $(call fuzzers,$(FUZZ)/coverage,$(COVERAGE),-fprofile-instr-generate))
-include $(wildcard $(FUZZ)/*.d $(FUZZ)/*/*.d $(FUZZ)/*/*/*.d)

# ---- The accuracy campaign

# The campaign runs in the programs of those suites whose roundings differ: plain C with fused
# multiply-adds, without, and by Clang, SLEEF's exponential, NEON as it is and reassociated. The
# other suites are held to its record.
CAMPAIGN := build/campaign
CAMPAIGN_SUITES := gcc-O2 gcc-fast $(if $(CLANG),clang-O2) sleef $(if $(HAS_AVX512),,avx512-soft) \
  $(if $(CROSS),neon neon-fast) $(if $(CROSS_SLEEF),neon-sleef)
accuracy-record: $(CAMPAIGN_SUITES:%=campaign-%) ## errors of attention into tests/accuracy/ and docs/numerics.md: some eight minutes
	@$(PYTHON) tests/accuracy/record.py $(CAMPAIGN_SUITES:%=$(CAMPAIGN)/%.tsv)

campaign-%:
	@ATTN_CAMPAIGN=$(CAMPAIGN)/$*.tsv $(submake) suite-$* RESULTS=$(CAMPAIGN) TEST_ARGUMENTS='[campaign]'

# ---- Suites of pytest, and the sums

pytest = $(PYTHON) -B -m pytest -q -rs -p no:cacheprovider --basetemp=$T/$1 \
  --junit-xml=$(RESULTS)/$1.xml

suite-generator:
	$(RUN) pytest $(RESULTS)/generator env $(STORY_TEST) $(call pytest,generator) tests/gen

suite-bench:
	$(RUN) pytest $(RESULTS)/bench $(call pytest,bench) tests/bench

# Programs in C alone, whose every part has the checks: MemorySanitizer knows no other.
suite-sanitized:
	$(RUN) pytest $(RESULTS)/sanitized $(call pytest,sanitized) tests/embed/test_sanitizers.py

suite-package:
	$(RUN) pytest $(RESULTS)/package $(call pytest,package) tests/embed/test_package.py

suite-embed-%:
	$(RUN) pytest $(RESULTS)/embed-$* $(call pytest,embed-$*) --compiler=$* \
	  tests/embed/test_embed.py tests/embed/test_spills.py tests/embed/test_instructions.py \
	  tests/embed/test_examples.py

# The names are those of tests/embed/toolchain.py.
ZIG_TARGETS := x86_64-linux-musl x86-linux-musl aarch64-linux-musl riscv64-linux-musl arm-linux-musleabihf \
  s390x-linux-musl x86_64-windows-gnu aarch64-windows-gnu x86_64-macos aarch64-macos wasm32-wasi
COMPILER_SUITES := big-endian $(addprefix compiler-,gcc-11 gcc-12 clang-14 clang-15 clang-16 clang-19 \
  aarch64-linux-gnu-gcc s390x-linux-gnu-gcc x86_64-w64-mingw32-gcc $(ZIG_TARGETS))

suite-compiler-%:
	$(RUN) pytest $(RESULTS)/compiler-$* $(call pytest,compiler-$*) --compiler=$* \
	  tests/embed/test_embed.py::test_standard tests/embed/test_compilers.py

suite-check-generated:
	$(RUN) check $(RESULTS)/check-generated $(PYTHON) gen/generate.py --check

programs: $(foreach name,$(PROGRAMS_OF),$(PROGRAM_$(name)))
	@:

-include $(wildcard $T/*/*.d)

# ---- Packaging

shared: build/libattn.so ## the shared library build/libattn.so, with every public function

compile_shared = $(call compile, $1 -fPIC -shared -fvisibility=hidden -Wl$(comma)-soname$(comma)$(@F) \
	  -DATTN_IMPLEMENTATION '-DATTN_API=__attribute__((visibility("default")))' \
	  -x c $< -o $@ -lm)

build/libattn.so: $(HEADER) build/command
	$(call compile_shared)

# With threads of its own, for bench-peers.
build/libattn_openmp.so: $(HEADER) build/command
	$(call compile_shared,-DATTN_USE_OPENMP -fopenmp)

comma := ,

prefix = $(or $(PREFIX),/usr/local)
target_dir = $(DESTDIR)$(prefix)
version = $(shell sed -n 's/^.define ATTN_VERSION_[A-Z]* //p' attn.h | paste -sd.)

install: ## attn.h, attn.pc, and libattn.so if it was built: [PREFIX=/usr/local] [DESTDIR=]
	install -d '$(target_dir)/include' '$(target_dir)/lib/pkgconfig'
	install -m 644 attn.h '$(target_dir)/include/attn.h'
	@printf '%s\n' 'prefix=$(prefix)' 'includedir=$${prefix}/include' 'libdir=$${prefix}/lib' '' \
	  'Name: attn' 'Description: Exact scaled-dot-product attention in one C header' \
	  'Version: $(version)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lm' \
	  > '$(target_dir)/lib/pkgconfig/attn.pc'
	$(if $(wildcard build/libattn.so),install -m 755 build/libattn.so '$(target_dir)/lib/libattn.so')

# The same bytes wherever and whenever they are made of one commit.
archive = build/attn-$(version).tar.gz
dist_time = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),0)
dist: ## build/attn-VERSION.tar.gz, of attn.h and LICENSE: the same bytes for the same commit
	@mkdir -p build
	@tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@$(dist_time) \
	  --transform='s,^,attn-$(version)/,' -cf - LICENSE attn.h | gzip -9n > $(archive)
	@echo $(archive)

# ---- Housekeeping

CLANG_FORMAT = $(call find_tool,clang-format-19 clang-format)
format: ## format the C and C++ sources; attn.h and generated/ are the generator's
	$(or $(CLANG_FORMAT),clang-format) -i $(wildcard gen/core/*.h bench/*.[ch] bench/peers/*.c docs/examples/*.c \
	  tests/*.c tests/*.h tests/*.cpp tests/*.hpp tests/fuzz/*.?pp tests/embed/*.[ch] tests/gen/fixtures/*.c)

clean: ## remove build/, which holds everything that make builds
	rm -rf build

FORCE:
.PHONY: help demo heatmap bench report bench-compare bench-predict bench-peers deps-peers story accuracy accuracy-record gen check-generated deps test test-neon test-avx512 shared install dist format \
  deps-compilers test-compilers fuzz fuzz-corpus fuzz-coverage deps-mutants mutants test-sanitize clean FORCE
