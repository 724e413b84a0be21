#!/bin/bash
# Runs suites side by side, one more than there are cores, and adds them up. Those that tests/alone.txt
# names measure time and come last, one by one.
#
# In:  run-suites.sh SUITE...   (from the repository root) Criterion programs, and Python files that end with unittest.main()
# Out: what a suite said if something in it failed, and a line for each suite, as it ends; at the end the last lines of those
#      that failed once more, for who keeps only the end of a log, and "N passed, N failed"; status 1 when any failed or none
#      passed. Ctrl-C ends all that run.
export PYTHONPATH=.
export LAB_PROGRESS=build/tests/progress.json # no learner reached what a check reaches here
export CHECK_THREADS=1 # checks that tests make are side by side already
SIDE_BY_SIDE=$(($(nproc) + 1)) # some only wait
LAST_LINES=20 # enough for the assertion of a test and the closing line of its suite

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

# Suites that run, by their number: process, name, when it began. Each is a process group of its own; what it says is in a
# file of its number, and number and status come through a pipe as it ends.
declare -A running name_of began
words=$(mktemp -d) || exit 1
mkfifo "$words/ended" || exit 1
exec 3<>"$words/ended"
trap 'rm -rf "$words"' EXIT
set -m

any_lives() {
  local process
  for process in "${running[@]}"; do kill -0 -- "-$process" && return; done
  return 1
} 2>/dev/null

stop() {
  trap '' INT TERM
  local signal process
  for signal in INT TERM KILL; do # a shell may ignore the first, and what it began in the background does
    for process in "${running[@]}"; do kill -$signal -- "-$process"; done
    for _ in {1..20}; do
      any_lives || exit $((128 + $1))
      sleep 0.1
    done
  done
} 2>/dev/null
trap 'stop 2' INT
trap 'stop 15' TERM

begin() {
  local command=("$1")
  [[ $1 == *.py ]] && command=(python3 "$1")
  [[ $1 == */emulator/* ]] && command=(env EMULATOR_REUSE=0 "${command[@]}") # what a test launches twice is executed twice
  local number=$((++begun))
  {
    "${command[@]}" </dev/null >"$words/$number" 2>&1 3>&-
    echo "$number $?" >&3
  } &
  running[$number]=$! name_of[$number]=$1 began[$number]=$SECONDS
}

begun=0 passed=0 failed=0 failures=""
# Waits for one of those that run, and adds it up.
finish() {
  local number status suite output passing failing
  read -ru 3 number status
  suite=${name_of[$number]}
  output=$(<"$words/$number")
  if ! count; then
    echo "$suite ended with status $status before its closing line, counted as one failure"
    passing=0 failing=1
  elif ((status != 0 && failing == 0)); then # e.g. a sanitizer's report after the last test
    echo "$suite ended with status $status after its last test, counted as one failure"
    failing=1
  fi
  if ((failing > 0)); then
    echo "$output"
    failures+="$suite, $failing failed:"$'\n'$(tail -n $LAST_LINES <<<"$output")$'\n'
  fi
  echo "$suite: $passing passed, $failing failed ($((SECONDS - began[$number])) s)"
  ((passed += passing, failed += failing))
  unset "running[$number]"
}

# run N SUITE...: N at a time.
run() {
  local most=$1 suite
  for suite in "${@:2}"; do
    ((${#running[@]} < most)) || finish
    begin "$suite"
  done
  while ((${#running[@]} > 0)); do finish; done
}

together=() alone=()
for suite in "$@"; do
  name=${suite#build/} name=${name#tests/} name=${name/test_/} name=${name%.py} # as make test SUITE=... has it
  if grep -q "^$name " tests/alone.txt; then alone+=("$suite"); else together+=("$suite"); fi
done
run $SIDE_BY_SIDE "${together[@]}"
run 1 "${alone[@]}"
echo -n "$failures"
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
