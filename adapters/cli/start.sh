#!/bin/sh
# Serves this checkout on the runtime that runs this script: `npm start` on Node.js, `bun run start` and `deno task start` on
# Bun and Deno.
set -eu
# The C library (glibc) returns free memory to the system immediately, unless the user has chosen otherwise.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_-131072}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_-1048576}"
# Limits Deno's heap space for new objects, which otherwise grows to 64 MB in each thread, unless the user has chosen otherwise.
export DENO_V8_FLAGS="${DENO_V8_FLAGS---max-semi-space-size=4}"
case ${npm_config_user_agent:-} in
  bun/*)
    bun=${npm_execpath:-bun}
    "$bun" build/install.mjs
    exec "$bun" adapters/cli/main.ts "$@"
    ;;
  deno/*)
    deno run --allow-all build/install.mjs
    exec deno run --allow-all adapters/cli/main.ts "$@"
    ;;
  *)
    npm run --silent setup
    exec node_modules/.bin/node adapters/cli/main.ts "$@"
    ;;
esac
