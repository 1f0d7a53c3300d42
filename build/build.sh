#!/bin/sh
# Builds the npm package into `dist`: JavaScript, types, and the generated modules that contain libgit2, the page and the workers.
set -eu
rm -rf dist
tsc -p tsconfig.build.json
carried=src/diff/libgit2/carried
mkdir -p "dist/$carried"
cp "$carried"/*.js "$carried"/*.d.ts "dist/$carried"
cp node_modules/wasm-git/COPYING "dist/$carried"
page=extensions/page/carried
mkdir -p "dist/$page"
cp "$page"/*.js "$page"/*.d.ts "dist/$page"
node build/carry_worker.mjs
sh adapters/cli/stamp_commit.sh
