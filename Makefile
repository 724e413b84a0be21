# Builds, runs, grades and tests the labs. `make` alone lists the targets.
#
# In:  LAB=NN, SRC=labs|solutions, DEVICE=auto|amd|nvidia|emulated, ARGS="..." for the program,
#      M=8 the tiling factor, R=2 the radius, STEP=2 the step of lab 08's solution,
#      HINT=N, SEED=N, SUITE=name, COUNTERS="..." for profile, OFFLOAD_ARCH, WERROR=-Werror
# Out: everything lands in build/: programs under the path of their source, results in build/results/*.json

SHELL := /bin/bash
.DEFAULT_GOAL := help

# On all cores, unless asked otherwise.
MAKEFLAGS += --jobs=$(shell nproc)

LAB ?=
SRC ?= labs
DEVICE ?= auto
ARGS ?=
M ?=
R ?=
STEP ?=
HINT ?=
SEED ?=
SUITE ?=
COUNTERS ?=
OFFLOAD_ARCH ?= gfx90a
HIPCC ?= hipcc
CC := gcc
WERROR ?=

# hipcc asks rocm_agent_enumerator for the machine's GPUs, which ends in a Python traceback where there is none, unless
# the architecture is given: on every command line of ours, and here for any other use of hipcc.
export HCC_AMDGPU_TARGET := $(OFFLOAD_ARCH)

# Threads of the host's checks that wait for each other sleep instead of spinning: a run of two seconds on cores that
# others use, too, took four otherwise.
export OMP_WAIT_POLICY ?= passive

# What a lab program may include: common/, and the one header by which a program asks the emulated device.
INCLUDES := -Icommon -Icommon/families -Iemulator/include
CPPFLAGS := -D__HIP_PLATFORM_AMD__ $(INCLUDES)
CFLAGS := -std=gnu11 -O3 -march=native -fopenmp -Wall -Wextra $(WERROR) -MMD -MP
# -gline-tables-only lets the emulated device name source lines in faults and reports; the code is the same.
HIPFLAGS := --offload-arch=$(OFFLOAD_ARCH) -O3 -gline-tables-only -Wall -Wextra -Wno-unused-parameter $(WERROR) $(INCLUDES) -MMD -MP

# A tiling factor, radius or step of its own makes a program of its own, build/m8/labs/..., so that none is stale.
ifneq ($(filter-out $(shell seq 1 64),$(M))$(word 2,$(M)),)
$(error M=$(M) is no tiling factor: a whole number from 1 to 64 is)
endif
ifneq ($(filter-out 1 2 3 4,$(R))$(word 2,$(R)),)
$(error R=$(R) is no radius: 1, 2, 3 or 4 is)
endif
ifneq ($(filter-out 0 1 2 3 4 5,$(STEP))$(word 2,$(STEP)),)
$(error STEP=$(STEP) is no step of lab 08: 0, 1, 2, 3, 4 or 5 is)
endif
VARIANT := $(if $(M),m$(M)/)$(if $(R),r$(R)/)$(if $(STEP),step$(STEP)/)
HIPFLAGS += $(if $(M),-DTILE=$(M)) $(if $(R),-DRADIUS=$(R)) $(if $(STEP),-DSTEP=$(STEP))

# Asked once, and only if something may have to be compiled.
HIPCC_VERSION = $(eval HIPCC_VERSION := $$(shell $(HIPCC) --version 2>&1 | cksum | tr ' ' -))$(HIPCC_VERSION)

COMMON := $(patsubst %.c,build/%.o,$(wildcard common/*.c common/families/*.c))
# Without a device: what a test can link.
HOST_ONLY := $(filter-out $(patsubst %,build/common/%.o,device lab lbm_lab experiment),$(COMMON))
SOLUTIONS := $(patsubst %.hip,build/$(VARIANT)%,$(wildcard solutions/*/*.hip))

# Runs what follows on the chosen device, whose name is then in $$device.
ON_DEVICE = device=$$(tools/device.sh $(DEVICE)) || exit 1; \
	if [ $$device = emulated ]; then export LD_LIBRARY_PATH=$(CURDIR)/build/emulator; fi;

