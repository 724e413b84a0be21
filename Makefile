# Builds, runs and grades the labs. `make` alone lists the targets; those for maintainers stand in tools/maintainer.mk, what
# NVIDIA GPUs need in tools/nvidia.mk.
#
# In:  LAB=NN, SRC=labs|solutions|beyond, DEVICE=auto|amd|nvidia|emulated, ARGS="..." for the program,
#      M=8 and the like, the choices at build time that tools/choices lists,
#      HINT=N, SEED=N, FROM=COMMIT for reset and diff, WITH=starter for diff, EACH="window=8,32" for variants,
#      DIR for workspace, PREFIX for setup, SUITE=name,
#      COUNTERS="..." and FULL=1 for profile, FULL=1 for demo, SANITIZE=1 for run, OFFLOAD_ARCH, WERROR=-Werror,
#      LAB_PLATFORM=amd|nvidia, what targets in build/ are made for where no device is chosen,
#      SUBMISSIONS, ROSTER, LABS, JOBS, LAUNCHER, OUT, SANDBOX for grade (docs/grading-a-class.md)
# Out: everything lands in build/: programs under the path of their source, results in build/results/*.json

SHELL := /bin/bash
.DEFAULT_GOAL := help

# On all cores, unless asked otherwise.
MAKEFLAGS += --jobs=$(shell nproc)

# No name of this folder reaches a rule or a recipe, so it may be any; but the loader takes these two for the end of a path.
ifneq ($(or $(findstring :,$(CURDIR)),$(findstring ;,$(CURDIR))),)
$(error the folder $(CURDIR) has a ':' or ';' in its path, where the loader splits LD_LIBRARY_PATH: move or rename it)
endif

LAB ?=
SRC ?= labs
DEVICE ?= auto
ARGS ?=
HINT ?=
FROM ?=
WITH ?=
EACH ?=
PREFIX ?=
DIR ?=
SEED ?=
SUITE ?=
COUNTERS ?=
FULL ?=
OFFLOAD_ARCH ?= gfx90a
HIPCC ?= hipcc
CC := gcc
WERROR ?=
# Its LLVM disassembles for the emulated device. MARCH=x86-64-v2 and the like make builds that other machines run, too.
LLVM_CONFIG ?= llvm-config-15
MARCH ?= native
export LLVM_CONFIG MARCH

# A value that somebody gave, as one word of a recipe's shell.
quote = '$(subst ','\'',$(1))'

# Which device these run on is decided here, once, for what has to be built depends on it. Lab 00 is about the one device
# whose caches can be counted to the byte.
ifneq ($(filter run experiments sweep demo report check grade profile measure diff variants,$(MAKECMDGOALS)),)
ifeq ($(CHOSEN_DEVICE),)
export CHOSEN_DEVICE := $(shell tools/device.sh $(call quote,$(if $(filter 00%,$(LAB)),emulated,$(DEVICE))))
$(if $(CHOSEN_DEVICE),,$(error there is no such device to run on, see above))
endif
LAB_PLATFORM := $(if $(filter nvidia,$(CHOSEN_DEVICE)),nvidia,amd)
endif
# The emulated device executes what is made for an AMD GPU.
export LAB_PLATFORM ?= amd

# hipcc asks rocm_agent_enumerator for the machine's GPUs, which ends in a Python traceback where there is none, unless
# the architecture is given: on every command line of ours, and here for any other use of hipcc.
export HCC_AMDGPU_TARGET := $(OFFLOAD_ARCH)
# And it starts clang to see whether there is one, unless it is told.
export HIP_PLATFORM := amd

# It also forgets two folders in /tmp each time it compiles.
HIP_COMPILER := tools/own-tmp.sh $(HIPCC)
ASK_COMPILER = tools/hipcc-starts.sh compile $(HIPCC) --offload-arch=$(OFFLOAD_ARCH)
ASK_LIBRARIES = tools/hipcc-starts.sh link $(HIPCC)

