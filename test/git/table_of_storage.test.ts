/** Histories from a table of the storage, which has no authors. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeHistory } from "../../src/diff_service/worker/history.ts";
import { DamagedError } from "../../src/errors.ts";
import { NO_AUTHOR } from "../../src/git/commit_columns.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { CacheFolder } from "../../src/ports/cache_folder.ts";
import type { HistoryColumns } from "../../src/ports/made_history.ts";
import type { Repository, Storage } from "../../src/ports/storage.ts";
import { Task } from "../../src/scheduling/task.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const COMMITS = 600;
/** A number of objects for which a worker reads the history. */
const MANY_OBJECTS = 10_000_000;
const AUTHORS = 5;

/** A line of commits by several authors. */
function lineOf(): { readonly repository: MemoryRepository; readonly commits: readonly Oid[] } {
  const repository = createMemoryStorage().create(RID);
  const commits: Oid[] = [];
  for (let i = 0; i < COMMITS; i++) {
    const person = `Author ${i % AUTHORS} <${i % AUTHORS}@example.org>`;
    const parents = commits.slice(-1);
    commits.push(
      putCommit(repository, { folder: {}, parents, message: `${i}`, timeSeconds: 1000 + i, person }),
    );
  }
  return { repository, commits };
}

async function historyOf(repository: Repository, oid: Oid): Promise<HistoryColumns> {
  const whole: Repository = { ...repository, objectCount: () => 0 };
  const storage: Storage = { repositoryIds: () => [], repository: () => whole };
  return await makeHistory(storage, { rid: RID, oid }) as HistoryColumns;
}

/** The repository with a table up to a commit. It counts the objects that are read, and may lack one. */
function withTable(repository: MemoryRepository, columns: HistoryColumns) {
  let reads = 0;
  let lost: Oid | undefined;
  const objects = (oids: readonly Oid[]) => {
    reads += oids.length;
    return oids.map((oid) => oid === lost ? undefined : repository.object(oid));
  };
  const table = () => ({
    ...structuredClone(columns),
    authors: new Uint32Array(columns.authors.length).fill(NO_AUTHOR),
    authorHashes: new Uint8Array(0),
  });
  return {
    /** Number of objects read since the last call. */
    reads() {
      const before = reads;
      reads = 0;
      return before;
    },
    lose: (oid: Oid | undefined) => void (lost = oid),
    repository: { ...repository, objects, objectCount: () => MANY_OBJECTS, commitTable: table },
  };
}

async function made(end = COMMITS) {
  const { repository, commits } = lineOf();
  const columns = await historyOf(repository, commits[end - 1]!);
  return { ...withTable(repository, columns), columns, commits, tip: commits.at(-1)! };
}

const loadTable = (repository: Repository) => repository.commitTable?.();
const WHOLE = { commits: COMMITS, contributors: AUTHORS };

describe("a history from a table without authors", () => {
  it("is counted without reading a commit; authors are read once, where they are counted", async () => {
    const { repository, reads, tip, commits } = await made();
    const graph = new CommitGraph({ loadTable });
    const row = (await graph.load(repository, tip, new Task()))!;
    assert.equal(await graph.countCommits(row), COMMITS);
    assert.equal((await graph.timesAfter(row, 1099, new Task())).length, COMMITS - 100);
    assert.equal(reads(), 0);
    assert.deepEqual(await graph.count(row, repository), WHOLE);
    assert.equal(reads(), COMMITS);
    const other = (await graph.load(repository, commits[2]!, new Task()))!;
    assert.deepEqual(await graph.count(other, repository), { commits: 3, contributors: 3 });
    assert.equal(reads(), 0);
  });

  it("continues with commits that the table lacks", async () => {
    const { repository, reads, tip } = await made(COMMITS - 40);
    const graph = new CommitGraph({ loadTable });
    const row = (await graph.load(repository, tip, new Task()))!;
    assert.equal(await graph.countCommits(row), COMMITS);
    assert.equal(reads(), 40);
    assert.deepEqual(await graph.count(row, repository), WHOLE);
  });

  it("has its authors from a worker, once for all requests", async () => {
    const { repository, reads, commits, tip } = await made();
    const asked: Oid[] = [];
    const readElsewhere = async (_repository: Repository, oid: Oid) => {
      asked.push(oid);
      return structuredClone(await historyOf(repository, oid));
    };
    const graph = new CommitGraph({ loadTable, readElsewhere });
    const rowOf = async (oid: Oid) => (await graph.load(repository, oid, new Task()))!;
    const [old, half, whole] = [await rowOf(commits[9]!), await rowOf(commits[299]!), await rowOf(tip)];
    assert.deepEqual(asked, []);
    const counts = await Promise.all([half, whole, whole, old].map((row) => graph.count(row, repository)));
    assert.deepEqual(counts.map(({ commits }) => commits), [300, COMMITS, COMMITS, 10]);
    assert.deepEqual(counts.map(({ contributors }) => contributors), Array(4).fill(AUTHORS));
    assert.deepEqual(asked, [commits[299], tip]);
    reads();
    assert.deepEqual(await graph.count(whole, repository), WHOLE);
    assert.equal(reads(), 0);
  });

  it("reads few authors here", async () => {
    const { repository, commits } = await made();
    const readElsewhere = () => assert.fail("A worker is asked");
    const graph = new CommitGraph({ loadTable, readElsewhere });
    const row = (await graph.load(repository, commits[99]!, new Task()))!;
    assert.deepEqual(await graph.count(row, repository), { commits: 100, contributors: AUTHORS });
  });

  it("does not count authors while a commit is missing, and does the work only once", async () => {
    const { repository, reads, lose, commits, tip } = await made();
    let asked = 0;
    const readElsewhere = () => Promise.resolve(void asked++);
    const graph = new CommitGraph({ loadTable, readElsewhere });
    const row = (await graph.load(repository, tip, new Task()))!;
    lose(commits[3]);
    await assert.rejects(graph.count(row, repository), DamagedError);
    assert.equal(await graph.countCommits(row), COMMITS);
    reads();
    await assert.rejects(graph.count(row, repository), DamagedError);
    assert.ok(reads() < 10);
    assert.equal(asked, 1);
    lose(undefined);
    assert.deepEqual(await graph.count(row, repository), WHOLE);
  });
});

describe("a saved index of such a history", () => {
  /** Loads a commit, as a process does that ends when its background work is done. */
  async function process(repository: Repository, cache: CacheFolder, tip: Oid) {
    const graphs = new CommitGraphs({ cache, log: () => {} });
    const graph = graphs.of(RID);
    const row = (await graph.load(repository, tip, new Task()))!;
    await graphs.settle();
    return { graph, row };
  }

  function folder(): { readonly files: Map<string, Uint8Array>; readonly cache: CacheFolder } {
    const files = new Map<string, Uint8Array>();
    return {
      files,
      cache: { read: (name) => files.get(name), write: (name, bytes) => void files.set(name, bytes) },
    };
  }

  it("has the authors, and is used before the table", async () => {
    const { repository, reads, tip } = await made();
    const { cache, files } = folder();
    await process(repository, cache, tip);
    assert.equal(files.size, 1);
    reads();
    const unused = () => assert.fail("The table is read");
    const { graph, row } = await process({ ...repository, commitTable: unused }, cache, tip);
    assert.deepEqual(await graph.count(row, repository), WHOLE);
    assert.equal(reads(), 0);
  });

  it("is not written while a commit is missing", async () => {
    const { repository, lose, commits, tip } = await made();
    const { cache, files } = folder();
    lose(commits[3]);
    await process(repository, cache, tip);
    assert.equal(files.size, 0);
  });
});