help:
	@echo "make setup             install what is needed (Debian 12)"
	@echo "make demo              run every solution, print the journey beside the published figures"
	@echo "make run LAB=01        run a lab; ARGS=--help lists its options; SRC=solutions runs the answer"
	@echo "make sweep LAB=03      run a lab at each row of the published table, which is printed beside;"
	@echo "                       M=8 chooses one tiling factor for run, profile and report, R=2 one radius,"
	@echo "                       STEP=2 one step of lab 08's solution (SRC=solutions), whose steps make run prints"
	@echo "make report LAB=04     what the compiler says about registers, scratch and occupancy, and the assembly"
	@echo "make check [LAB=01]    grade your labs; SRC=solutions grades the answers"
	@echo "                       SEED=N draws the sizes and inputs of an earlier check again"
	@echo "make profile LAB=01    rocprof's counters and, by source line, what each load and store did;"
	@echo "                       COUNTERS=\"FETCH_SIZE L2CacheHit\" chooses"
	@echo "make hint LAB=01       the next hint; HINT=2 shows that one again"
	@echo "make validate          every published figure beside ours, with its error (some minutes)"
	@echo "make bench             speed of the emulated device on this machine"
	@echo "make test [SUITE=name] test this repository; SUITE=model runs the suites whose name has model in it"
	@echo "make record            write the solutions' figures into labs/*/expected.json"
	@echo "make lint              formatting, and a build in which warnings are errors"
	@echo "make clean             remove build/"
	@echo
	@echo "DEVICE=auto|amd|nvidia|emulated chooses where programs run; auto takes a GPU if there is one."

setup:
	@tools/setup.sh

# --- building ---

# Names the first missing tool in a sentence. Order-only, so it never causes a rebuild.
tools:
	@for tool in $(HIPCC) $(CC) python3 nm llvm-config-15 clang-format; do \
	  command -v $$tool >/dev/null || { echo "$$tool is missing: run 'make setup', which installs it." >&2; exit 1; }; \
	done

criterion: | tools
	@echo '#include <criterion/criterion.h>' | $(CC) -E - >/dev/null 2>&1 || \
	  { echo "Criterion, the test framework, is missing: run 'make setup', which installs it." >&2; exit 1; }

emulator: | tools
	@$(MAKE) --no-print-directory -s -C emulator

$(COMMON): build/%.o: %.c | tools
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# Contents decide whether a .hip file is compiled, not dates: a file copied with its old date over another is another file.
# So this is asked each time, and an object that need not change keeps its date.
build/$(VARIANT)%.o: %.hip FORCE | tools
	@mkdir -p $(@D)
	@tools/hip-compile.sh $@ $< $(HIPCC_VERSION) $(HIPCC) $(HIPFLAGS)
FORCE:

# A lab program: the learner's object and common/.
PROGRAMS := $(patsubst %.hip,build/$(VARIANT)%,$(wildcard labs/*/*.hip solutions/*/*.hip tests/submissions/*/*.hip))
$(PROGRAMS): %: %.o $(COMMON)
	@$(HIPCC) --offload-arch=$(OFFLOAD_ARCH) $< $(COMMON) -lgomp -lm -o $@

# Small programs beside a lab, which show one technique each.
EXPERIMENTS := $(patsubst %.hip,build/%,$(sort $(wildcard labs/*/experiments/*.hip)))
$(EXPERIMENTS): %: %.o $(COMMON)
	@$(HIPCC) --offload-arch=$(OFFLOAD_ARCH) $< $(COMMON) -lgomp -lm -o $@

# All that a learner can run. A submission is built by who grades it, with the choices that the grade needs.
programs: $(filter-out build/$(VARIANT)tests/%,$(PROGRAMS)) $(EXPERIMENTS)

# --- the learner's day ---

# The one program that LAB and SRC name.
LAB_SOURCE := $(if $(LAB),$(wildcard $(SRC)/$(LAB)*/*.hip))
LAB_PROGRAM := $(patsubst %.hip,build/$(VARIANT)%,$(LAB_SOURCE))
LAB_NAME := $(notdir $(patsubst %/,%,$(dir $(LAB_SOURCE))))
LAB_EXPERIMENTS := $(if $(LAB_NAME),$(filter build/labs/$(LAB_NAME)/%,$(EXPERIMENTS)))