# Threads of the host's checks that wait for each other sleep instead of spinning: a run of two seconds on cores that
# others use, too, took four otherwise.
export OMP_WAIT_POLICY ?= passive

# What a lab program may include: common/, and the one header by which a program asks the emulated device.
INCLUDES := -Icommon -Icommon/families -Iemulator/include
CPPFLAGS := -D__HIP_PLATFORM_AMD__ $(INCLUDES)
CFLAGS := -std=gnu11 -O3 -march=$(MARCH) -fopenmp -Wall -Wextra $(WERROR) -MMD -MP
# -gline-tables-only lets the emulated device name source lines in faults and reports; the code is the same.
HIPFLAGS := --offload-arch=$(OFFLOAD_ARCH) -O3 -gline-tables-only -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
            $(WERROR) $(INCLUDES) -MMD -MP

# Where programs go, what links them, what must be installed, and the emulated device, for whatever may run there.
PLACE := build
LINK = $(if $(LINK_LIBRARIES),$(CC),$(HIP_COMPILER) --offload-arch=$(OFFLOAD_ARCH))
NEEDED = $(HIPCC) $(if $(RUNTIME)$(filter check grade,$(MAKECMDGOALS)),$(LLVM_CONFIG) "$$($(LLVM_CONFIG) --bindir 2>/dev/null)/clang")
REMEDY := run 'make setup', which installs it.
RUNTIME := $(if $(filter amd,$(CHOSEN_DEVICE)),,emulator)
VERSION_LINES := head -n 2
# What writes the assembly of LAB's kernels, and where.
ASSEMBLE = mkdir -p $(LAB_PROGRAM).temps && $(HIP_COMPILER) $(filter-out -MMD -MP -gline-tables-only,$(HIPFLAGS)) \
	--save-temps=obj -c $(LAB_SOURCE) -o $(LAB_PROGRAM).temps/discarded.o
