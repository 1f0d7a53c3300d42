#!/bin/sh
# Serves this checkout on the runtime that asked for it: `npm start` on Node.js, `bun run start` on Bun.
case ${npm_config_user_agent:-} in
  bun/*) exec node_modules/.bin/bun adapters/cli/main.ts "$@" ;;
  *) exec node_modules/.bin/node adapters/cli/main.ts "$@" ;;
esac
