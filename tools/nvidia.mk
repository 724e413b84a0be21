# How programs are made for NVIDIA GPUs: by nvcc alone, from the same sources. Included by the Makefile at the root.
#
# In:  NVCC=..., NVIDIA_ARCH=sm_90 and the like (by default that of the GPU found here); INCLUDES, WERROR
# Out: the variables that the Makefile sets for AMD and emulated devices, for NVIDIA's; kernel-facts

NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc) nvcc)
NVIDIA_ARCH ?= sm_$(subst .,,$(firstword $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null)))
# nvcc's own word for where its toolkit lies: what is in PATH may be a script or a link. Debian's nvcc says nothing: its toolkit
# lies where the compiler, the linker and the shell look anyway.
NVCC_SAYS = $(shell $(NVCC) --dryrun -E -x cu /dev/null 2>&1 | sed -n 's/^\#\$$ $1=//p' | tr -d '"')
CUDA := $(abspath $(strip $(call NVCC_SAYS,TOP)))
CUDA_INCLUDES := $(patsubst -I%,-isystem %,$(call NVCC_SAYS,INCLUDES))

PLACE := build/nvidia
RUNTIME :=
NEEDED := $(NVCC)
REMEDY := nvcc comes with the CUDA Toolkit, 12.4 or later (NVCC=... names one that is not in PATH), the others with your system.
HIPCC := $(NVCC)
HIP_COMPILER := tools/own-tmp.sh tools/nvcc.sh $(NVCC)
ASK_COMPILER = echo `$(NVCC) --version | cksum | tr ' ' -` $(HIP_COMPILER)

# common/nvidia/ has HIP's header, which names CUDA's calls. Of a __host__ __device__ function the host's compiler sees what is
# meant for the device alone.
INCLUDES += -Icommon/nvidia
CPPFLAGS := -D__HIP_PLATFORM_NVIDIA__ $(INCLUDES) $(CUDA_INCLUDES)
empty :=
comma := ,
HIPFLAGS := -x cu -std=c++20 -arch=$(NVIDIA_ARCH) -O3 -lineinfo -D__HIP_PLATFORM_NVIDIA__ \
            -Xcompiler=$(subst $(empty) ,$(comma),-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wno-unknown-pragmas \
            -Wno-unused-function) \
            $(if $(WERROR),-Werror=all-warnings) $(INCLUDES) -MMD -MP
LINK = $(NVCC) -arch=$(NVIDIA_ARCH)
ASK_LIBRARIES :=

VERSION_LINES := grep release
CUOBJDUMP := $(if $(CUDA),$(CUDA)/bin/)cuobjdump
ASSEMBLE = { command -v $(CUOBJDUMP) >/dev/null || { echo "$(CUOBJDUMP) is missing, so there is no assembly to read: install it with the CUDA Toolkit" >&2; \
	exit 1; }; } && $(CUOBJDUMP) --dump-sass $(LAB_PROGRAM).o >$(ASSEMBLY)
ASSEMBLY = $(LAB_PROGRAM).sass

CODE_SECTION := .nv_fatbin
RECORDER_LIBRARIES := $(if $(CUDA),-L$(CUDA)/lib64 -Wl$(comma)-rpath$(comma)$(CUDA)/lib64) -lcudart

$(PLACE)/grading/launches/replay: LINK += -lcuda
$(PLACE)/grading/launches/kernel-facts: $(PLACE)/grading/launches/kernel_facts_nvidia.o
	@$(LINK) $< -lcuda -o $@.$$$$ && mv $@.$$$$ $@
