// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Which test files a runtime runs: `node test/files.ts RUNTIME PART FOLDER` prints them, one a line. Most are joined: FOLDER
 * gets a file for each folder of tests, which imports the tests in it, since a process (Node.js) or an isolate (Deno) for
 * each costs 0.3 seconds to load the modules that nearly all of them import.
 *
 * Node.js runs all tests. Deno and Bun run those whose result can be another one there; with `XYLEM_TEST_ALL` they run
 * all, too (`npm run test:all`).
 */
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** Parts that differ in what they may do on Deno: nothing, read the numbers of their rounds, everything. */
export const PARTS = ["core", "rounds", "host"] as const;
export type Part = typeof PARTS[number];

/** Tests whose number of rounds may be in the environment. */
const ROUNDS = ["test/diff/renames"];

/** Tests with homes on disk, the real git, sockets, other programs. All others are tests of the core. */
const HOST = [
  "test/adapters",
  "test/extensions/archives/git_archive.test.ts",
  "test/extensions/archives/like_git.test.ts",
  "test/extensions/archives/names_like_git.test.ts",
  "test/extensions/events/home.test.ts",
  "test/extensions/git/clone.test.ts",
  "test/extensions/git/requests.test.ts",
  "test/cache/memory.test.ts",
  "test/client/bundle.test.ts",
  "test/compare",
  "test/cob/evaluation/saved/saved_homes.test.ts",
  "test/cob/recordings.test.ts",
  "test/contract",
  "test/diff/diff.test.ts",
  "test/diff/libgit2/equality.test.ts",
  "test/git/commit_graph_file_like_git.test.ts",
  "test/git/hostile_commit_graph_file.test.ts",
  "test/git/merge_base_like_git.test.ts",
  "test/git/names_like_git.test.ts",
  "test/git/path_history_like_git.test.ts",
  "test/identity/fallback.test.ts",
  "test/identity/generation.test.ts",
  "test/identity/sigrefs_homes.test.ts",
  "test/identity/sigrefs_recordings.test.ts",
  "test/like_git",
  "test/extensions/page/bundle.test.ts",
  "test/extensions/page/patterns.test.ts",
  "test/replay",
  "test/extensions/replicas/bucket/folder.test.ts",
  "test/extensions/replicas/contract.test.ts",
  "test/extensions/replicas/publisher/killed_children.test.ts",
  "test/extensions/replicas/recordings.test.ts",
  "test/extensions/search/home.test.ts",
  "test/storage/home",
  "test/storage/writing_crash.test.ts",
  "test/storage/writing_faults.test.ts",
  "test/storage/writing_home.test.ts",
  "test/storage/writing_locks.test.ts",
  "test/storage/writing_objects.test.ts",
  "test/storage/writing_race.test.ts",
  "test/storage/writing_refs.test.ts",
];

/** Tests of other commands. */
const OF_OTHERS = ["test/interop", "test/hosts"];

/**
 * Tests of the host that keep a process for themselves: they measure it, its memory or its descriptors, change its
 * variables, or wait for other programs, so that two of them are better run beside each other.
 */
const ALONE = [
  /^test\/adapters\/(?!cli\/demo\/|node\/|server\/)/,
  /^test\/(?:build|install)\.test\.ts$/,
  /^test\/extensions\/(?:events\/home|git\/(?:clone|requests)|search\/home)\.test\.ts$/,
  /^test\/extensions\/replicas\/publisher\//,
  /^test\/storage\/(?:writing_|home\/torture)/,
];

/** Tests that Node.js alone runs, since it makes no difference which runtime does. */
const ONCE = [
  // They read the sources and the documents.
  "test/architecture.test.ts",
  "test/core_bundle.test.ts",
  "test/cache/memory.test.ts",
  "test/client/bundle.test.ts",
  "test/contract/document.test.ts",
  "test/contract/lint.test.ts",
  "test/documents.test.ts",
  "test/files.test.ts",
  // It counts places in code that all runtimes share.
  "test/foreign_bytes.test.ts",
  "test/mod.test.ts",
  "test/package.test.ts",
  "test/extensions/page/bundle.test.ts",
  "test/replay/deviations.test.ts",
  "test/style.test.ts",
  // They build with Node.js, or count with it.
  "test/build.test.ts",
  // They start programs on all three runtimes.
  "test/adapters/closing.test.ts",
  "test/adapters/concurrent_changes.test.ts",
  // They hold calculations against git and against records of the real programs, case by case. The replays hold whole
  // answers against records on all runtimes.
  "test/extensions/archives/names_like_git.test.ts",
  "test/cob/evaluation/saved/saved_homes.test.ts",
  "test/cob/recordings.test.ts",
  "test/diff/libgit2/equality.test.ts",
  "test/git/merge_base_like_git.test.ts",
  "test/git/names_like_git.test.ts",
  "test/git/path_history_like_git.test.ts",
  "test/identity/sigrefs_homes.test.ts",
  "test/identity/sigrefs_recordings.test.ts",
  // They hold programs at every call of a bucket in memory. Real programs are killed on all runtimes.
  "test/extensions/replicas/publisher/counted_kills.test.ts",
  "test/extensions/replicas/publisher/interleavings.test.ts",
  // The tool runs on Node.js alone.
  "test/compare",
  // A simulation of costs, for a document.
  "bench",
  // They hold documents against answers; how the demo home is made and answered is asked on all runtimes.
  "test/api_examples.test.ts",
  "test/contract/examples.test.ts",
  // test/interop asks replicas on all runtimes for the same.
  "test/extensions/replicas/recordings.test.ts",
];

