#!/bin/sh
# The tests on Bun, all in one process.
files() {
  node test/files.ts bun "$1" "$XYLEM_TEST_FOLDER/joined/bun"
}

core=$(files core) && rounds=$(files rounds) && host=$(files host) || exit 1
# shellcheck disable=SC2086 -- lists of paths without spaces
exec bun test --timeout 900000 $core $rounds $host
