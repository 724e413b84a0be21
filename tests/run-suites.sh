#!/bin/bash
# Runs suites one after another and adds them up.
#
# In:  run-suites.sh SUITE...   (from the repository root) Criterion programs, and Python files that end with unittest.main()
# Out: what a suite said if something in it failed, and a line for each suite; at the end "N passed, N failed"; status 1 when
#      any failed or none passed.
export PYTHONPATH=.
export LAB_PROGRESS=build/tests/progress.json # no learner reached what a check reaches here

# The closing line of either framework, from $output, as $passing and $failing; false if there is none.
count() {
  local plain=$output
  while [[ $plain =~ $'\e['[0-9\;]*m ]]; do # colours
    plain=${plain//"${BASH_REMATCH[0]}"/}
  done
  if [[ $plain =~ Synthesis:\ Tested:\ ([0-9]+)\ \|\ Passing:\ ([0-9]+) ]]; then # Criterion
    passing=${BASH_REMATCH[2]} failing=$((BASH_REMATCH[1] - BASH_REMATCH[2]))
  elif [[ $plain =~ Ran\ ([0-9]+)\ tests?\ in ]]; then # unittest, then "FAILED (failures=1, errors=2, skipped=3)"
    local ran=${BASH_REMATCH[1]} verdict=${plain##*$'\n'} skipped=0 kind
    failing=0
    for kind in failures errors 'unexpected successes'; do # apart from "expected failures"
      [[ $verdict =~ (\(|,\ )"$kind="([0-9]+) ]] && ((failing += BASH_REMATCH[2]))
    done
    [[ $verdict =~ skipped=([0-9]+) ]] && skipped=${BASH_REMATCH[1]}
    passing=$((ran - failing - skipped))
    ((passing >= 0)) || passing=0
  else
    return 1
  fi
}

passed=0 failed=0
for suite in "$@"; do
  began=$SECONDS
  if [[ $suite == *.py ]]; then
    output=$(python3 "$suite" 2>&1)
  else
    output=$("$suite" 2>&1)
  fi
  status=$?
  if ! count; then
    echo "$suite ended with status $status before its closing line, counted as one failure"
    passing=0 failing=1
  elif ((status != 0 && failing == 0)); then # e.g. a sanitizer's report after the last test
    echo "$suite ended with status $status after its last test, counted as one failure"
    failing=1
  fi
  ((failing == 0)) || echo "$output"
  echo "$suite: $passing passed, $failing failed ($((SECONDS - began)) s)"
  ((passed += passing, failed += failing))
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
