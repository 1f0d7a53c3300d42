#!/bin/sh
# Installs the real Radicle programs that the interoperability tests run: `sh test/interop/install.sh`. Skips what is installed already.
# signature_judge/ is our program. It verifies signatures with the crates that the real programs use.
#
# Schemathesis, which generates requests from the contract, comes from PyPI into a virtual environment next to them.
#
# Into ${XYLEM_PROGRAMS:-${XDG_CACHE_HOME:-~/.cache}/xylem/programs}: 0.10 (the last generation with radicle-httpd of API v1) and newest. They are
# built with cargo, in about 15 minutes on two cores. radicle-httpd is built as released, because benchmarks compare with it; the
# others with less optimization, for a shorter build.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=${XYLEM_PROGRAMS:-${XDG_CACHE_HOME:-$HOME/.cache}/xylem/programs}

# installed GENERATION CRATE@VERSION: whether exactly this version is installed, by cargo's own record.
installed() {
  grep -qs "^\"${2%@*} ${2#*@} " "$folder/$1/.crates.toml"
}

# need_cargo WHAT: exits with a message if cargo is missing.
need_cargo() {
  command -v cargo >/dev/null && return 0
  echo "install.sh: cargo is missing, which builds $1. Install Rust first." >&2
  exit 1
}

# install GENERATION CRATE@VERSION…: installs the missing crates.
install() {
  generation=$1
  missing=
  shift
  for crate in "$@"; do
    installed "$generation" "$crate" || missing="$missing $crate"
  done
  [ -n "$missing" ] || return 0
  need_cargo "$missing"
  echo "Installing$missing into $folder/$generation"
  # shellcheck disable=SC2086 # one word for each crate
  cargo install --locked --quiet --root "$folder/$generation" $missing
}

mkdir -p "$folder"
build=$(mktemp -d "${TMPDIR:-/tmp}/xylem-programs-XXXXXX")
trap 'rm -rf "$build"' EXIT

export CARGO_TARGET_DIR="$build/release"
install 0.10 radicle-httpd@0.10.0
export CARGO_TARGET_DIR="$build/fast" CARGO_PROFILE_RELEASE_OPT_LEVEL=1
install 0.10 radicle-cli@0.10.0 radicle-node@0.10.0 radicle-remote-helper@0.10.0
install newest radicle-cli@0.23.0 radicle-node@0.21.1 radicle-remote-helper@0.18.1
judge=$folder/signature-judge
if ! cmp -s "$here/signature_judge/src/main.rs" "$judge/main.rs" || ! cmp -s "$here/signature_judge/Cargo.lock" "$judge/Cargo.lock"; then
  need_cargo signature-judge
  echo "Installing signature-judge into $judge"
  cargo install --locked --quiet --force --root "$judge" --path "$here/signature_judge"
  cp "$here/signature_judge/src/main.rs" "$here/signature_judge/Cargo.lock" "$judge"
fi
if ! cmp -s "$here/schemathesis.txt" "$folder/schemathesis/installed.txt"; then
  if ! command -v python3 >/dev/null; then
    echo "install.sh: python3 is missing, which Schemathesis needs. Install it first." >&2
    exit 1
  fi
  echo "Installing Schemathesis into $folder/schemathesis"
  rm -rf "$folder/schemathesis"
  python3 -m venv "$folder/schemathesis"
  "$folder/schemathesis/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/schemathesis.txt"
  cp "$here/schemathesis.txt" "$folder/schemathesis/installed.txt"
fi
echo "Real programs are ready in $folder"