ASSEMBLY = $(LAB_PROGRAM).temps/*-$(OFFLOAD_ARCH).s
# Of a grade: the part of an object with the device's code, and what a recorder is linked with.
CODE_SECTION := .hip_fatbin
RECORDER_LIBRARIES := -Lbuild/emulator -lamdhip64
ifeq ($(LAB_PLATFORM),nvidia)
include tools/nvidia.mk
endif

# The rows of tools/choices, each as M:m:TILE:1:64:tiling_factor, and a row's columns.
CHOICES := $(shell awk -F '  +' '!/^\#/ {gsub(" ", "_", $$5); print $$1 ":" tolower($$1) ":" $$2 ":" $$3 ":" $$4 ":" $$5}' tools/choices)
column = $(subst _, ,$(word $(2),$(subst :, ,$(1))))
name = $(call column,$(1),1)
asked = $($(name))
macro = $(call column,$(1),3)
least = $(call column,$(1),4)
most = $(call column,$(1),5)
meaning = $(call column,$(1),6)
chosen = $(foreach row,$(CHOICES),$(if $(call asked,$(row)),$(row)))

$(foreach row,$(chosen),$(if $(filter-out $(shell seq $(call least,$(row)) $(call most,$(row))),$(call asked,$(row)))$(word 2,$(call asked,$(row))),\
  $(error $(call name,$(row))=$(call asked,$(row)) is no $(call meaning,$(row)): a whole number from $(call least,$(row)) to $(call most,$(row)) is)))

# What is chosen makes a program of its own, build/m8/labs/..., so that none is stale.
VARIANT := $(subst / ,/,$(foreach row,$(chosen),$(call column,$(row),2)$(call asked,$(row))/))
HIPFLAGS += $(foreach row,$(chosen),-D$(call macro,$(row))=$(call asked,$(row)))

# Who compiles, which decides with a file's contents whether it is compiled, the command to do it, and what to link with. Asked
# once, and only if something may have to be compiled; each make below this one, of which a check starts several, inherits the
# answer, if it is of the same compiler.
ifneq ($(COMPILER_ASKED),$(HIPCC) $(OFFLOAD_ARCH))
COMPILER_IS = $(eval COMPILER_IS := $$(shell HCC_AMDGPU_TARGET=$(OFFLOAD_ARCH) HIP_PLATFORM=amd $(ASK_COMPILER)))$(COMPILER_IS)
LINK_LIBRARIES :=
endif
ifeq ($(LINK_LIBRARIES),)
LINK_LIBRARIES = $(eval LINK_LIBRARIES := $$(shell $(ASK_LIBRARIES)))$(LINK_LIBRARIES)
endif
ifneq ($(filter check grade test demo sweep,$(MAKECMDGOALS)),)
export COMPILER_ASKED := $(HIPCC) $(OFFLOAD_ARCH)
export COMPILER_IS
endif
ifneq ($(filter test demo sweep,$(MAKECMDGOALS)),)
export LINK_LIBRARIES
endif
HIPCC_VERSION = $(firstword $(COMPILER_IS))
HIP_COMPILE = $(wordlist 2,$(words $(COMPILER_IS)),$(COMPILER_IS)) $(HIPFLAGS)

# main stands alone: an experiment has its own, and a grade's programs have theirs.
MAIN := $(PLACE)/common/main.o
COMMON := $(filter-out $(MAIN),$(patsubst %.c,$(PLACE)/%.o,$(wildcard common/*.c common/families/*.c)))
# Without a device: what a test can link.
HOST_ONLY := $(filter-out $(patsubst %,$(PLACE)/common/%.o,device setup run paired experiment families/families families/slices families/lbm_device),$(COMMON))

# What people put into these folders may have any name. Starters lie where make diff puts them. One question for all of them:
# each make asks, and a check starts several.
STARTERS := build/starters
PLAIN_FILES := $(sort $(shell tools/plain-names.sh {labs,solutions,beyond,$(STARTERS)}/*/*.hip labs/*/{variants,experiments}/*.hip \
  tests/submissions/*/*.hip))
in_folder = $(foreach file,$(PLAIN_FILES),$(if $(findstring /$(1)/,$(file)),$(file)))
# A learner's own versions, for make variants.
OWN_FILES := $(call in_folder,variants)
EXPERIMENT_FILES := $(call in_folder,experiments)
SUBMISSION_FILES := $(call in_folder,submissions)
HIP_FILES := $(filter-out $(OWN_FILES) $(EXPERIMENT_FILES) $(SUBMISSION_FILES),$(PLAIN_FILES))
# Lab 00 has no kernel to write: its program stands alone, and grading/machine.py checks it.
MACHINE_FILES := $(filter labs/00-% solutions/00-%,$(HIP_FILES))
LAB_FILES := $(filter-out $(MACHINE_FILES),$(HIP_FILES))

# Libraries of an installation without root are found as before.
WITH_EMULATOR := export LD_LIBRARY_PATH="$$PWD/build/emulator$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}"

# Runs what follows on the chosen device, whose name is then in $$device.
ON_DEVICE = device=$(CHOSEN_DEVICE); if [ $$device = emulated ]; then $(WITH_EMULATOR); fi;

help:
	@cat tools/help.txt
	@$(foreach row,$(CHOICES),echo "$(call name,$(row))=$(call least,$(row))..$(call most,$(row)) for the $(call meaning,$(row)).";)

setup:
	@PREFIX=$(call quote,$(PREFIX)) tools/setup.sh

# --- building ---

# Names what is missing in a sentence. Order-only, so it never causes a rebuild.
tools:
	@{ mkdir -p build && [ -w build ]; } 2>/dev/null || \
	  { echo "build/ cannot be written here: make workspace DIR=... gives you a folder of your own to work in" >&2; exit 1; }
	@for tool in $(NEEDED) $(CC) python3 nm; do \
	  command -v $$tool >/dev/null || { echo "$$tool is missing: $(REMEDY)" >&2; exit 1; }; \
	done

