#!/bin/sh
# The whole portable check. Every part runs, also after one has failed; the exit status says whether all passed.
logs=$(mktemp -d)
failed=""

# start PART: runs a script of package.json beside all others, its output in a file.
start() {
  { npm run --silent "$1" >"$logs/$1" 2>&1; echo $? >"$logs/$1.status"; times >"$logs/$1.times"; } &
}

# show PART PROCESS: the output of a started part, when it has ended, and its processor time, of programs and of the system.
show() {
  wait "$2"
  printf '\n== %s ==\n' "$1"
  cat "$logs/$1"
  printf '\n%s needed %s of processor time\n' "$1" "$(sed -n 2p "$logs/$1.times")"
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
