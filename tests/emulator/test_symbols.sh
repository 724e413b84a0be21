#!/bin/bash
# Compares the dynamic symbols of the emulated device's library with those of the real one, name by name with versions, and
# starts a stock program against it with every symbol bound at once.
#
# In:  test_symbols.sh EMULATED [REAL]
# Out: missing names; status 0 if none is missing
emulated=$1
real=${2:-/usr/lib/x86_64-linux-gnu/libamdhip64.so.5}
[[ -e $real ]] || { echo "$real is missing: run 'make setup'." >&2; exit 1; }

exports() {
  nm -D --defined-only --with-symbol-versions "$1" | awk '$2 ~ /^[TWVi]$/ { print $3 }' | sort
}
failed=0
missing=$(comm -23 <(exports "$real") <(exports "$emulated"))
if [[ $missing ]]; then
  echo "missing in $emulated:"
  echo "$missing"
  failed=1
fi
soname=$(readelf -d "$emulated" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[[ $soname == libamdhip64.so.5 ]] || { echo "SONAME is '$soname' instead of libamdhip64.so.5"; failed=1; }

# A program that only asks for the device count, built as any hipcc program is.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '#include <hip/hip_runtime.h>
int main() { int n = 0; return hipGetDeviceCount(&n) == hipSuccess && n == 1 ? 0 : 1; }' >"$work/count.hip"
TMPDIR=$work hipcc --offload-arch=gfx90a "$work/count.hip" -o "$work/count" 2>"$work/log" || { cat "$work/log"; failed=1; }
said=$(LD_BIND_NOW=1 LD_LIBRARY_PATH=$(dirname "$emulated") "$work/count" 2>&1) || failed=1
[[ -z $said ]] || { echo "the loader or library said: $said"; failed=1; }

exit $failed
