#!/bin/sh
# The tests on Node.js, two processes at a time: some of them wait, others compute.
files() {
  node test/files.ts node "$1" "$XYLEM_TEST_FOLDER/joined/node"
}

core=$(files core) && rounds=$(files rounds) && host=$(files host) || exit 1
# shellcheck disable=SC2086 -- lists of paths without spaces
exec node --import ./test/untracked_promises.ts --test --test-concurrency=2 $core $rounds $host
