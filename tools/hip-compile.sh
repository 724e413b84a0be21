#!/bin/sh
# Compiles one .hip file to an object and keeps the compiler's report on registers, scratch and occupancy.
#
# In:  hip-compile.sh OBJECT REPORT COMPILER ARGUMENTS...   (arguments without -o OBJECT)
# Out: OBJECT and REPORT. Errors and warnings reach stderr as the compiler wrote them; the report's
#      remarks, and the source line quoted below the first of them, go to REPORT alone.
object=$1 report=$2
shift 2
"$@" -Rpass-analysis=kernel-resource-usage -o "$object" 2>"$report.stderr"
status=$?
if [ $status -ne 0 ]; then
  cat "$report.stderr" >&2
  rm -f "$report.stderr"
  exit $status
fi
awk -v report="$report" '
  BEGIN { printf "" > report }
  /^In file included from/ { context = context $0 "\n"; next }
  /remark: .*\[-Rpass-analysis=kernel-resource-usage\]$/ { print > report; quoting = 1; context = ""; next }
  /: (warning|note|remark): / || /warnings? generated/   { quoting = 0 }
  !quoting { printf "%s", context; context = ""; print }' "$report.stderr" >&2
rm -f "$report.stderr"
