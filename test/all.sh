#!/bin/sh
# The whole portable check. Every part runs, also after one has failed; the exit status says whether all passed.
failed=""
for part in check test:node test:deno test:bun replay; do
  printf '\n== %s ==\n' "$part"
  npm run --silent "$part" || failed="$failed $part"
done
[ -z "$failed" ] && exit 0
printf '\nfailed:%s\n' "$failed"
exit 1
