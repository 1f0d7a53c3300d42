#!/bin/sh
# The whole portable check. All parts run, even after a failure. The exit status is 0 if all passed.
logs=$(mktemp -d)
failed=""

# start PART: runs a script of package.json in the background, with its output in a file.
start() {
  { npm run --silent "$1" >"$logs/$1" 2>&1; echo $? >"$logs/$1.status"; times >"$logs/$1.times"; } &
}

# show PART PROCESS: waits for a started part, then prints its output and its processor time (user and system).
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

# Bun and each half of Deno's tests run one test file after the other, so each uses at most one processor. The
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
