# The maintainer's day: benchmark, recorded figures, drawings, validation, tests, lint. Included by the Makefile at the root.
#
# In:  what that defines: programs to build (COMMON, PROGRAMS, ...), how (HIP_COMPILER, HIPFLAGS, CC, CFLAGS, tools, criterion)
# Out: the targets bench, record, new-lab, figures, handout, validate, compare-gpus, fit, test and lint; TEST_SUITES, VALIDATION_OBJECTS

BENCHMARKS := $(addprefix build/tools/bench/,instruction_rate translation programs sanitized)
REPLAYED := $(addprefix build/solutions/,05-nontemporal/laplacian 07-sliding-window/derivative)
# What is launched again to be measured is executed again. (A comment behind the value would put its blank into it.)
bench: export EMULATOR_REUSE := 0
bench: $(BENCHMARKS) build/tools/bench/stencil build/solutions/01-baseline/laplacian $(REPLAYED) build/tests/validation/replay emulator
	@$(WITH_EMULATOR); EMULATOR_THREADS=1 build/tools/bench/instruction_rate
	@$(WITH_EMULATOR); EMULATOR_THREADS=1 EMULATOR_TRANSLATE=2 build/tools/bench/translation
	@$(WITH_EMULATOR); python3 -m tools.bench.replay
	@$(WITH_EMULATOR); python3 -m tools.bench.bench

record: $(COMMON) grader emulator
	@$(WITH_EMULATOR); python3 -m tools.record --record $(LAB)

# Names reach the script through the environment, so that the shell reads nothing into them.
new-lab: export NAME := $(NAME)
new-lab: export FROM := $(FROM)
new-lab: | tools
	@python3 -m tools.new_lab "$$NAME" "$$FROM"

figures:
	@python3 -m tools.figures.draw

handout:
	@mkdir -p build
	@python3 -m tools.handout build/handout.html

# The published kernels, re-implemented. The compiler's report on each lies beside its object.
VALIDATION_OBJECTS := $(patsubst %.hip,build/%.o,$(wildcard tests/validation/*.hip))
VALIDATION_PROGRAMS := $(patsubst %.hip,build/$(VARIANT)%,$(shell grep -l '^int main' tests/validation/*.hip))
$(VALIDATION_PROGRAMS): %: %.o build/emulator/libamdhip64.so.5
	@$(LINK_FOR_EMULATOR) $< $(EMULATOR_LIBRARIES) -o $@

validate: $(VALIDATION_OBJECTS) $(VALIDATION_PROGRAMS) emulator
	@python3 tests/validation/validate.py

# What was measured on other GPUs, beside the emulated device with their caches.
compare-gpus: $(COMMON) emulator
	@PYTHONPATH=. python3 tests/validation/gpus.py && python3 tests/validation/validate.py render >/dev/null

# Replays kept traces through the memory model. It stands on all rooms but hip, as the library does.
REPLAY := build/tests/validation/replay
REPLAY_ROOMS := base code model isa counters machine
$(REPLAY): tests/validation/replay.c build/emulator/libamdhip64.so.5
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(REPLAY_ROOMS:%=-Iemulator/%) $(filter-out -MMD -MP,$(CFLAGS)) $< $(wildcard $(REPLAY_ROOMS:%=build/emulator/%/*.o)) \
	  -L$$($(LLVM_CONFIG) --libdir) -lelf -ldw -lmsgpackc -lz -l:libzstd.so.1 $$($(LLVM_CONFIG) --libs --link-shared) -lstdc++ -lm -lpthread -o $@

fit: $(VALIDATION_OBJECTS) $(VALIDATION_PROGRAMS) $(REPLAY)
	@python3 tests/validation/fit.py

# Suites: Criterion programs, to which tests/emulator/tests.mk adds its own and says how they are built, and Python files.
COMMON_SUITES := $(patsubst %.c,build/%,$(wildcard tests/common/test_*.c))
GRADING_SUITES := $(patsubst %.c,build/%,$(wildcard tests/grading/test_*.c))
PYTHON_SUITES := $(wildcard tests/*/test_*.py)
TEST_SUITES := $(COMMON_SUITES) $(GRADING_SUITES)
ifneq ($(filter test races build/tests/%,$(MAKECMDGOALS)),) # it asks LLVM for its folders, and LLVM may not be installed yet
-include tests/emulator/tests.mk
endif
ifneq ($(filter lint fuzz build/fuzz/%,$(MAKECMDGOALS)),)
include tests/fuzz/fuzz.mk
endif

# What SUITE chooses, by names like emulator/model: all whose name contains it. Without it, all that CI has the time for, and
# with FULL=1 the rest, too.
suite_name = $(subst /test_,/,$(patsubst tests/%,%,$(patsubst build/%,%,$(basename $(1)))))
ALL_SUITES := $(TEST_SUITES) $(PYTHON_SUITES)
SUITES := $(strip $(if $(SUITE),$(foreach suite,$(ALL_SUITES),$(if $(findstring $(SUITE),$(call suite_name,$(suite))),$(suite))),\
  $(if $(FULL),$(ALL_SUITES),$(filter-out $(SECOND_BUILDS),$(ALL_SUITES)))))

$(COMMON_SUITES): build/%: %.c $(HOST_ONLY) | criterion
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -O1 $< $(ALSO) $(HOST_ONLY) -lcriterion -lm -o $@

# A suite that stands in for the device.
build/tests/common/test_run: ALSO := build/common/run.o
build/tests/common/test_run: build/common/run.o

# These call whole programs, so they are linked with nothing of them.
$(GRADING_SUITES): build/%: %.c tests/grading/command.c tests/grading/command.h common/status.h | criterion
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(filter-out -MMD -MP,$(CFLAGS)) -O1 $< tests/grading/command.c -lcriterion -o $@

# HIP programs that stand alone, for the emulated device only. hipcc takes a second to link one.
LINK_FOR_EMULATOR := $(CC) $(if $(shell command -v ld.gold),-fuse-ld=gold)
FAULT_PROGRAMS := $(addprefix build/tests/emulator/faults/,faults sanitizer unawaited unawaited_variable uninitialised races)
EMULATOR_LIBRARIES := -Lbuild/emulator -lamdhip64 -lstdc++ -lm
$(BENCHMARKS) $(FAULT_PROGRAMS): %: %.o build/emulator/libamdhip64.so.5
	@$(LINK_FOR_EMULATOR) $< $(EMULATOR_LIBRARIES) -o $@

build/tools/bench/stencil: tools/bench/stencil.c $(HOST_ONLY) | tools
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) $< $(HOST_ONLY) -lm -o $@

