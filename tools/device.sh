#!/bin/sh
# Chooses the device that programs run on.
#
# In:  device.sh auto|amd|nvidia|emulated; NVCC=..., if nvcc is not in PATH
# Out: amd, nvidia or emulated on stdout, a sentence about the choice on stderr; status 1 when it cannot be had.
wanted=${1:-auto}

say() { echo "$1" >&2; }
has_amd() { [ -e /dev/kfd ] && rocminfo 2>/dev/null | grep -q 'Name: *gfx[1-9]'; }
has_nvidia() { nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }
has_nvcc() { command -v "${NVCC:-nvcc}" >/dev/null || [ -z "$NVCC" ] && [ -x /usr/local/cuda/bin/nvcc ]; }
take() {
  say "device: $1, $2"
  echo "$1"
}

case $wanted in
auto)
  if has_amd; then
    take amd "since a GPU was found"
  elif has_nvidia && has_nvcc; then
    take nvidia "since a GPU and nvcc were found"
  elif has_nvidia; then
    take emulated "since nvcc, which the NVIDIA GPU found here needs, is missing (the CUDA Toolkit has it; NVCC=... names it)"
  else
    take emulated "since no GPU was found"
  fi
  ;;
amd)
  if has_amd; then
    take amd "as asked"
  else
    say "DEVICE=amd: no AMD GPU was found (/dev/kfd and rocminfo show none); DEVICE=emulated needs none"
    exit 1
  fi
  ;;
nvidia)
  if ! has_nvidia; then
    say "DEVICE=nvidia: no NVIDIA GPU was found (nvidia-smi lists none); DEVICE=emulated needs none"
    exit 1
  elif ! has_nvcc; then
    say "DEVICE=nvidia: nvcc is missing; install the CUDA Toolkit, 12.4 or later, or name nvcc with NVCC=..."
    exit 1
  fi
  take nvidia "as asked"
  ;;
emulated)
  take emulated "as asked"
  ;;
*)
  say "DEVICE=$wanted is not a device; use auto, amd, nvidia or emulated"
  exit 1
  ;;
esac
