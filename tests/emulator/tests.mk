# Tests of the emulated device, included by the Makefile at the top.
#
# In:  test_*.c of this folder, golden/*.txt, kernels/*.hip
# Out: suites in build/tests/emulator and, without the runtime ones, a second time under ASan and UBSan in
#      build/tests/emulator-asan; all of them are added to TEST_SUITES. SECOND_BUILDS: of those in both, the one that says little that
#      the other does not say.
#
# test_runtime_*.c call the HIP API of the emulator's library; the others link the emulator's object files.
EMULATOR_TESTS := $(notdir $(basename $(wildcard tests/emulator/test_*.c)))
RUNTIME_TESTS := $(filter test_runtime_%,$(EMULATOR_TESTS))
ROOM_TESTS := $(filter-out test_runtime_%,$(EMULATOR_TESTS))
TEST_SUITES += $(addprefix build/tests/emulator/,$(EMULATOR_TESTS)) $(addprefix build/tests/emulator-asan/,$(ROOM_TESTS))
# Code that another compiler's options made may round otherwise. Sanitizers see nothing of machine code that LLVM makes at run time.
ARITHMETIC_TESTS := test_golden test_transcendental test_translation
SECOND_BUILDS := $(addprefix build/tests/emulator/,$(filter-out $(ARITHMETIC_TESTS),$(ROOM_TESTS))) build/tests/emulator-asan/test_translation

