#!/bin/sh
# Installs Chromium from Debian for the test with a real browser: `sh test/interop/install_browser.sh`, as root. Does nothing if it is installed.
set -eu

if command -v chromium >/dev/null; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "install_browser.sh: chromium is missing; install it first, or run this as root on Debian." >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q -y update
apt-get -q -y --no-install-recommends install chromium
