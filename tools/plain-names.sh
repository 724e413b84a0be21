#!/bin/bash
# Keeps the files whose names make and its shell can handle. In any other name a blank ends a word, ':' and '%' begin a rule,
# and '$(command)' runs.
#
# In:  plain-names.sh FILE...   (a pattern that fits no file is no file)
# Out: the plain names on stdout; for each other one a sentence on stderr
for file in "$@"; do
  [[ -e $file ]] || continue
  if [[ $file == *[!A-Za-z0-9./_+-]* ]]; then
    printf '%q is left out, since make cannot handle its name: rename it, with letters, digits, . _ + and - only\n' "$file" >&2
  else
    echo "$file"
  fi
done
