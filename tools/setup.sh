#!/bin/sh
# Installs the Debian 12 packages that the labs need.
#
# In:  PREFIX=FOLDER, without root: unpacks them there instead, as setup-prefix.sh says
# Out: the packages; or, without root, sudo and PREFIX, what can be done.
learn="hipcc libamdhip64-dev rocminfo llvm-15 llvm-15-dev clang-15 libelf-dev libdw-dev libmsgpack-dev make gcc libc6-dev
  python3 git bubblewrap"
test="libcriterion-dev clang-format flake8 shellcheck zstd"
handout="python3-markdown"

missing_of() {
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = "install ok installed" ] || printf ' %s' "$package"
  done
}

# shellcheck disable=SC2086 # lists of words
missing=$(missing_of $learn $test $handout)
if [ -z "$missing" ]; then
  echo "setup: everything needed is installed"
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "setup: this machine has no apt-get; install by other means:$missing" >&2
  echo "setup: docs/installing.md tells the ways: a container, ROCm's own packages, a module of your cluster" >&2
  exit 1
fi
if [ -n "$PREFIX" ]; then
  # shellcheck disable=SC2046,SC2086
  exec "$(dirname "$0")/setup-prefix.sh" "$PREFIX" $(missing_of $learn)
fi

install="apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
  sh -c "$install"
elif command -v sudo >/dev/null && sudo -v; then
  sudo sh -c "$install"
else
  echo "setup: neither root nor sudo here. Either an administrator runs:" >&2
  echo "  $install" >&2
  echo "or 'make setup PREFIX=\$HOME/labs-tools' unpacks what the labs need in that folder (1.3 GB)" >&2
  exit 1
fi || {
  echo "setup: installing failed, see above; try again when the package server can be reached" >&2
  exit 1
}
