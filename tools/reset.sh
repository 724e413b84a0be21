#!/bin/bash
# Gives a lab's starter back, and keeps what was there.
#
# In:  reset.sh LAB [COMMIT]   (from the root; tools/starter.sh says which starter)
# Out: labs/NN-name/X.hip as it began; what it was in X.hip.DATE beside it. Status 1 with a sentence if there is no starter.
set -uo pipefail
lab=$1 commit=${2:-HEAD}

stop() {
  echo "reset: $1" >&2
  exit 1
}

room=$(mktemp -d) || stop "there is no room for the starter in ${TMPDIR:-/tmp}; nothing was changed"
trap 'rm -r "$room"' EXIT
starter=$(tools/starter.sh "$lab" "$room" "$commit") || exit 1

file=labs/${starter#"$room"/} kept=labs/${starter#"$room"/}.$(date +%Y-%m-%d-%H%M%S)
if cmp -s "$starter" "$file"; then
  echo "reset: $file is as it began already"
  [[ -e .starters ]] || echo "reset: so it is in $commit; FROM=COMMIT takes an older one, and git log $(dirname "$file") lists them"
  exit 0
fi
cp --no-preserve=mode "$starter" "$file.new" || stop "the starter of $file could not be written; nothing was changed"
if [[ -e $file ]]; then
  mv --backup=numbered "$file" "$kept" || stop "$file could not be kept as $kept; nothing was changed"
  echo "reset: what you had is kept as $kept"
fi
mv "$file.new" "$file" || stop "the starter is in $file.new, but could not take the place of $file"
echo "reset: $file is as it began"
