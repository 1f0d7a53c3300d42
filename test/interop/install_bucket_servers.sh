#!/bin/sh
# Installs the S3 servers of the tests: `sh test/interop/install_bucket_servers.sh [--garage]`. Skips what is installed already.
#
# Into ${XYLEM_PROGRAMS:-${XDG_CACHE_HOME:-~/.cache}/xylem/programs}: versitygw, built with Go (2.5 minutes of processor time); with
# --garage also Garage, built with cargo (10 minutes of processor time).
set -eu

VERSITYGW=1.8.0
GARAGE=2.5.0

folder=${XYLEM_PROGRAMS:-${XDG_CACHE_HOME:-$HOME/.cache}/xylem/programs}
PATH=$PATH:/usr/local/go/bin

# needed PROGRAM FOR: exits with a message if the program is missing.
needed() {
  command -v "$1" >/dev/null && return
  echo "install_bucket_servers.sh: $1 is missing, which builds $2. Install it first." >&2
  exit 1
}

build=$(mktemp -d "${TMPDIR:-/tmp}/xylem-servers-XXXXXX")
# Go makes its module cache read-only, so it could not be removed.
trap 'chmod -R u+w "$build"; rm -rf "$build"' EXIT

# The version is in a file, because a versitygw built with Go does not print it.
if [ "$(cat "$folder/versitygw/version" 2>/dev/null)" != "$VERSITYGW" ]; then
  needed go versitygw
  echo "Installing versitygw $VERSITYGW into $folder/versitygw"
  mkdir -p "$folder/versitygw/bin"
  GOBIN="$build" CGO_ENABLED=0 GOFLAGS=-trimpath go install "github.com/versity/versitygw/cmd/versitygw@v$VERSITYGW"
  mv -f "$build/versitygw" "$folder/versitygw/bin/versitygw"
  echo "$VERSITYGW" >"$folder/versitygw/version"
fi

if [ "${1:-}" = --garage ] && ! grep -qs "^\"garage $GARAGE " "$folder/garage/.crates.toml"; then
  needed cargo Garage
  echo "Installing Garage $GARAGE into $folder/garage"
  export CARGO_TARGET_DIR="$build/garage" CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0
  began=$(date +%s)
  cargo install --locked --quiet --root "$folder/garage" --no-default-features --features bundled-libs,sqlite "garage@$GARAGE"
  echo "Garage took $(($(date +%s) - began)) s to build"
fi
echo "S3 servers are ready in $folder"
