# The maintainer's day: benchmark, recorded figures, drawings, validation, tests, lint. Included by the Makefile at the root.
#
# In:  what that defines: programs to build (COMMON, PROGRAMS, ...), how (HIPCC, HIPFLAGS, CC, CFLAGS, tools, criterion)
# Out: the targets bench, record, figures, validate, test and lint; TEST_SUITES, VALIDATION_OBJECTS

bench: build/tools/bench/instruction_rate build/tools/bench/stencil build/solutions/01-baseline/laplacian emulator
	@LD_LIBRARY_PATH=$(CURDIR)/build/emulator EMULATOR_THREADS=1 EMULATOR_MODEL=0 $<
	@LD_LIBRARY_PATH=$(CURDIR)/build/emulator python3 -m tools.bench.bench

record: $(COMMON) emulator
	@LD_LIBRARY_PATH=$(CURDIR)/build/emulator python3 -m tools.record --record $(LAB)

figures:
	@python3 -m tools.figures.draw

# The published kernels, re-implemented. The compiler's report on each lies beside its object.
VALIDATION_OBJECTS := $(patsubst %.hip,build/%.o,$(wildcard tests/validation/*.hip))
VALIDATION_PROGRAMS := $(patsubst %.hip,build/$(VARIANT)%,$(shell grep -l '^int main' tests/validation/*.hip))
$(VALIDATION_PROGRAMS): %: %.o
	@$(HIPCC) --offload-arch=$(OFFLOAD_ARCH) $< -o $@

validate: $(VALIDATION_OBJECTS) $(VALIDATION_PROGRAMS) emulator
	@python3 tests/validation/validate.py

PYTHON_SUITES := $(wildcard tests/tools/test_*.py)

# Criterion suites. tests/emulator/tests.mk adds its own to TEST_SUITES and says how they are built.
HOST_SUITES := $(patsubst %.c,build/%,$(wildcard tests/common/test_*.c tests/grading/test_*.c))
TEST_SUITES := $(HOST_SUITES)
ifneq ($(filter test build/tests/%,$(MAKECMDGOALS)),) # it asks LLVM for its folders, and LLVM may not be installed yet
-include tests/emulator/tests.mk
endif

$(HOST_SUITES): build/%: %.c $(HOST_ONLY) | criterion
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) $< $(HOST_ONLY) -lcriterion -lm -o $@

# HIP programs that stand alone.
build/tools/bench/instruction_rate build/tests/emulator/faults/faults: %: %.o
	@$(HIPCC) --offload-arch=$(OFFLOAD_ARCH) $< -o $@

build/tools/bench/stencil: tools/bench/stencil.c $(HOST_ONLY) | tools
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) $< $(HOST_ONLY) -lm -o $@

test: $(TEST_SUITES) programs build/tests/emulator/faults/faults $(VALIDATION_OBJECTS) $(VALIDATION_PROGRAMS) emulator
	@tests/run-suites.sh $(TEST_SUITES) tests/validation/test_validation.py $(PYTHON_SUITES)

LINTED = $(shell git ls-files --cached --others --exclude-standard $(1))

lint: | tools
	@for tool in clang-format flake8 shellcheck; do \
	  command -v $$tool >/dev/null || { echo "$$tool is missing: run 'make setup', which installs it." >&2; exit 1; }; \
	done
	@python3 -m tools.circles emulator
	@git ls-files >/dev/null # which says why where it cannot list them, e.g. of another user's repository
	@clang-format --dry-run -Werror $(call LINTED,'*.c' '*.h' '*.hip')
	@flake8 $(call LINTED,'*.py')
	@shellcheck $(call LINTED,'*.sh' .ci/run)
	@$(CC) $(CPPFLAGS) $(filter-out -MMD -MP,$(CFLAGS)) -Werror -fsyntax-only common/*.c common/families/*.c tests/common/*.c tests/grading/*.c \
	  tools/bench/*.c
	@for file in labs/*/*.hip labs/*/experiments/*.hip solutions/*/*.hip tools/bench/*.hip; do \
	  $(HIPCC) $(filter-out -MMD -MP,$(HIPFLAGS)) -Werror -c $$file -o /dev/null || exit 1; done
	@echo "lint: clean"

.PHONY: bench record figures validate test lint