criterion: | tools
	@echo '#include <criterion/criterion.h>' | $(CC) -E - >/dev/null 2>&1 || \
	  { echo "Criterion, the test framework, is missing: run 'make setup', which installs it." >&2; exit 1; }

# A workspace has a link, and whoever owns what it leads to builds it.
emulator: | tools
	@[ -L build/emulator ] || $(MAKE) --no-print-directory -s -C emulator

# Only a library that changed makes what leans on it be linked again.
build/emulator/libamdhip64.so.5: emulator
	@:

# Whole or not at all, here and where programs are linked: checks that run side by side may ask for the same file.
$(COMMON) $(MAIN): $(PLACE)/%.o: %.c | tools
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MF $(@:.o=.d) -MT $@ -c $< -o $@.$$$$ && mv $@.$$$$ $@

# Contents decide whether a .hip file is compiled, not dates: a file copied with its old date over another is another file.
# So this is asked each time, and an object that need not change keeps its date.
$(PLACE)/$(VARIANT)%.o: %.hip FORCE | tools
	@mkdir -p $(@D)
	@tools/hip-compile.sh $@ $< $(HIPCC_VERSION) $(HIP_COMPILE)
FORCE:

MACHINE_PROGRAMS := $(patsubst %.hip,$(PLACE)/%,$(MACHINE_FILES))
$(MACHINE_PROGRAMS): %: %.o
	@$(LINK) $< -o $@.$$$$ $(LINK_LIBRARIES) && mv $@.$$$$ $@

# A lab program: the learner's object, common/ and main.
PROGRAMS := $(patsubst %.hip,$(PLACE)/$(VARIANT)%,$(LAB_FILES) $(OWN_FILES) $(SUBMISSION_FILES))
$(PROGRAMS): %: %.o $(COMMON) $(MAIN)
	@$(LINK) $< $(COMMON) $(MAIN) -lgomp -lm -o $@.$$$$ $(LINK_LIBRARIES) && mv $@.$$$$ $@

