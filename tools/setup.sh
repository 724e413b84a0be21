#!/bin/sh
# Installs the Debian 12 packages that the labs need.
#
# In:  nothing. Out: the packages; or, without root and sudo, the one line an administrator must run.
packages="hipcc libamdhip64-dev rocminfo llvm-15 llvm-15-dev libelf-dev libdw-dev libmsgpack-dev
  libcriterion-dev bubblewrap clang-format flake8 shellcheck make gcc libc6-dev python3 git"

missing=
for package in $packages; do
  [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = "install ok installed" ] ||
    missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "setup: everything needed is installed"
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "setup: this machine has no apt-get; install by other means:$missing" >&2
  exit 1
fi

install="apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
  sh -c "$install"
elif command -v sudo >/dev/null && sudo -v; then
  sudo sh -c "$install"
else
  echo "setup: neither root nor sudo here. An administrator must run:" >&2
  echo "  $install" >&2
  exit 1
fi || {
  echo "setup: installing failed, see above; try again when the package server can be reached" >&2
  exit 1
}
