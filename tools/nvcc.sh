#!/bin/sh
# nvcc for tools/hip-compile.sh, which knows hipcc: what ptxas says of registers, spills and shared memory comes as the remarks
# that clang would make of it.
#
# In:  nvcc.sh NVCC ARGUMENTS...
# Out: nvcc's. On stderr ptxas' words, and the same as remarks; a sentence where a file uses a name of AMD's that
#      common/nvidia/hip/hip_runtime.h does not map.
nvcc=$1
shift
for argument in "$@"; do
  shift
  case $argument in
  -Rpass-analysis=kernel-resource-usage) set -- "$@" -Xptxas -v ;;
  *) set -- "$@" "$argument" ;;
  esac
done

words=$(mktemp) || exit 1
trap 'rm -f "$words"' EXIT
"$nvcc" "$@" 2>"$words"
status=$?

# A scheduler has 16384 registers, gives each warp a multiple of 8 a thread, and holds 16 warps; some chips fewer (CUDA C++
# Programming Guide, technical specifications per compute capability).
awk '
  function remark(text) { printf "nvcc: remark: %s [-Rpass-analysis=kernel-resource-usage]\n", text }
  function number_before(what) { return match($0, "[0-9]+ " what) ? substr($0, RSTART) + 0 : 0 }
  /^ptxas info *: Compiling entry function/ {
    split($0, quoted, "\047")
    most = quoted[4] ~ /^sm_75/ ? 8 : quoted[4] ~ /^sm_(86|87|89|12.)/ ? 12 : 16
    remark("Function Name: " quoted[2])
  }
  /bytes stack frame/ { stack = number_before("bytes stack frame"); remark("    ptxas:" $0) }
  /^ptxas info *: Used / {
    registers = number_before("registers")
    granted = int((registers + 7) / 8) * 8
    waves = granted ? int(16384 / (32 * granted)) : most
    remark("    " $0)
    remark("    SGPRs: 0")
    remark("    VGPRs: " registers)
    remark("    AGPRs: 0")
    remark("    ScratchSize [bytes/lane]: " stack)
    remark("    Occupancy [waves/SIMD]: " (waves < most ? waves : most))
    remark("    LDS Size [bytes/block]: " number_before("bytes smem"))
  }
  /^ptxas info/ || /bytes stack frame/ { next }
  { print }
  /identifier "(hip[A-Za-z]*|HIP_[A-Z_]*|__builtin_[a-z_]*|__shfl[a-z_]*|__ballot|__ockl_[a-z_]*)" is undefined/ { unmapped = 1 }
  END {
    if (unmapped)
      print "The undefined name is AMD\047s, and common/nvidia/hip/hip_runtime.h does not map it to CUDA: do without it, or use " \
            "DEVICE=emulated."
  }' "$words" >&2
exit $status
