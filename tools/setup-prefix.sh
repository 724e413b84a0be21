#!/bin/bash
# Unpacks Debian packages, with all they need that this machine lacks, in a folder of one's own: for a Debian without root.
#
# In:  setup-prefix.sh FOLDER PACKAGE...
# Out: FOLDER/usr and the like; FOLDER/env.sh, which a shell must read before make finds them. No script of a package runs.
set -euo pipefail

stop() {
  echo "setup: $1" >&2
  exit 1
}

[[ $1 != *[[:space:]:]* ]] || stop "PREFIX=$1 has a blank or ':' in it, which compilers' search paths cannot have"
mkdir -p "$1/packages" || stop "PREFIX=$1 cannot be made"
folder=$(realpath "$1")
shift
cd "$folder/packages"

# As installing would do, without installing: 'https://.../hipcc_5.2.3-8_amd64.deb' hipcc_5.2.3-8_amd64.deb 110000 SHA256:...
if (($#)); then
  apt-get -qq --print-uris --no-install-recommends -o Debug::NoLocking=1 install "$@" >wanted ||
    stop "apt-get does not find all of: $*. Does this Debian's package list have its main part?"
  sed -E "s/^'[^']*' ([^_]+)_.*/\1/" wanted >names
  echo "setup: fetching $(wc -l <names) packages"
  xargs apt-get -qq download <names || stop "packages could not be fetched, see above; try again when the server can be reached"
  for package in *.deb; do
    dpkg -x "$package" "$folder" || stop "$folder/packages/$package could not be unpacked; is there room? It takes 1.3 GB"
    rm "$package"
  done
fi

# A link to a file of a package that the machine has already leads there.
find "$folder/usr" -xtype l | while read -r link; do
  own=$(realpath -m "$link")
  if [[ -e ${own#"$folder"} ]]; then ln -sfn "${own#"$folder"}" "$link"; fi
done

machine=$(gcc -dumpmachine 2>/dev/null || echo x86_64-linux-gnu)
cat >"$folder/env.sh" <<END
# Read by a shell (. $folder/env.sh), this makes what is unpacked here be found.
usr=$folder/usr
export PATH=\$usr/bin:\$PATH
export LD_LIBRARY_PATH=\$usr/lib/$machine\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export LIBRARY_PATH=\$usr/lib/$machine:$(echo "$folder/usr/lib/gcc/$machine"/*)
export CPATH=\$usr/include
export CPLUS_INCLUDE_PATH=$(echo "$folder"/usr/include/c++/*):$(echo "$folder/usr/include/$machine"/c++/*)
export PERL5LIB=\$usr/share/perl5 HIP_PATH=\$usr ROCM_PATH=\$usr
END
echo "setup: unpacked in $folder. In each shell, before make:"
echo "  . $folder/env.sh"
