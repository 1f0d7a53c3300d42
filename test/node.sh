#!/bin/sh
# The tests on Node.js: tests of the core joined by folders, every other test file in a process of its own.
. test/parts.sh

# shellcheck disable=SC2086 -- lists of paths without spaces
joined=$(node test/join.ts "$XYLEM_TEST_FOLDER/joined/node" test/interop test/hosts $host) || exit 1
# shellcheck disable=SC2046,SC2086
exec node --test --test-concurrency=2 $joined $(find $host -name '*.test.ts')