include emulator/rooms.mk
EMULATOR_OBJECTS := $(patsubst emulator/%.c,%.o,$(wildcard $(patsubst %,emulator/%/*.c,$(filter-out hip,$(ROOMS))))) \
                    $(patsubst emulator/isa/bitcode/%.c,isa/bitcode_%.o,$(wildcard emulator/isa/bitcode/*.c))
EMULATOR_DEVICES := $(patsubst emulator/%,%.o,$(wildcard emulator/base/*.ini))
EMULATOR_INCLUDES := $(ROOMS:%=-Iemulator/%) -Iemulator/include -isystem $(shell $(LLVM_CONFIG) --includedir)
TEST_LIBRARIES := $(if $(shell command -v ld.gold),-fuse-ld=gold) -Wl,--as-needed -lcriterion -lelf -ldw -lmsgpackc -lz -l:libzstd.so.1 -L$(shell $(LLVM_CONFIG) --libdir) $(shell $(LLVM_CONFIG) --libs --link-shared) -lstdc++ -lm -lpthread
TEST_CFLAGS := -std=gnu11 -O1 -g1 -Wall -Wextra -Werror -D__HIP_PLATFORM_AMD__ $(EMULATOR_INCLUDES) -MMD -MP
TEST_SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

build/emulator-asan/libamdhip64.so.5: FORCE
	@$(MAKE) --no-print-directory -s -C emulator ASAN=1

# A suite takes what it needs of it: each test is a process, and most need no LLVM, which takes longer to load than they run.
EMULATOR_ARCHIVES := build/emulator/objects.a build/emulator-asan/objects.a
$(EMULATOR_ARCHIVES): %/objects.a: %/libamdhip64.so.5
	@rm -f $@
	@ar rcs $@ $(EMULATOR_OBJECTS:%=$*/%)

# Golden cases: one call of the assembler per file.
GOLDEN := $(patsubst tests/%.txt,build/tests/%.encoding,$(wildcard tests/emulator/golden/*.txt))
GOLDEN_SOURCES := $(addprefix tests/emulator/golden_,file.c machine.c text.c)
GOLDEN_SUITES := $(foreach suite,golden translation,build/tests/emulator/test_$(suite) build/tests/emulator-asan/test_$(suite))
$(GOLDEN_SUITES): EXTRA := $(GOLDEN_SOURCES)
$(GOLDEN_SUITES): $(GOLDEN) $(wildcard tests/emulator/golden_*)
build/tests/emulator/golden/%.encoding: GOLDEN_CPU := gfx90a
build/tests/emulator/golden/gfx942.encoding: GOLDEN_CPU := gfx940 # as LLVM 15 calls it
build/tests/emulator/golden/gfx908.encoding: GOLDEN_CPU := gfx908
build/tests/emulator/golden/%.encoding: tests/emulator/golden/%.txt
	@mkdir -p $(@D)
	@sed -n '/^[^#@]/s/ | .*//p' $< | llvm-mc-15 -arch=amdgcn -mcpu=$(GOLDEN_CPU) -show-encoding -o $@

# Programs for other devices, under the names that hipcc has for their architectures; compiled and linked as the other programs
# are, for hipcc itself takes two seconds more for each.
DEVICE_KERNELS := matrix_multiply math_functions private_array reduction shapes
DEVICE_PROGRAMS := $(foreach kernel,$(DEVICE_KERNELS),build/tests/emulator/devices/$(kernel)-gfx940 build/tests/emulator/devices/$(kernel)-gfx908) \
                   build/tests/emulator/devices/mipmaps-gfx908 build/tests/emulator/devices/float_atomics-gfx940
$(DEVICE_PROGRAMS): build/tests/emulator/devices/%: tests/emulator/tests.mk build/emulator/libamdhip64.so.5 $(wildcard tests/emulator/kernels/*.h)
	@mkdir -p $(@D)
	@$(subst --offload-arch=$(OFFLOAD_ARCH),--offload-arch=$(lastword $(subst -, ,$*)),$(filter-out -MMD -MP,$(HIP_COMPILE))) \
	  -c tests/emulator/kernels/$(firstword $(subst -, ,$*)).hip -o $@.o
	@$(LINK_FOR_EMULATOR) $@.o $(EMULATOR_LIBRARIES) -o $@

# The fuzzer's target, without the fuzzer.
build/tests/emulator/test_fuzz build/tests/emulator-asan/test_fuzz: EXTRA := tests/fuzz/target.c
build/tests/emulator/test_fuzz build/tests/emulator-asan/test_fuzz: tests/fuzz/target.c tests/fuzz/target.h $(wildcard tests/fuzz/corpus/*)

# Programs of test_runtime_kernels, and the code object of the other runtime suites.
KERNEL_PROGRAMS := $(patsubst %.hip,build/%,$(filter-out %/runtime.hip,$(wildcard tests/emulator/kernels/*.hip)))
$(KERNEL_PROGRAMS:%=%.o) $(DEVICE_PROGRAMS): HIPFLAGS += -Wno-deprecated-declarations # programs still call what is
$(KERNEL_PROGRAMS): %: %.o build/emulator/libamdhip64.so.5
	@$(LINK_FOR_EMULATOR) $< $(EMULATOR_LIBRARIES) -o $@
build/tests/emulator/test_runtime_kernels: $(KERNEL_PROGRAMS) build/emulator-asan/libamdhip64.so.5
build/tests/emulator/runtime.hsaco: tests/emulator/kernels/runtime.hip | tools
	@mkdir -p $(@D)
	@$(HIP_COMPILER) --offload-arch=$(OFFLOAD_ARCH) -O3 --genco $< -o $@
build/tests/emulator/played.hsaco: tests/emulator/faults/played.hip tests/emulator/faults/played.h | tools
	@mkdir -p $(@D)
	@$(HIP_COMPILER) --offload-arch=$(OFFLOAD_ARCH) -O3 --genco $< -o $@
build/tests/emulator/test_sanitizer_scripts build/tests/emulator-asan/test_sanitizer_scripts: build/tests/emulator/played.hsaco
$(RUNTIME_TESTS:%=build/tests/emulator/%): build/tests/emulator/runtime.hsaco $(wildcard tests/emulator/*.h)

build/tests/emulator/test_runtime_%: tests/emulator/test_runtime_%.c build/emulator/libamdhip64.so.5 | criterion
	@mkdir -p $(@D)
	@$(CC) $(TEST_CFLAGS) $< -L build/emulator -l:libamdhip64.so.5 -Wl,-rpath,'$$ORIGIN/../../emulator' -lcriterion -lm -o $@

build/tests/emulator/test_%: tests/emulator/test_%.c build/emulator/objects.a | criterion
	@mkdir -p $(@D)
	@$(CC) $(TEST_CFLAGS) $< $(EXTRA) $(EMULATOR_DEVICES:%=build/emulator/%) build/emulator/objects.a $(TEST_LIBRARIES) -o $@

build/tests/emulator-asan/test_%: tests/emulator/test_%.c build/emulator-asan/objects.a | criterion
	@mkdir -p $(@D)
	@$(CC) $(TEST_CFLAGS) $(TEST_SANITIZERS) $< $(EXTRA) $(EMULATOR_DEVICES:%=build/emulator-asan/%) build/emulator-asan/objects.a $(TEST_LIBRARIES) -o $@

# Under ThreadSanitizer, by `make races` alone: suites that have several threads at work, and programs with blocks that
# are translated meanwhile.
RACE_SUITES := $(addprefix build/tests/emulator-tsan/test_runtime_,threads queue stream graph graph_memory capture traces)
RACE_PROGRAMS := $(addprefix build/tests/emulator/kernels/,stencil reduction histogram device_heap print waiting_streams)
RACE_LEFT_OUT := $(addprefix runtime_queue/,thousands_of_launches_and_callbacks_keep_their_order \
                   thousands_of_launches_wait_for_thousands a_small_launch_takes_microseconds) \
                 runtime_stream/a_stream_waits_for_what_the_host_writes \
                 $(addprefix runtime_threads/,are_there_again_in_a_process_that_fork_made a_kernel_waits_for_a_late_copy \
                   a_kernel_waits_for_a_late_kernel a_kernel_waits_for_what_is_called_back)
# The one of runtime_stream looks at memory that the device changes; ThreadSanitizer lets no forked process have threads.
RACES := EMULATOR_THREADS=4 EMULATOR_TRANSLATE=500 TSAN_OPTIONS="exitcode=66 atexit_sleep_ms=0 suppressions=tests/emulator/tsan.txt"
build/emulator-tsan/libamdhip64.so.5: FORCE
	@$(MAKE) --no-print-directory -s -C emulator TSAN=1
build/tests/emulator-tsan/test_%: tests/emulator/test_%.c tests/emulator/run_apart.c build/emulator-tsan/libamdhip64.so.5 | criterion
	@mkdir -p $(@D)
	@$(CC) $(TEST_CFLAGS) -fsanitize=thread $< tests/emulator/run_apart.c -L build/emulator-tsan -l:libamdhip64.so.5 \
	  -Wl,-rpath,'$$ORIGIN/../../emulator-tsan' -lcriterion -lm -o $@
$(RACE_SUITES): build/tests/emulator/runtime.hsaco $(wildcard tests/emulator/*.h)
races: $(RACE_SUITES) $(RACE_PROGRAMS)
	@failed=0; \
	for suite in $(RACE_SUITES); do $(RACES) $$suite $(RACE_LEFT_OUT) || failed=1; done; \
	for program in $(RACE_PROGRAMS); do \
	  $(RACES) LD_PRELOAD=libtsan.so.2 LD_LIBRARY_PATH=build/emulator-tsan $$program >/dev/null || failed=1; \
	done; \
	[ $$failed = 0 ] && echo "races: none"
