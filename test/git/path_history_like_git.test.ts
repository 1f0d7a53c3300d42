/** Histories of files and folders, compared with what `git log -- path` and `git log --follow` say. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { PathSearches } from "../../src/browse/history.ts";
import { renameFinder } from "../../src/browse/renames.ts";
import { ByteCache } from "../../src/cache/byte_cache.ts";
import { DiffService } from "../../src/diff_service/diff_service.ts";
import { CoreError } from "../../src/errors.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { MIN_TREE_COST, pathHistory, type PathHistoryOptions } from "../../src/git/path_history.ts";
import { PathLister } from "../../src/git/changed_paths.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createRandom } from "../cob/random.ts";
import { GitRepository, makeFolder, removeFolder } from "../support/git.ts";
import { Task } from "../../src/scheduling/task.ts";

const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const START_SECONDS = 1_700_000_000;
const COMMITS = 120;
const FILES = ["a", "b", "dir/a", "dir/b", "dir/deep/a", "other/a", "dir2"];
/** Files, folders, and a path that never existed. */
const PATHS = [...FILES, "dir", "dir/deep", "other", "none", "a/b"];

/** Content of files by their paths. */
type Files = ReadonlyMap<string, string>;

/** A commit for `git fast-import` with all its files. */
function commitText(number: number, parents: readonly number[], timeSeconds: number, files: Files): string {
  const message = `commit ${number}`;
  return [
    `commit refs/heads/main`,
    `mark :${number + 1}`,
    `committer Alice <alice@example.org> ${timeSeconds} +0000`,
    `data ${message.length}\n${message}`,
    ...parents.map((parent, n) => `${n === 0 ? "from" : "merge"} :${parent + 1}`),
    "deleteall",
    ...[...files].map(([path, text]) => `M 100644 inline ${path}\ndata ${text.length}\n${text}`),
  ].join("\n") + "\n";
}

/**
 * A random history with merges. A merge takes each file from one of its parents, now and then from none. The
 * last commit has all the others as ancestors.
 */
function drawHistory(seed: number, timeOf: (i: number) => number): string {
  const random = createRandom(seed);
  const drawn: Files[] = [];
  let heads: number[] = [];
  const texts: string[] = [];
  for (let i = 0; i < COMMITS; i++) {
    const isLast = i === COMMITS - 1;
    const wanted = i === 0 ? 0 : isLast ? heads.length : random.below(3) === 0 ? 2 : 1;
    const near = Array.from({ length: wanted }, () => i - 1 - random.below(Math.min(i, 6)));
    const parents = isLast ? heads : [...new Set(near)];
    const files = new Map<string, string>();
    for (const path of FILES) {
      const text = parents.length === 0 ? undefined : drawn[random.pick(parents)]!.get(path);
      if (text !== undefined) files.set(path, text);
    }
    for (let change = random.below(parents.length > 1 ? 2 : 3); change > 0; change--) {
      const path = random.pick(FILES);
      if (random.below(4) === 0) files.delete(path);
      else files.set(path, `${random.below(5)}\n`);
    }
    drawn.push(files);
    heads = [...heads.filter((head) => !parents.includes(head)), i];
    texts.push(commitText(i, parents, timeOf(i), files));
  }
  return texts.join("");
}

/** A line of history in which files are moved and changed a little. */
function drawMoves(seed: number): string {
  const random = createRandom(seed);
  const linesOf = (name: string) => Array.from({ length: 30 }, (_, i) => `${name} line ${i} of ${seed}`);
  const files = new Map(["a", "b", "dir/c"].map((name) => [name, linesOf(name)]));
  return Array.from({ length: 60 }, (_, i) => {
    const [path, lines] = random.pick([...files]);
    const changed = [...lines];
    if (random.below(3) > 0) changed[random.below(30)] = `changed by ${i}`;
    files.delete(path);
    files.set(random.below(3) === 0 ? `${random.pick(["", "dir/", "other/"])}moved-${i}` : path, changed);
    const texts = new Map([...files].map(([path, lines]) => [path, lines.join("\n") + "\n"]));
    return commitText(i, i === 0 ? [] : [i - 1], START_SECONDS + i, texts);
  }).join("");
}

