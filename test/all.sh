#!/bin/sh
# The whole portable check. Every part runs, also after one has failed; the exit status says whether all passed.
failed=""

# run PART…: runs scripts of package.json at the same time, and shows the output of each when it has ended.
run() {
  logs=$(mktemp -d)
  for part in "$@"; do
    { npm run --silent "$part" >"$logs/$part" 2>&1 || echo "$part" >>"$logs/failed"; } &
  done
  wait
  for part in "$@"; do
    printf '\n== %s ==\n' "$part"
    cat "$logs/$part"
  done
  [ ! -e "$logs/failed" ] || failed="$failed $(tr '\n' ' ' <"$logs/failed")"
  rm -rf "$logs"
}

# Bun and Deno run one test file after the other: the two share the processors.
run check
run test:node
run test:deno test:bun
run replay
[ -z "$failed" ] && exit 0
printf '\nfailed:%s\n' "$failed"
exit 1