# What suites run besides themselves.
$(GRADING_SUITES): | programs grader emulator
tests/grading/test_machine.py: | emulator
tests/grading/test_building.py tests/grading/test_launches.py tests/grading/test_printing.py: | grader emulator
tests/tools/test_compiler.py tests/tools/test_kept_runs.py tests/tools/test_new_lab.py tests/tools/test_names.py tests/tools/test_variants.py tests/tools/test_workspace.py: | $(COMMON) grader emulator
tests/emulator/test_devices.py: | $(DEVICE_PROGRAMS) $(KERNEL_PROGRAMS) emulator
tests/emulator/test_rocm6.py: | build/solutions/01-baseline/laplacian build/tests/emulator/faults/faults build/tests/emulator/runtime.hsaco emulator
tests/tools/test_reached.py: | build/solutions/03-reorder/laplacian emulator
tests/emulator/test_uninitialised.py: | build/tests/emulator/faults/uninitialised emulator
tests/emulator/test_unawaited.py: | $(addprefix build/tests/emulator/faults/,unawaited unawaited_variable) emulator
tests/emulator/test_races.py: | build/tests/emulator/faults/races emulator
tests/emulator/test_sanitizer.py: | build/tests/emulator/faults/sanitizer $(KERNEL_PROGRAMS) programs emulator
tests/emulator/test_translated_kernels.py tests/emulator/test_repeated_counters.py tests/emulator/test_idle_counters.py tests/emulator/test_polling_counters.py: | $(KERNEL_PROGRAMS) emulator
tests/emulator/test_register_loops.py: | build/tests/emulator/kernels/register_loops emulator
build/tests/grading/test_profile: | $(addprefix build/tests/submissions/01-baseline/,prints tile-in-lds)
build/tests/emulator/test_runtime_faults: | build/tests/emulator/faults/faults
build/tests/emulator/test_runtime_traces: | $(REPLAY)
tests/validation/test_fit.py: | $(addprefix build/tests/validation/,vcopy curves) $(REPLAY)
tests/validation/test_validation.py: | $(VALIDATION_OBJECTS) $(VALIDATION_PROGRAMS) emulator

test: export FULL := $(FULL)
test: suite-named $(SUITES)
	@tests/run-suites.sh $(SUITES)

suite-named:
	@if [ -z "$(SUITES)" ]; then \
	  echo "SUITE=$(SUITE) is in the name of no suite; there are:" >&2; \
	  fmt -w 120 <<<"$(foreach suite,$(ALL_SUITES),$(call suite_name,$(suite)))" >&2; exit 1; fi

# Not in make test: ten minutes, in which every change of tests/mutants/mutants.txt must make its suite fail.
mutants:
	@python3 -m tests.mutants.mutants $(ARGS)

# Names reach no shell.
LINTED = git ls-files -z --cached --others --exclude-standard $(1) | xargs -0

# Programs are compiled as for anybody, and what the compiler had to say of them counts.
LINTED_OBJECTS := $(patsubst %.hip,build/%.o,$(HIP_FILES) $(EXPERIMENT_FILES) $(wildcard tools/bench/*.hip))
lint: fuzz-compiles $(LINTED_OBJECTS) | tools
	@for tool in clang-format flake8 shellcheck; do \
	  command -v $$tool >/dev/null || { echo "$$tool is missing: run 'make setup', which installs it." >&2; exit 1; }; \
	done
	@python3 -m tools.circles emulator common
	@git ls-files >/dev/null # which says why where it cannot list them, e.g. of another user's repository
	@$(call LINTED,'*.c' '*.h' '*.hip') clang-format --dry-run -Werror
	@$(call LINTED,'*.py') flake8
	@$(call LINTED,'*.sh' .ci/run) shellcheck
	@$(CC) $(CPPFLAGS) $(filter-out -MMD -MP,$(CFLAGS)) -Werror -fsyntax-only common/*.c common/families/*.c tests/common/*.c tests/grading/*.c \
	  tools/bench/*.c
	@for warnings in $(LINTED_OBJECTS:.o=.warnings); do \
	  [ ! -s $$warnings ] || { cat $$warnings >&2; exit 1; }; \
	done
	@echo "lint: clean"

.PHONY: bench record new-lab figures handout validate compare-gpus fit suite-named test races mutants lint
