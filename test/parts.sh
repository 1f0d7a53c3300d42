# shellcheck shell=sh disable=SC2034 -- read by node.sh and deno.sh
# Which tests need more than the core has: no file, no network, no environment, no process. All others run without any
# permission on Deno, and with the others of their folder in one process.

# The rounds of these are in the environment.
rounds="test/diff/renames"

# Homes on disk, the real git, sockets, other programs.
host="test/adapters test/archive test/replication/publisher/killed_children.test.ts test/replay test/storage/home
test/storage/writing_crash.test.ts test/storage/writing_faults.test.ts test/storage/writing_home.test.ts
test/storage/writing_locks.test.ts test/storage/writing_objects.test.ts test/storage/writing_race.test.ts
test/storage/writing_refs.test.ts
test/client/bundle.test.ts test/cob/evaluation/saved/saved_homes.test.ts test/cob/recordings.test.ts test/contract test/diff/diff.test.ts test/diff/libgit2/equality.test.ts
test/git/merge_base_like_git.test.ts test/git/names_like_git.test.ts test/git/path_history_like_git.test.ts test/identity/fallback.test.ts test/identity/generation.test.ts
test/identity/sigrefs_homes.test.ts test/identity/sigrefs_recordings.test.ts
test/api_examples.test.ts test/architecture.test.ts test/page/bundle.test.ts test/build.test.ts test/documents.test.ts
test/replication/bucket/folder.test.ts test/cache/memory.test.ts test/examples.test.ts test/flows.test.ts test/install.test.ts test/lines.test.ts test/mod.test.ts test/package.test.ts test/style.test.ts"