# What a grade is made with: asking a launcher what it would launch, and launching that (grading/launches/).
LAUNCHES := $(PLACE)/grading/launches
LAUNCHES_OBJECTS := $(patsubst %.c,$(PLACE)/%.o,$(wildcard grading/launches/*.c))
$(LAUNCHES_OBJECTS): $(PLACE)/%.o: %.c | tools
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS) -Iemulator/code -Iemulator/base $(CFLAGS) -MF $(@:.o=.d) -MT $@ -c $< -o $@.$$$$ && mv $@.$$$$ $@

$(LAUNCHES)/replay: $(addprefix $(LAUNCHES)/,replay.o far.o launch_list.o facts.o) $(COMMON)
	@$(LINK) $^ -lgomp -lm -o $@.$$$$ $(LINK_LIBRARIES) && mv $@.$$$$ $@

# All of record but the learner's object, which the grader adds.
$(LAUNCHES)/record.a: $(addprefix $(LAUNCHES)/,record.o record_$(LAB_PLATFORM).o facts.o) $(COMMON)
	@rm -f $@ && ar rcs $@.$$$$ $^ && mv $@.$$$$ $@

# How a grade's programs are compiled, where nobody else's file is in sight: the command; the compiler's version for
# programs; section and libraries. The version for people is asked for by itself: it takes as long as a kernel's compilation.
compile-command:
	@echo '$(filter-out tools/% -MMD -MP,$(HIP_COMPILE))'
	@echo '$(HIPCC_VERSION)'
	@echo '$(CODE_SECTION)'
	@echo '$(RECORDER_LIBRARIES)'

compiler-words:
	@$(HIP_COMPILER) --version 2>/dev/null | $(VERSION_LINES) | paste -sd,

ifeq ($(LAB_PLATFORM),amd)
$(LAUNCHES)/kernel-facts: $(LAUNCHES)/kernel_facts.o build/emulator/libamdhip64.so.5
	@$(CC) $< $(wildcard build/emulator/code/*.o build/emulator/base/*.o) -lelf -ldw -lmsgpackc -lz -l:libzstd.so.1 -lstdc++ -lpthread -o $@.$$$$ && mv $@.$$$$ $@
endif

grader: $(addprefix $(LAUNCHES)/,replay kernel-facts record.a)

# Small programs beside a lab, which show one technique each.
EXPERIMENTS := $(patsubst %.hip,$(PLACE)/%,$(EXPERIMENT_FILES))
$(EXPERIMENTS): %: %.o $(COMMON)
	@$(LINK) $< $(COMMON) -lgomp -lm -o $@.$$$$ $(LINK_LIBRARIES) && mv $@.$$$$ $@

# All that a learner can run. A submission is built by who grades it, with the choices that the grade needs.
programs: $(filter-out $(patsubst %.hip,$(PLACE)/$(VARIANT)%,$(OWN_FILES)) $(foreach room,tests $(STARTERS),$(PLACE)/$(VARIANT)$(room)/%),$(PROGRAMS)) $(EXPERIMENTS)

# --- the learner's day ---

# The one program that LAB and SRC name.
LAB_SOURCE := $(if $(LAB),$(filter $(SRC)/$(LAB)%,$(HIP_FILES)))
LAB_NAMES := $(notdir $(patsubst %/,%,$(dir $(filter $(SRC)/%,$(HIP_FILES)))))
LAB_PROGRAM := $(patsubst %.hip,$(PLACE)/$(VARIANT)%,$(LAB_SOURCE))
LAB_NAME := $(notdir $(patsubst %/,%,$(dir $(LAB_SOURCE))))
LAB_EXPERIMENTS := $(if $(LAB_NAME),$(filter $(PLACE)/labs/$(LAB_NAME)/%,$(EXPERIMENTS)))

ifneq ($(and $(filter 00%,$(LAB)),$(filter sweep report profile measure diff variants whatif,$(MAKECMDGOALS))),)
$(error lab 00 has no kernel of yours to look into; it has a page and a check: make read LAB=00 and make check LAB=00)
endif

lab-named:
	@if [ $(words $(LAB_SOURCE)) -ne 1 ]; then \
	  printf '%s\n' $(call quote,LAB=$(LAB) names no lab in $(SRC)/; there are: $(LAB_NAMES). Example: make run LAB=01) >&2; exit 1; fi
	@$(foreach row,$(chosen),grep -q '^#define $(call macro,$(row))' $(LAB_SOURCE) || \
	  { echo "$(call name,$(row))=$(call asked,$(row)): $(LAB_SOURCE) defines no $(call macro,$(row)), so there is no $(call meaning,$(row)) to choose" >&2; exit 1; };)

# Where run leaves its result and the report by source line; what it left before is beside it, if that was right.
KEPT_RUN = build/results/$(LAB_NAME).$(notdir $(SRC)).$(CHOSEN_DEVICE)

run: lab-named $(LAB_PROGRAM) $(RUNTIME)
	@mkdir -p build/results
	@$(ON_DEVICE) run=$(KEPT_RUN); result=$$run.json; \
	if grep -qs '"verified": true' $$result; then \
	  for end in json lines.csv; do rm -f $$run.before.$$end; if [ -e $$run.$$end ]; then mv $$run.$$end $$run.before.$$end; fi; done; \
	else rm -f $$run.json $$run.lines.csv; fi; \
	$(if $(SANITIZE),EMULATOR_SANITIZE=$(call quote,$(SANITIZE))) EMULATOR_LINES=$${EMULATOR_LINES-$$run.lines.csv} LAB_RESULT_FILE=$$result $(LAB_PROGRAM) $(ARGS) || \
	  { status=$$?; if [ $$status -eq 4 ]; then echo "NOT RIGHT YET: the kernel failed on the device, see above. Next: edit $(LAB_SOURCE)."; fi; \
	    exit $$status; }; \
	if [ -e $$result ]; then python3 -m grading.tables.one_run $$result; fi

experiments: lab-named $(LAB_EXPERIMENTS) $(RUNTIME)
	@$(if $(LAB_EXPERIMENTS),,echo "lab $(LAB) has no experiments; there are: $(sort $(notdir $(patsubst %/experiments/,%,$(dir $(EXPERIMENT_FILES)))))" >&2; exit 1)
	@$(ON_DEVICE) python3 -m grading.tables.experiments $$device $(LAB_EXPERIMENTS)

# The last two runs that were right side by side; or the starter's run and yours. What cannot be compared yet is no trouble.
STARTERS_RUN = build/results/$(LAB_NAME).$(notdir $(STARTERS)).$(CHOSEN_DEVICE)
COMPARE = python3 -m tools.diff_runs
LEAVE_ANSWER = status=$$?; [ $$status -lt 2 ] && echo $$status >$$MAKE_ANSWER
ifneq ($(filter-out starter,$(WITH)),)
$(error WITH=$(WITH): make diff compares with the starter (WITH=starter), or your last two runs)
endif
ifeq ($(MAKE_ANSWER),)
else ifeq ($(WITH),starter)
diff: lab-named
	@tools/starter.sh $(call quote,$(LAB)) $(STARTERS) $(call quote,$(FROM)) >/dev/null
	+@mkdir -p build/results; rm -f $(STARTERS_RUN).json $(KEPT_RUN).json; \
	for room in $(STARTERS) $(SRC); do \
	  MAKEFLAGS= MAKELEVEL= python3 -m grading.progress "running the file in $$room" $(MAKE) --no-print-directory run SRC=$$room >build/results/diff.said || \
	    [ -e build/results/$(LAB_NAME).$${room##*/}.$(CHOSEN_DEVICE).json ] || { cat build/results/diff.said; exit 1; }; \
	  grep -qs '"verified": true' $(STARTERS_RUN).json || \
	    { echo "diff: the starter of lab $(LAB) is not right yet, so its figures say nothing. WITH=starter works from lab 02 on" >&2; \
	      echo 1 >$$MAKE_ANSWER; exit; }; done; \
	$(COMPARE) $(STARTERS_RUN) $(KEPT_RUN) "the lab's first version and your file"; $(LEAVE_ANSWER)
