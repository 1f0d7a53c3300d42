#!/bin/sh
# The tests on Deno. The core is tested without permissions: no files, network, environment or processes.
# files.ts lists the tests that need more.
status=0

files() {
  node test/files.ts deno "$1" "$XYLEM_TEST_FOLDER/joined/deno"
}

run() {
  deno test --quiet --no-check --no-prompt "$@" || status=1
}

core=$(files core) && rounds=$(files rounds) && host=$(files host) || exit 1

# Both halves take the same time, and each uses at most one processor.
log=$(mktemp)
# shellcheck disable=SC2086 -- lists of paths without spaces
{
  run $core
  [ -z "$rounds" ] || run --allow-env=SIMILARITY_ROUNDS,PAIRING_ROUNDS $rounds
  exit "$status"
} >"$log" 2>&1 &
half=$!
# shellcheck disable=SC2086
run --allow-all $host
wait "$half" || status=1
cat "$log"
rm -f "$log"
exit "$status"
