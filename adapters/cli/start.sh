#!/bin/sh
# Serves this checkout on the runtime that asked for it: `npm start` on Node.js, `bun run start` and `deno task start` on
# Bun and Deno, which need no other tool.
set -eu
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
