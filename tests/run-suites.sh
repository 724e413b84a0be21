#!/bin/bash
# Runs Criterion suites and adds them up.
#
# In:  run-suites.sh PROGRAM...
# Out: each suite's failures and synthesis line, at the end "N passed, N failed"; status 1 when any failed.
passed=0 failed=0
for suite in "$@"; do
  output=$("$suite" 2>&1)
  status=$?
  synthesis=$(grep 'Synthesis:' <<<"$output" | tail -1 | sed 's/\x1b\[[0-9;]*m//g')
  if [[ $synthesis =~ Tested:\ ([0-9]+)\ \|\ Passing:\ ([0-9]+) ]]; then
    tested=${BASH_REMATCH[1]} passing=${BASH_REMATCH[2]}
    ((passed += passing, failed += tested - passing))
    if ((status != 0 && tested == passing)); then # e.g. a sanitizer's report after the last test
      echo "$output"
      ((failed += 1))
    elif ((tested != passing)); then
      echo "$output"
    fi
    echo "$suite: $synthesis"
  else
    echo "$output"
    echo "$suite: ended with status $status and no synthesis line, counted as one failure"
    ((failed += 1))
  fi
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
