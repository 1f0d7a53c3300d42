#!/bin/sh
# fast.sh COMMAND…: runs tests with all their temporary files in one folder, which is removed afterwards. The folder is
# on a RAM disk if there is a large one, because every write to a home is flushed to the disk. Node.js saves compiled
# modules in the folder for the other processes of the run. Nested calls share the folder of the outer call.
[ -z "${XYLEM_TEST_FOLDER:-}" ] || exec "$@"

# Least free space for using the RAM disk, in KiB.
ENOUGH_KIB=4194304
ram_disk=/dev/shm

# can_use_ram_disk: whether the RAM disk has enough space and allows programs to start from it.
can_use_ram_disk() {
  [ -z "${TMPDIR:-}" ] && [ -w "$ram_disk" ] || return 1
  free=$(df -Pk "$ram_disk" | awk 'NR == 2 { print $4 }')
  [ "${free:-0}" -ge "$ENOUGH_KIB" ] || return 1
  probe=$(mktemp "$ram_disk/xylem-XXXXXX") || return 1
  printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe" && "$probe" 2>/dev/null
  can=$?
  rm -f "$probe"
  return "$can"
}

parent=${TMPDIR:-/tmp}
! can_use_ram_disk || parent=$ram_disk
XYLEM_TEST_FOLDER=$(mktemp -d "$parent/xylem-XXXXXX") || exit 1
# Some tests run as other users, who need access to folders inside.
chmod 711 "$XYLEM_TEST_FOLDER"
trap 'rm -rf "$XYLEM_TEST_FOLDER"' EXIT
trap 'exit 130' HUP INT TERM
XYLEM_TEST_DISK=${TMPDIR:-/tmp}
export XYLEM_TEST_FOLDER XYLEM_TEST_DISK TMPDIR="$XYLEM_TEST_FOLDER" NODE_COMPILE_CACHE="$XYLEM_TEST_FOLDER/compiled"
"$@"
