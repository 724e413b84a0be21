#!/bin/bash
# Writes a lab's file as it was when its learner began.
#
# In:  starter.sh LAB FOLDER [COMMIT]   (from the root. In a workspace the starter is the one that was given last; in a clone
#      that of COMMIT, HEAD unless told)
# Out: FOLDER/NN-name/X.hip, its path on stdout. Status 1, with a sentence, if there is no starter.
set -uo pipefail
lab=$1 folder=$2 commit=${3:-HEAD}

stop() {
  echo "starter: $1" >&2
  exit 1
}

shopt -s nullglob
labs=(labs/"$lab"*/)
[[ $lab && ${#labs[@]} -eq 1 ]] || stop "LAB=$lab names no lab in labs/. Example: LAB=03"
lab=$(basename "${labs[0]}")

if [[ -e .starters ]]; then
  given=(".starters/$lab"/*.hip)
  name=$(basename "${given[0]-}")
  starter() { cat "${given[0]}"; }
else
  name=$(git ls-tree --name-only "$commit:labs/$lab" | grep '\.hip$' | head -1)
  starter() { git show "$commit:labs/$lab/$name"; }
fi
[[ $name ]] || stop "no starter of labs/$lab is known: this is no workspace (make workspace), and git has none of commit $commit"

file=$folder/$lab/$name
{ mkdir -p "$folder/$lab" && starter >"$file"; } || stop "the starter could not be written to $file"
echo "$file"
