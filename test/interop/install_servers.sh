#!/bin/sh
# Installs servers from Debian: nginx, Caddy, systemd-analyze, buildah and Prometheus for the tests of deploy/, redis-server, openssl and haproxy
# for several processes: `sh test/interop/install_servers.sh`, as root. Does nothing if they are installed.
set -eu

missing=""
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
command -v caddy >/dev/null || missing="$missing caddy"
command -v systemd-analyze >/dev/null || missing="$missing systemd"
command -v buildah >/dev/null || missing="$missing buildah"
command -v redis-server >/dev/null || missing="$missing redis-server"
command -v haproxy >/dev/null || [ -x /usr/sbin/haproxy ] || missing="$missing haproxy"
command -v openssl >/dev/null || missing="$missing openssl"
command -v promtool >/dev/null || missing="$missing prometheus"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "install_servers.sh: missing:$missing; install them first, or run this as root on Debian." >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q -y update
# shellcheck disable=SC2086 -- a list of names without spaces
apt-get -q -y --no-install-recommends install $missing
