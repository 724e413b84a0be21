#!/bin/bash
# Gives a lab's starter back, and keeps what was there.
#
# In:  reset.sh LAB [COMMIT]   (from the root. In a workspace the starter is the one that was given last; in a clone that of
#      COMMIT, HEAD unless told)
# Out: labs/NN-name/X.hip as it began; what it was in X.hip.DATE beside it. Status 1 with a sentence if there is no starter.
set -uo pipefail
lab=$1 commit=${2:-HEAD}

stop() {
  echo "reset: $1" >&2
  exit 1
}

shopt -s nullglob
folders=(labs/"$lab"*/)
[[ $lab && ${#folders[@]} -eq 1 ]] || stop "LAB=$lab names no lab in labs/. Example: make reset LAB=03"
folder=${folders[0]%/}

if [[ -e .starters ]]; then
  given=(".starters/${folder#labs/}"/*.hip)
  name=$(basename "${given[0]-}")
  starter() { cat "${given[0]}"; }
else
  name=$(git ls-tree --name-only "$commit:$folder" | grep '\.hip$' | head -1)
  starter() { git show "$commit:$folder/$name"; }
fi
[[ $name ]] || stop "no starter of $folder is known: this is no workspace (make workspace), and git has none of commit $commit"

file=$folder/$name kept=$folder/$name.$(date +%Y-%m-%d-%H%M%S)
starter >"$file.new" || stop "the starter of $file could not be written; nothing was changed"
if cmp -s "$file.new" "$file"; then
  rm "$file.new"
  echo "reset: $file is as it began already"
  [[ -e .starters ]] || echo "reset: so it is in $commit; FROM=COMMIT takes an older one, and git log $folder lists them"
  exit 0
fi
if [[ -e $file ]]; then
  mv --backup=numbered "$file" "$kept" || stop "$file could not be kept as $kept; nothing was changed"
  echo "reset: what you had is kept as $kept"
fi
mv "$file.new" "$file" || stop "the starter is in $file.new, but could not take the place of $file"
echo "reset: $file is as it began"
