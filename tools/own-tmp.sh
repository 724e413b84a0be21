#!/bin/sh
# Runs a command with a temporary folder of its own, which is removed when it ends: hipcc forgets two folders in /tmp each
# time it compiles.
#
# In:  own-tmp.sh COMMAND ARGUMENTS...
# Out: what the command writes; its status
TMPDIR=$(mktemp -d) || exit 1
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' HUP INT TERM
"$@"
