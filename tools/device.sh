#!/bin/sh
# Chooses the device that programs run on.
#
# In:  device.sh auto|amd|nvidia|emulated
# Out: amd or emulated on stdout, a sentence about the choice on stderr; status 1 when it cannot be had.
wanted=${1:-auto}

say() { echo "$1" >&2; }
has_amd() { [ -e /dev/kfd ] && rocminfo 2>/dev/null | grep -q 'Name: *gfx[1-9]'; }
has_nvidia() { nvidia-smi -L >/dev/null 2>&1; }
take_emulated() {
  say "device: emulated, $1"
  echo emulated
}

case $wanted in
auto)
  if has_amd; then
    say "device: amd, since a GPU was found"
    echo amd
  elif has_nvidia; then
    take_emulated "since running on the NVIDIA GPU found here is not built yet"
  else
    take_emulated "since no GPU was found"
  fi
  ;;
amd)
  if has_amd; then
    say "device: amd, as asked"
    echo amd
  else
    say "DEVICE=amd: no AMD GPU was found (/dev/kfd and rocminfo show none); DEVICE=emulated needs none"
    exit 1
  fi
  ;;
nvidia)
  say "DEVICE=nvidia is not built yet; use DEVICE=emulated, or DEVICE=amd on a machine with an AMD GPU"
  exit 1
  ;;
emulated)
  take_emulated "as asked"
  ;;
*)
  say "DEVICE=$wanted is not a device; use auto, amd, nvidia or emulated"
  exit 1
  ;;
esac