else
diff: lab-named
	@$(COMPARE) $(KEPT_RUN).before $(KEPT_RUN) "your last two runs that were right"; $(LEAVE_ANSWER)
endif

# What the learner tried, in one table.
variants: lab-named $(COMMON) grader $(RUNTIME)
	@$(ON_DEVICE) python3 -m tools.variants $$device $(LAB_SOURCE) $(call quote,$(EACH))

# On emulated devices of which one thing is perfect, whatever GPU there is.
whatif: lab-named $(LAB_PROGRAM) emulator
	@$(WITH_EMULATOR); python3 -m tools.whatif $(LAB_PROGRAM) $(ARGS)

status:
	@python3 -m tools.reached status

next:
	@python3 -m tools.reached next

after solution: lab-named
	@python3 -m tools.reached $@ $(LAB_NAME)

explain:
	@python3 -m tools.explain $(call quote,$(NAME))

watch: lab-named
	@python3 -m tools.watch $(LAB_SOURCE) $(MAKE) --no-print-directory check

sweep: lab-named $(COMMON) $(RUNTIME)
	@$(ON_DEVICE) python3 -m grading.tables.sweep $$device $(LAB_SOURCE) -- $(ARGS)

# What the compiler says of each kernel, and the assembly that this comes from.
report: lab-named $(LAB_PROGRAM)
	@python3 -m tools.compiled_table $(LAB_PROGRAM).resources
	@$(ASSEMBLE)
	@python3 -m tools.assembly $(ASSEMBLY)