lab-named:
	@if [ $(words $(LAB_SOURCE)) -ne 1 ]; then \
	  echo "LAB=$(LAB) names no lab in $(SRC)/; there are: $(notdir $(wildcard $(SRC)/*)). Example: make run LAB=01" >&2; exit 1; fi
	@if [ -n "$(M)" ] && ! grep -q '^#define TILE' $(LAB_SOURCE); then \
	  echo "M=$(M): $(LAB_SOURCE) defines no TILE, so it has no tiling factor to choose" >&2; exit 1; fi
	@if [ -n "$(R)" ] && ! grep -q '^#define RADIUS' $(LAB_SOURCE); then \
	  echo "R=$(R): $(LAB_SOURCE) defines no RADIUS, so it has no radius to choose" >&2; exit 1; fi
	@if [ -n "$(STEP)" ] && ! grep -q '^#define STEP' $(LAB_SOURCE); then \
	  echo "STEP=$(STEP): $(LAB_SOURCE) defines no STEP; the solution of lab 08 has steps to choose: SRC=solutions" >&2; exit 1; fi

run: lab-named $(LAB_PROGRAM) $(LAB_EXPERIMENTS) emulator
	@mkdir -p build/results
	@$(ON_DEVICE) result=build/results/$(LAB_NAME).$(notdir $(SRC)).$$device.json; rm -f $$result; \
	EMULATOR_LINES=$${result%.json}.csv LAB_RESULT_FILE=$$result $(LAB_PROGRAM) $(ARGS) && \
	if [ -e $$result ]; then \
	  python3 -m grading.tables.$(if $(LAB_EXPERIMENTS),versions $$device,one_run) $$result $(LAB_EXPERIMENTS); fi

sweep: lab-named $(COMMON) emulator
	@$(ON_DEVICE) python3 -m grading.tables.sweep $$device $(LAB_SOURCE) -- $(ARGS)

# The compiler's own words: the remarks, and with --save-temps the assembly that they come from.
report: lab-named $(LAB_PROGRAM)
	@cat $(LAB_PROGRAM).resources
	@mkdir -p $(LAB_PROGRAM).temps
	@cd $(LAB_PROGRAM).temps && $(HIPCC) $(patsubst -I%,-I$(CURDIR)/%,$(filter-out -MMD -MP -gline-tables-only,$(HIPFLAGS))) --save-temps \
	  -c $(CURDIR)/$(LAB_SOURCE) -o discarded.o
	@python3 -m tools.assembly $(LAB_PROGRAM).temps/*-$(OFFLOAD_ARCH).s

check: $(if $(LAB),lab-named) $(COMMON) emulator
	@$(ON_DEVICE) python3 -m grading.check $$device $(if $(SEED),--seed "$(SEED)") $(if $(LAB),$(LAB_SOURCE),$(sort $(wildcard $(SRC)/*/*.hip)))

profile: lab-named $(LAB_PROGRAM) emulator
	@mkdir -p build/results
	@$(ON_DEVICE) python3 -m tools.profile $$device $(LAB_PROGRAM) \
	  build/results/$(firstword $(subst -, ,$(LAB_NAME))).profile.csv "$(COUNTERS)" $(ARGS)

hint: lab-named
	@tools/hint.sh $(LAB_NAME) $(HINT)

