#!/bin/sh
# The tests on Deno. Core is tested without any permission: no file, no network, no environment, no process.
# A test that needs more is named in parts.sh.
status=0
. test/parts.sh

run() {
  deno test --quiet --no-check --no-prompt "$@" || status=1
}

# shellcheck disable=SC2086 -- lists of paths without spaces
joined=$(node test/join.ts "$XYLEM_TEST_FOLDER/joined/deno" test/interop test/hosts $rounds $host) || exit 1

# Both halves take as long, and each keeps one processor busy at most.
log=$(mktemp)
# shellcheck disable=SC2086
{
  run $joined
  run --allow-env=SIMILARITY_ROUNDS,PAIRING_ROUNDS $rounds
  exit "$status"
} >"$log" 2>&1 &
core=$!
# shellcheck disable=SC2086
run --allow-all $host
wait "$core" || status=1
cat "$log"
rm -f "$log"
exit "$status"