# make ends with status 2 whatever failed, and with 1 only where it was asked whether something is done (--question). That is
# what a check asks, and a comparison. So `make check` asks, lets another make do the work, and answers: 0 passed, 1 not yet,
# 2 trouble, which alone make has a line of its own for. What the command line says reaches the other make by the environment.
ifneq ($(filter check diff,$(MAKECMDGOALS)),)
ifeq ($(MAKE_ANSWER),)
MAKEFLAGS += --question
endif
endif

ifeq ($(MAKE_ANSWER),)
check diff:
	+@mkdir -p build; export MAKE_ANSWER=build/answer-$$$$; MAKEFLAGS= MAKELEVEL= $(MAKE) --no-print-directory $@ || exit 2; \
	status=$$(cat $$MAKE_ANSWER); rm $$MAKE_ANSWER; exit $$status
else
check: $(if $(LAB),lab-named) $(if $(filter 00%,$(LAB)),$(LAB_PROGRAM),grader) $(RUNTIME)
	@$(ON_DEVICE) $(if $(filter 00%,$(LAB)),python3 -m grading.machine $(LAB_PROGRAM) $(LAB_SOURCE),\
	  python3 -m grading.check $$device $(if $(SEED),--seed $(call quote,$(SEED))) \
	  $(if $(LAB),$(LAB_SOURCE),$(filter $(SRC)/%,$(LAB_FILES)))); \
	$(LEAVE_ANSWER)
endif

# What an instructor's names hold is for no make and no shell to read, so they go through the environment as they are. No make
# below this one gets them as variables, which it would expand.
ifneq ($(filter grade,$(MAKECMDGOALS)),)
MAKEOVERRIDES :=
endif
$(foreach name,SUBMISSIONS ROSTER LABS JOBS LAUNCHER OUT SANDBOX,$(eval override export $(name) := $$(value $(name))))
grade: override export SEED := $(value SEED)
grade: grader $(RUNTIME)
	@$(ON_DEVICE) python3 -m grading.grade $$device

profile: export FULL := $(FULL)
profile: lab-named $(LAB_PROGRAM) $(RUNTIME)
	@mkdir -p build/results
	@$(ON_DEVICE) python3 -m tools.profile $$device $(LAB_PROGRAM) \
	  build/results/$(firstword $(subst -, ,$(LAB_NAME))).profile.csv $(call quote,$(COUNTERS)) $(ARGS)

read: lab-named
	@python3 -m tools.read_page $(LAB_NAME)

hint: lab-named
	@tools/hint.sh $(LAB_NAME) $(call quote,$(HINT))

reset:
	@tools/reset.sh $(call quote,$(LAB)) $(call quote,$(FROM))

# Learners' folders of one repository, which they need not be able to write to.
workspace:
	@tools/workspace.sh $(call quote,$(DIR))

update:
	@tools/workspace.sh .

# Everything once on a real GPU, into one file.
measure: $(if $(LAB),lab-named) $(COMMON) $(RUNTIME)
	@python3 -m tools.measure $(CHOSEN_DEVICE) $(if $(LAB),$(LAB_NAME))

demo: $(COMMON) $(RUNTIME)
	@$(ON_DEVICE) python3 -m grading.tables.sweep $$device $(if $(FULL),--published-size) $(filter solutions/%,$(LAB_FILES)) -- $(ARGS)

include tools/maintainer.mk

clean:
	rm -rf build

-include $(COMMON:.o=.d) $(MAIN:.o=.d) $(LAUNCHES_OBJECTS:.o=.d) $(addsuffix .d,$(TEST_SUITES))

# `make -j setup demo` must not build before the packages are there.
ifneq ($(filter setup,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

.PHONY: help setup tools criterion emulator compile-command compiler-words grader programs lab-named run experiments sweep report check grade profile read diff variants whatif status next after solution explain watch hint reset workspace update measure demo clean