demo: $(COMMON) emulator
	@$(ON_DEVICE) python3 -m grading.tables.sweep $$device $(sort $(wildcard solutions/*/*.hip)) -- $(ARGS)

# --- the maintainer's day ---

bench: build/tools/bench/instruction_rate build/tools/bench/stencil build/solutions/01-baseline/laplacian emulator
	@LD_LIBRARY_PATH=$(CURDIR)/build/emulator EMULATOR_THREADS=1 EMULATOR_MODEL=0 $<
	@LD_LIBRARY_PATH=$(CURDIR)/build/emulator python3 -m tools.bench.bench

record: $(COMMON) emulator
	@LD_LIBRARY_PATH=$(CURDIR)/build/emulator python3 -m tools.record --record $(LAB)

# The published kernels, re-implemented. The compiler's report on each lies beside its object.
VALIDATION_OBJECTS := $(patsubst %.hip,build/%.o,$(wildcard tests/validation/*.hip))
VALIDATION_PROGRAMS := $(patsubst %.hip,build/$(VARIANT)%,$(shell grep -l '^int main' tests/validation/*.hip))
$(VALIDATION_PROGRAMS): %: %.o
	@$(HIPCC) --offload-arch=$(OFFLOAD_ARCH) $< -o $@

validate: $(VALIDATION_OBJECTS) $(VALIDATION_PROGRAMS) emulator
	@python3 tests/validation/validate.py

# Suites: Criterion programs, to which tests/emulator/tests.mk adds its own and says how they are built, and Python files.
COMMON_SUITES := $(patsubst %.c,build/%,$(wildcard tests/common/test_*.c))
GRADING_SUITES := $(patsubst %.c,build/%,$(wildcard tests/grading/test_*.c))
PYTHON_SUITES := $(wildcard tests/*/test_*.py)
TEST_SUITES := $(COMMON_SUITES) $(GRADING_SUITES)
ifneq ($(filter test build/tests/%,$(MAKECMDGOALS)),) # it asks LLVM for its folders, and LLVM may not be installed yet
-include tests/emulator/tests.mk
endif

# What SUITE chooses, by names like emulator/model: all whose name contains it.
suite_name = $(subst /test_,/,$(patsubst tests/%,%,$(patsubst build/%,%,$(basename $(1)))))
ALL_SUITES := $(TEST_SUITES) $(PYTHON_SUITES)
SUITES := $(strip $(foreach suite,$(ALL_SUITES),$(if $(or $(findstring $(SUITE),$(call suite_name,$(suite))),$(if $(SUITE),,all)),$(suite))))

$(COMMON_SUITES): build/%: %.c $(HOST_ONLY) | criterion
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) $< $(HOST_ONLY) -lcriterion -lm -o $@

# These call whole programs, so they are linked with nothing of them.
$(GRADING_SUITES): build/%: %.c tests/grading/command.c tests/grading/command.h common/status.h | criterion
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(filter-out -MMD -MP,$(CFLAGS)) $< tests/grading/command.c -lcriterion -o $@

# HIP programs that stand alone.
build/tools/bench/instruction_rate build/tests/emulator/faults/faults: %: %.o
	@$(HIPCC) --offload-arch=$(OFFLOAD_ARCH) $< -o $@

build/tools/bench/stencil: tools/bench/stencil.c $(HOST_ONLY) | tools
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) $< $(HOST_ONLY) -lm -o $@

# What suites run besides themselves.
$(GRADING_SUITES): | programs emulator
build/tests/emulator/test_runtime_faults: | build/tests/emulator/faults/faults
tests/validation/test_validation.py: | $(VALIDATION_OBJECTS) $(VALIDATION_PROGRAMS) emulator

test: suite-named $(SUITES)
	@tests/run-suites.sh $(SUITES)

suite-named:
	@if [ -z "$(SUITES)" ]; then \
	  echo "SUITE=$(SUITE) is in the name of no suite; there are:" >&2; \
	  fmt -w 120 <<<"$(foreach suite,$(ALL_SUITES),$(call suite_name,$(suite)))" >&2; exit 1; fi

lint: | tools
	@clang-format --dry-run -Werror $$(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.hip')
	@$(CC) $(CPPFLAGS) $(filter-out -MMD -MP,$(CFLAGS)) -Werror -fsyntax-only common/*.c common/families/*.c tests/common/*.c tests/grading/*.c
	@for file in labs/*/*.hip labs/*/experiments/*.hip solutions/*/*.hip; do \
	  $(HIPCC) $(filter-out -MMD -MP,$(HIPFLAGS)) -Werror -c $$file -o /dev/null || exit 1; done
	@echo "lint: clean"

clean:
	rm -rf build

-include $(COMMON:.o=.d) $(addsuffix .d,$(TEST_SUITES))

# `make -j setup demo` must not build before the packages are there.
ifneq ($(filter setup,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

.PHONY: help setup tools criterion emulator programs lab-named suite-named run sweep report check profile hint demo validate bench record test lint clean
