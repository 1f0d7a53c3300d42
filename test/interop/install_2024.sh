#!/bin/sh
# Builds the real programs of 5 February 2024 for the benchmarks: `sh test/interop/install_2024.sh CHECKOUT`, where CHECKOUT is a clone of heartwood, Radicle's
# repository. Skips what is installed already.
#
# Two releases of radicle-httpd answer API v1, and this is the faster one (0.10 compares files more slowly, and has no diffs in pages of
# history). No registry has it. The programs are built as released, with the compiler of that time, in about six minutes on two cores.
set -eu

commit=5abd7bf55a093341231c8b71953777068eade0e2
compiler=1.74
folder=${XYLEM_PROGRAMS:-${XDG_CACHE_HOME:-$HOME/.cache}/xylem/programs}/2024-02

if [ $# -ne 1 ]; then
  echo "Usage: sh test/interop/install_2024.sh CHECKOUT" >&2
  exit 2
fi
if [ "$(cat "$folder/commit.txt" 2>/dev/null)" != "$commit" ]; then
  if ! command -v rustup >/dev/null; then
    echo "install_2024.sh: rustup is missing, which installs Rust $compiler. Install rustup first." >&2
    exit 1
  fi
  rustup toolchain install "$compiler" --profile minimal --no-self-update >/dev/null 2>&1
  build=$(mktemp -d "${TMPDIR:-/tmp}/xylem-programs-XXXXXX")
  trap 'rm -rf "$build"' EXIT
  git clone --quiet --no-checkout "$1" "$build/heartwood"
  git -C "$build/heartwood" checkout --quiet "$commit"
  mkdir -p "$folder/bin"
  (
    cd "$build/heartwood"
    CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$build/target} cargo "+$compiler" build --release --locked --quiet --package radicle-httpd --package radicle-cli
  )
  for program in radicle-httpd rad; do
    cp "${CARGO_TARGET_DIR:-$build/target}/release/$program" "$folder/bin/"
  done
  echo "$commit" >"$folder/commit.txt"
fi
echo "Real programs of February 2024 are ready in $folder"