/**
 * Tests that take seconds to compute from memory what no runtime has a part in, which Deno and Bun therefore leave to
 * Node.js: no file, socket, timer, stream or compression is in them. The shorter tests of the same code run on Bun as well,
 * digests and signatures are asked of each runtime by the other tests of their folders, and whole answers by the replays.
 */
const COMPUTED = [
  // Objects of the greatest sizes, and random ones.
  "test/cob/entry/entry_reader.test.ts",
  "test/cob/entry/stored_action.test.ts",
  "test/cob/entry/trailers.test.ts",
  "test/cob/evaluation/saved/saved_objects.test.ts",
  "test/cob/evaluation/store.test.ts",
  "test/routes/long_objects.test.ts",
  "test/routes/many_values.test.ts",
  "test/cob/stored_entries.test.ts",
  "test/cob/write/action_form.test.ts",
  "test/cob/write/writer.test.ts",
  "test/cob/writer_random.test.ts",
  // Trees and histories of the greatest sizes.
  "test/diff/tree_comparison.test.ts",
  "test/git/commit_graph.test.ts",
  "test/git/commit_graphs.test.ts",
  "test/git/last_commit.test.ts",
  "test/git/saved_history.test.ts",
  "test/identity/sigrefs_history.test.ts",
  "test/identity/sigrefs_walk.test.ts",
  // Random texts, compared with a plain form of the same calculation.
  "test/diff/renames",
  // Publishers and replicas with a bucket in memory, whose calls are counted. Folders and S3 servers are tested on all runtimes.
  "test/extensions/events/many_published.test.ts",
  "test/extensions/replicas/publisher/calls.test.ts",
  "test/extensions/replicas/publisher/catalogue_writer.test.ts",
  "test/extensions/replicas/publisher/change_search.test.ts",
  "test/extensions/replicas/publisher/publisher.test.ts",
  "test/extensions/replicas/replica/many_packs.test.ts",
  "test/extensions/replicas/replica/reads.test.ts",
  // Every route with every kind of stranger, and at every call of a port.
  "test/routes/strangers.test.ts",
  "test/routes/turns_private.test.ts",
];

/**
 * Tests that Deno leaves to Node.js, which has the same engine: they compute. What they ask of a runtime, digests and random
 * numbers, the tests of `identity`, `keys` and `session` ask of Deno as well. Streams, timers, sockets, files and compression
 * are in none of them. The other tests of routes and the replays run the same code on Deno, in whole answers.
 */
const SAME_ENGINE = [
  "test/cache",
  "test/cob",
  "test/contract/id_patterns.test.ts",
  "test/diff",
  "test/git",
  "test/ids",
  "test/profile",
  "test/extensions/replicas/format",
  "test/replay/derived_answers.test.ts",
  "test/routes/commits.test.ts",
  "test/routes/history.test.ts",
  "test/routes/issue_changes.test.ts",
  "test/routes/issues.test.ts",
  "test/routes/large_objects.test.ts",
  "test/routes/lists.test.ts",
  "test/routes/patch_changes.test.ts",
  "test/routes/patches.test.ts",
  "test/routes/today_changes.test.ts",
  "test/routes/tree.test.ts",
  "test/git/pack/delta.test.ts",
  "test/storage/home/large_index.test.ts",
  "test/storage/home/many_refs.test.ts",
  "test/storage/home/pack_index.test.ts",
  "test/git/pack/pack_starts.test.ts",
  "test/storage/home/slow_objects.test.ts",
  "test/text",
  "test/views",
];

/** All places in the lists. */
export const PLACES: readonly string[] = [
  ...ROUNDS,
  ...HOST,
  ...OF_OTHERS,
  ...ONCE,
  ...COMPUTED,
  ...SAME_ENGINE,
];

const isBelow = (path: string, places: readonly string[]): boolean =>
  places.some((place) => path === place || path.startsWith(`${place}/`));

/** The part of a test file. Tests of the whole project are in no folder. */
function partOf(path: string): Part {
  if (isBelow(path, ROUNDS)) return "rounds";
  return isBelow(path, HOST) || /^test\/[^/]+$/.test(path) ? "host" : "core";
}

/** The test files of a runtime; all that there are when there is to be no difference. */
export function filesOf(runtime: string, isAll: boolean): readonly string[] {
  const leftOut = [
    ...OF_OTHERS,
    ...(isAll || runtime === "node" ? [] : [...ONCE, ...COMPUTED]),
    ...(!isAll && runtime === "deno" ? SAME_ENGINE : []),
  ];
  return globSync(["test/**/*.test.ts", "bench/*.test.ts"]).map((path) => path.replaceAll(sep, "/")).sort()
    .filter((path) => !isBelow(path, leftOut));
}

/** Writes the files that import those of one process each, and returns what is to be run. */
function join(files: readonly string[], part: Part, folder: string): readonly string[] {
  const groups = Map.groupBy(
    files,
    (path) =>
      part === "host"
        ? ALONE.some((one) => one.test(path)) ? path : dirname(path)
        : path.split("/").slice(0, 2).join("/"),
  );
  mkdirSync(folder, { recursive: true });
  return [...groups].map(([group, members]) => {
    if (members.length === 1) return `./${members[0]}`;
    const path = `${folder}/${part}-${group.replaceAll("/", "-")}.test.ts`;
    writeFileSync(
      path,
      members.map((member) => `import ${JSON.stringify(pathToFileURL(resolve(member)).href)};\n`).join(""),
    );
    return path;
  });
}

if (import.meta.main) {
  const [runtime = "", part = "", folder = ""] = process.argv.slice(2);
  const files = filesOf(runtime, Boolean(process.env["XYLEM_TEST_ALL"])).filter((path) =>
    partOf(path) === part
  );
  for (const path of join(files, part as Part, folder)) console.log(path);
}
