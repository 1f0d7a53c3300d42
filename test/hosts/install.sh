#!/bin/sh
# Installs the hosts of test/hosts/package.json outside of the work tree, once for each lock file, and prints the folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lock=$(sha256sum "$here/package-lock.json" | cut -c1-12)
folder="${XDG_CACHE_HOME:-$HOME/.cache}/xylem/hosts/$lock"
if [ ! -e "$folder/complete" ]; then
  echo "Installing the hosts into $folder: about a gigabyte, the first time only." >&2
  mkdir -p "$folder"
  cp "$here/package.json" "$here/package-lock.json" "$folder"
  # Not "npm ci", because it requires packages of other platforms, which the lock file may lack.
  (cd "$folder" && npm install --ignore-scripts --silent >&2)
  touch "$folder/complete"
fi
echo "$folder"
