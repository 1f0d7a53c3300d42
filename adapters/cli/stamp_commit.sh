#!/bin/sh
# Writes the abbreviated id of the current commit into the built package. Outside of a checkout it stays empty.
[ "$(git rev-parse --show-prefix 2>/dev/null)" = "" ] || exit 0
commit=$(git rev-parse --short=7 HEAD 2>/dev/null) || exit 0
file=dist/src/version.js
sed "s/COMMIT = \"\"/COMMIT = \"$commit\"/" "$file" >"$file.stamped" && mv "$file.stamped" "$file"
