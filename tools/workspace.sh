#!/bin/bash
# Makes a learner's folder, or brings one up to date. Labs to edit and the build folder are its own, all else is links to this
# repository, which may be read-only and shared.
#
# In:  workspace.sh FOLDER
# Out: FOLDER/labs/NN-name/*.hip to edit, FOLDER/.starters/ with the same as they were given, FOLDER/build, links. A lab that
#      was edited is never written to: a sentence says when its starter has changed. Status 1, with a sentence, when the
#      folder cannot be made.
set -euo pipefail

stop() {
  echo "workspace: $1" >&2
  exit 1
}

# Links FOLDER's $1 to the repository's, unless something of the learner's has that name.
link() {
  [[ ! -e $folder/$1 || -L $folder/$1 ]] ||
    stop "$folder/$1 is in the way, where a link to $course/$1 has to be: move it, or choose an empty folder"
  ln -sfn "$course/$1" "$folder/$1"
}

# Gives the learner a lab's file: a new one, or a newer one if the last was not edited.
give() {
  local new=$course/$1 given=$folder/.starters/${1#labs/} mine=$folder/$1
  if [[ ! -e $mine ]] || cmp -s "$mine" "$given"; then
    cmp -s "$new" "$mine" && return
    [[ ! -e $given ]] || echo "workspace: $1 is new: the course has changed it, and you had not edited it"
    cp --no-preserve=mode "$new" "$mine"
  elif ! cmp -s "$new" "$given"; then
    echo "workspace: $1 stays as you edited it; its starter has changed. make reset LAB=$(cut -d/ -f2 <<<"$1") takes the new" \
      "one and keeps yours beside it"
  fi
  cp --no-preserve=mode "$new" "$given"
}

course=$(dirname "$(dirname "$(realpath "$0")")")
folder=${1:-}
[[ $folder ]] || stop "which folder? make workspace DIR=/home/me/course; make update, in such a folder, brings it up to date"
[[ ! -e $folder/labs || -e $folder/.starters ]] ||
  stop "$folder has labs that no workspace gave: choose an empty folder. A clone of the repository is updated by git pull"
[[ -e $course/build/emulator/libamdhip64.so.5 ]] ||
  stop "the emulated device is not built yet: whoever may write to $course runs make emulator there first"
mkdir -p "$folder/build" || stop "$folder cannot be made"

shopt -s dotglob nullglob
for path in "$course"/*; do
  name=${path##*/}
  case $name in
  .git | .starters | .progress.json | labs | build) ;; # a learner's own, or none of theirs
  *) link "$name" ;;
  esac
done
link build/emulator
for path in "$course"/labs/*/*; do
  name=${path#"$course"/}
  mkdir -p "$folder/${name%/*}" "$folder/.starters/$(cut -d/ -f2 <<<"$name")"
  case $name in
  *.hip) give "$name" ;;
  *) link "$name" ;;
  esac
done
find "$folder" -maxdepth 3 -xtype l -lname "$course/*" -delete # of what the course no longer has
echo "workspace: $folder is up to date with $course"
