# The fuzzer: libFuzzer of clang-15 over the rooms of the emulated device, included by the Makefile at the top.
#
# In:  tests/fuzz/target.c, tests/fuzz/corpus; RUNS=N executions (else: without end), FOR=N seconds; EMULATOR_DEVICE=NAME: the device whose
#      code it is; FUZZ_KINDS=LETTERS: of tests/fuzz/target.h, those kinds alone; MARCH as in the Makefile at the top
# Out: build/fuzz/fuzz; `make fuzz`, which keeps inputs of interest in build/fuzz/corpus and what failed in build/fuzz/crash-*
FUZZ_CC := $(shell $(LLVM_CONFIG) --bindir)/clang
FUZZ_ROOMS := base code model isa counters machine
FUZZ_SOURCES := $(patsubst emulator/%,%,$(wildcard $(FUZZ_ROOMS:%=emulator/%/*.c))) ../tests/fuzz/target.c
FUZZ_OBJECTS := $(patsubst %.c,build/fuzz/%.o,$(subst ../,,$(FUZZ_SOURCES)))
FUZZ_SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_CFLAGS := -std=gnu11 -O1 -g -march=$(MARCH) -ffp-contract=off -fno-math-errno -fno-trapping-math -MMD -MP -Wno-everything \
               -D__HIP_PLATFORM_AMD__ $(FUZZ_ROOMS:%=-Iemulator/%) -Iemulator/include -isystem $(shell $(LLVM_CONFIG) --includedir)

# Comparisons are watched where a file is read. In the engines that costs much, and their input has no magic numbers.
build/fuzz/base/%.o build/fuzz/code/%.o: COVERAGE := -fsanitize=fuzzer-no-link
build/fuzz/%.o: COVERAGE := -fsanitize-coverage=inline-8bit-counters,pc-table
build/fuzz/%.o: emulator/%.c tests/fuzz/fuzz.mk
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_SANITIZERS) $(COVERAGE) -c $< -o $@
build/fuzz/tests/fuzz/%.o: tests/fuzz/%.c tests/fuzz/fuzz.mk
	@mkdir -p $(@D)
	@$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_SANITIZERS) -c $< -o $@
-include $(FUZZ_OBJECTS:.o=.d)

# Devices and bitcode are data: those of the ordinary build do.
build/fuzz/fuzz: $(FUZZ_OBJECTS) build/emulator/libamdhip64.so.5
	@$(FUZZ_CC) $(FUZZ_SANITIZERS) -fsanitize=fuzzer $(FUZZ_OBJECTS) $(wildcard build/emulator/base/*.ini.o build/emulator/isa/bitcode_*.o) \
	  -lelf -ldw -lmsgpackc -lz -l:libzstd.so.1 -L$(shell $(LLVM_CONFIG) --libdir) $(shell $(LLVM_CONFIG) --libs --link-shared) -lstdc++ -lm -lpthread -o $@

# What gcc builds clang may refuse: told before somebody wants to fuzz.
fuzz-compiles:
	@$(FUZZ_CC) $(filter-out -MMD -MP,$(FUZZ_CFLAGS)) -fsyntax-only $(addprefix emulator/,$(FUZZ_SOURCES))

# Leaks are looked for at the end: after each input that takes longer than the input.
fuzz: build/fuzz/fuzz
	@mkdir -p build/fuzz/corpus
	@ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1024:detect_stack_use_after_return=0:malloc_context_size=8:quarantine_size_mb=16 \
	  nice -n 15 build/fuzz/fuzz -artifact_prefix=build/fuzz/ \
	  -timeout=10 -detect_leaks=0 -rss_limit_mb=3000 -malloc_limit_mb=0 -max_len=65536 -print_final_stats=1 -runs=$(or $(RUNS),-1) -max_total_time=$(or $(FOR),0) \
	  build/fuzz/corpus tests/fuzz/corpus

.PHONY: fuzz fuzz-compiles