describe("the history of a path", () => {
  let folder: string;
  before(() => {
    folder = makeFolder();
  });
  after(() => removeFolder(folder));

  /** A repository with a history, open. */
  async function load(name: string, stream: string) {
    const root = join(folder, name);
    const git = GitRepository.create(join(root, RID.slice("rad:".length)));
    git.run(["fast-import", "--quiet", "--date-format=raw"], stream);
    const storage = createHomeStorage({ root, fileSystem });
    const repository = storage.repository(RID)! as Repository;
    const graph = new CommitGraph();
    const tip = (await graph.load(repository, git.text(["rev-parse", "main"]) as Oid, new Task()))!;
    const historyOf = async (path: string, options: PathHistoryOptions = {}) => {
      const found: Oid[] = [];
      for await (
        const row of pathHistory({ objects: repository, graph, task: new Task() }, tip, path, options)
      ) {
        found.push(graph.commits.oidOf(row));
      }
      return found;
    };
    const ofGit = (path: string, ...options: string[]) => {
      const text = git.text(["log", "--format=%H", ...options, "main", "--", path]);
      return text === "" ? [] : text.split("\n");
    };
    return { storage, repository, graph, tip, historyOf, ofGit, git };
  }

  for (const seed of [1, 2, 3, 4]) {
    const random = createRandom(seed);
    const clocks: Record<string, (i: number) => number> = {
      right: (i) => START_SECONDS + i,
      wrong: () => START_SECONDS + random.below(1_000_000),
      same: () => START_SECONDS,
    };
    for (const [clock, timeOf] of Object.entries(clocks)) {
      it(`equals git's where clocks are ${clock}, with and without lists of paths (${seed})`, async () => {
        const loaded = await load(`${clock}-${seed}`, drawHistory(seed, timeOf));
        const { storage, repository, graph, historyOf, ofGit } = loaded;
        const expected = new Map(PATHS.map((path) => [path, ofGit(path)]));
        for (const [path, commits] of expected) assert.deepEqual(await historyOf(path), commits, path);
        const lister = new PathLister(repository);
        for (let row = 0; row < graph.commits.size; row++) {
          const parent = graph.commits.parentCount(row) > 0
            ? graph.commits.treeOf(graph.commits.parentOf(row, 0))
            : undefined;
          graph.paths.set(row, await lister.list(parent, graph.commits.treeOf(row)));
        }
        for (const [path, commits] of expected) assert.deepEqual(await historyOf(path), commits, path);
        storage.close();
      });
    }
  }

  for (const seed of [1, 2, 3]) {
    it(`goes on under the names that a file had, as git follows it (${seed})`, async () => {
      const loaded = await load(`moves-${seed}`, drawMoves(seed));
      const { storage, repository, graph, historyOf, ofGit, git } = loaded;
      const diffs = new DiffService({ loadLibgit2, answerCache: new ByteCache(1_000_000) });
      const findOldPath = renameFinder({ objects: repository, graph, task: new Task() }, {
        diffs,
        requester: {},
      });
      let followed = 0;
      for (const path of git.text(["ls-tree", "-r", "--name-only", "main"]).split("\n")) {
        const commits = ofGit(path, "--follow");
        assert.deepEqual(await historyOf(path, { findOldPath }), commits, path);
        if (commits.length > ofGit(path).length) followed++;
      }
      assert.ok(followed > 0);
      storage.close();
    });
  }

  it("is refused when too many trees would have to be read, and found with lists of paths", async () => {
    const loaded = await load("long", drawHistory(9, (i) => START_SECONDS + i));
    const { storage, repository, graph, tip, historyOf, ofGit } = loaded;
    const maxWork = 4 * MIN_TREE_COST;
    const isRefused = (name: string) => (error: unknown) => error instanceof CoreError && error.name === name;
    await assert.rejects(historyOf("none", { maxWork }), isRefused("UnavailableError"));
    const lister = new PathLister(repository);
    for (let row = 0; row < graph.commits.size; row++) {
      const parent = graph.commits.parentCount(row) > 0
        ? graph.commits.treeOf(graph.commits.parentOf(row, 0))
        : undefined;
      graph.paths.set(row, await lister.list(parent, graph.commits.treeOf(row)));
    }
    assert.deepEqual(await historyOf("none", { maxWork }), ofGit("none"));
    await assert.rejects(historyOf("a", { maxWork }), isRefused("HistoryTooLongError"));
    // A refusal is known the next time.
    const searches = new PathSearches();
    const range = { page: 0, perPage: 10, since: undefined, until: undefined, path: "a" };
    const search = (objects: Repository, graph: CommitGraph) =>
      searches.page({ rid: RID, objects, graph, task: new Task() }, tip, range, { maxWork });
    await assert.rejects(search(repository, graph), isRefused("HistoryTooLongError"));
    const unread = { ...repository, object: () => assert.fail("read") };
    await assert.rejects(search(unread, graph), isRefused("HistoryTooLongError"));
    await assert.rejects(historyOf("a", { signal: AbortSignal.abort(new Error("gone")), maxWork: Infinity }));
    storage.close();
  });
});
