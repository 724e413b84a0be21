#!/bin/sh
# Compiles one .hip file to an object, unless the object there was made from the very same, and keeps the compiler's report
# on registers, scratch and occupancy.
#
# In:  hip-compile.sh OBJECT SOURCE VERSION COMPILER ARGUMENTS...   (VERSION: of the compiler; the arguments write OBJECT.d's
#      list of headers, -MMD, and are without -c SOURCE and -o OBJECT)
# Out: X.o, X.d, X.resources (the report), X.warnings (for make lint, which compiles nothing that was compiled) and
#      X.made-from: a hash of the command, the version and the contents of the source
#      and of each header it read. Contents decide, not dates: a file that is copied with its old date is compiled.
#      Errors and warnings reach stderr as the compiler wrote them; the report's remarks, and the source line quoted below
#      the first of them, go to the report alone.
object=$1 source=$2
base=${object%.o}
report=$base.resources warnings=$base.warnings made_from=$base.made-from
shift 2

exec 9>"$base.lock"
flock 9 # one at a time: make run and make check may ask for the same object at once

# Does the list of headers have a name that it would have to escape? Such an object is made anew each time: how compilers
# escape, and what a colon or a dollar is there, is not worth knowing.
odd_header() { sed -e '1s/^[^:]*://' -e 's/\\$//' "$base.d" | LC_ALL=C grep -q -e '[^A-Za-z0-9._/+~: -]' -e ':[^ ]'; }

# A header that appears beside the source may hide one of common/, so the names there count, too.
hash_all() {
  {
    printf '%s\n' "$@" "$(dirname "$source")"/*.h
    sed -e 's/^[^:]*://' -e 's/\\$//' "$base.d" | xargs sha256sum
    cat "$0"
  } 2>/dev/null | sha256sum
}

if [ -e "$object" ] && [ -e "$report" ] && [ -e "$warnings" ] && [ -e "$base.d" ] && [ "$(hash_all "$@")" = "$(cat "$made_from" 2>/dev/null)" ]; then
  exit 0
fi
rm -f "$made_from" "$object"
if [ -t 2 ]; then echo "... compiling $source" >&2; fi # a kernel takes seconds, and someone looks on
before=$(sha256sum "$source")
version=$1
shift
compile() { "$@" -Rpass-analysis=kernel-resource-usage -c "$source" -o "$object" 2>"$report.stderr"; }
# With the runtime's header precompiled where it can be, and without where that does not work: words and status are the same.
prepared=$(python3 -m grading.precompiled "$source" "$version" "$@" 2>/dev/null)
# shellcheck disable=SC2086 # words of a folder in build/, or none
if [ -n "$prepared" ] && compile "$@" $prepared; then
  sed -i '1,2s| /.*/common/precompiled\.h||' "$base.d" # which would be a name for its own folder alone
else
  compile "$@"
fi
status=$?
if [ $status -ne 0 ]; then
  cat "$report.stderr" >&2
  rm -f "$report.stderr" "$object"
  exit $status
fi
awk -v report="$report" '
  BEGIN { printf "" > report }
  /^In file included from/ { context = context $0 "\n"; next }
  /remark: .*\[-Rpass-analysis=kernel-resource-usage\]$/ { print > report; quoting = 1; context = ""; next }
  /: (warning|note|remark): / || /warnings? generated/   { quoting = 0 }
  !quoting { printf "%s", context; context = ""; print }' "$report.stderr" >"$warnings" || exit 1
cat "$warnings" >&2
rm -f "$report.stderr"
# Edited while it was compiled: unknown which of the two the object is of, so the next time compiles again.
if [ "$before" = "$(sha256sum "$source")" ] && ! odd_header; then
  hash_all "$version" "$@" >"$made_from"
fi
