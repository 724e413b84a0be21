#!/bin/sh
# Says what hipcc starts to compile or link, for those who do that often: before, hipcc asks clang for its version and its
# target, each time, which takes a quarter as long as a lab's kernel.
#
# In:  hipcc-starts.sh compile|link HIPCC OPTIONS...
# Out: one line. compile: a hash of who compiles (the compiler's version, the command), then the words of the command, up to
#      further options and -c SOURCE -o OBJECT, quoted for a shell; of a hipcc that does not tell, hipcc itself.
#      link: the libraries, and where they are, for any compiler to link with; nothing of a hipcc that does not tell.
what=$1
shift
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
: >"$place/kernel.hip"
: >"$place/kernel.o"
export TMPDIR="$place" # where hipcc forgets two folders each time

# All but the commands that clang would start, which have names of temporary files in them.
ask() { HIPCC_VERBOSE=1 "$@" '-###' 2>&1 | sed -e '/^ "/d' -e "s|$place/||g"; }

if [ "$what" = link ]; then
  words=$(ask "$@" "$place/kernel.o" -o "$place/program" | sed -n 's|^hipcc-cmd: ||p' | grep -Eo -- '(^| )-(L|l|Wl,)[^ ]*' | paste -sd' ')
  [ -z "$words" ] || echo "$words" -lstdc++
  exit
fi
said=$(ask "$@" -c "$place/kernel.hip" -o "$place/kernel.o")
words=$(printf '%s\n' "$said" | sed -n "s|^hipcc-cmd: \(.*\) -c -x hip kernel.hip .*|\1 -x hip|p")
if [ -z "$words" ]; then
  words="tools/own-tmp.sh $*"
  said=$("$@" --version 2>&1)
fi
echo "$(printf '%s\n' "$said" | cksum | tr ' ' -)" "$words"
