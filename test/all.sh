#!/bin/sh
# The whole portable check. Every part runs, also after one has failed; the exit status says whether all passed.
logs=$(mktemp -d)
failed=""

# start PART: runs a script of package.json beside all others, its output in a file.
start() {
  { npm run --silent "$1" >"$logs/$1" 2>&1; echo $? >"$logs/$1.status"; } &
}

# show PART PROCESS: the output of a started part, when it has ended.
show() {
  wait "$2"
  printf '\n== %s ==\n' "$1"
  cat "$logs/$1"
  [ "$(cat "$logs/$1.status")" -eq 0 ] || failed="$failed $1"
}

# run PART: runs a script of package.json and shows its output.
run() {
  start "$1"
  show "$1" $!
}

# Bun and the halves of Deno's tests run one test file after the other, so that each keeps one processor busy at most; the
# replay mostly waits.
start test:deno
deno=$!
start test:bun
bun=$!
run check
run test:node
run replay
show test:bun "$bun"
show test:deno "$deno"
rm -rf "$logs"
[ -z "$failed" ] && exit 0
printf '\nfailed:%s\n' "$failed"
exit 1
