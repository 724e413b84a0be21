# Tests of the emulated device, included by the Makefile at the top.
#
# In:  test_*.c of this folder, golden/*.txt, kernels/*.hip
# Out: suites in build/tests/emulator and, without the runtime ones, a second time under ASan and UBSan in
#      build/tests/emulator-asan; all of them are added to TEST_SUITES.
#
# test_runtime_*.c call the HIP API of the emulator's library; the others link the emulator's object files.
EMULATOR_TESTS := $(notdir $(basename $(wildcard tests/emulator/test_*.c)))
RUNTIME_TESTS := $(filter test_runtime_%,$(EMULATOR_TESTS))
ROOM_TESTS := $(filter-out test_runtime_%,$(EMULATOR_TESTS))
TEST_SUITES += $(addprefix build/tests/emulator/,$(EMULATOR_TESTS)) $(addprefix build/tests/emulator-asan/,$(ROOM_TESTS))

EMULATOR_ROOMS := $(filter-out runtime_%,$(notdir $(basename $(wildcard common/emulator/*.c))))
TEST_LIBRARIES := -lcriterion -lelf -ldw -lmsgpackc -L$(shell llvm-config-15 --libdir) -lLLVM-15 -lstdc++ -lm -lpthread
TEST_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Werror -D__HIP_PLATFORM_AMD__ -MMD -MP
TEST_SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# The emulator's object files, made by its own Makefile.
build/emulator/%.o: emulator ;
build/emulator-asan/libamdhip64.so.5: FORCE
	@$(MAKE) --no-print-directory -s -C common/emulator SANITIZE=1
FORCE:

# Suites of several source files.
build/tests/emulator/test_golden build/tests/emulator-asan/test_golden: EXTRA := $(addprefix tests/emulator/golden_,file.c machine.c text.c)
GOLDEN := $(patsubst tests/%.txt,build/tests/%.encoding,$(wildcard tests/emulator/golden/*.txt))
build/tests/emulator/test_golden build/tests/emulator-asan/test_golden: $(GOLDEN) $(wildcard tests/emulator/golden_*)

build/tests/emulator/golden/%.encoding: tests/emulator/golden/%.txt
	@mkdir -p $(@D)
	@sed -n '/^[^#@]/s/ | .*//p' $< | llvm-mc-15 -arch=amdgcn -mcpu=gfx90a -show-encoding -o $@

# The code object that these suites load themselves.
$(addprefix build/tests/emulator/test_runtime_,launch module register stream): build/tests/emulator/runtime.hsaco
build/tests/emulator/%.hsaco: tests/emulator/kernels/%.hip
	@mkdir -p $(@D)
	@$(HIPCC) --genco --offload-arch=gfx90a -O3 $< -o $@

build/tests/emulator/test_runtime_%: tests/emulator/test_runtime_%.c emulator
	@mkdir -p $(@D)
	@$(CC) $(TEST_CFLAGS) $< -L build/emulator -l:libamdhip64.so.5 -Wl,-rpath,$(CURDIR)/build/emulator -lcriterion -lm -o $@

build/tests/emulator/test_%: tests/emulator/test_%.c emulator
	@mkdir -p $(@D)
	@$(CC) $(TEST_CFLAGS) $< $(EXTRA) $(EMULATOR_ROOMS:%=build/emulator/%.o) $(TEST_LIBRARIES) -o $@

build/tests/emulator-asan/test_%: tests/emulator/test_%.c build/emulator-asan/libamdhip64.so.5
	@mkdir -p $(@D)
	@$(CC) $(TEST_CFLAGS) $(TEST_SANITIZERS) $< $(EXTRA) $(EMULATOR_ROOMS:%=build/emulator-asan/%.o) $(TEST_LIBRARIES) -o $@
