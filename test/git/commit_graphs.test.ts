/** Indexes that are kept in a cache folder for the next process. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { Listing } from "../../src/git/changed_paths.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { leastMemoryBytes, Memory } from "../../src/cache/memory.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { CacheFolder } from "../../src/ports/cache_folder.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
/** Commits of a history that is worth a file. */
const LONG = 300;
/** Commits of a history that takes so long that it is saved before its end. */
const VERY_LONG = 25_000;

/** A line of commits; `grow` adds some and tells the last. */
function lineOf(count: number) {
  const repository = createMemoryStorage().create(RID);
  const commits: Oid[] = [];
  const grow = (more: number): Oid => {
    for (let i = 0; i < more; i++) {
      const n = commits.length;
      const parents = n === 0 ? [] : [commits[n - 1]!];
      commits.push(
        putCommit(repository, {
          folder: { [`file${n % 7}`]: String(n) },
          parents,
          message: `${n}`,
          timeSeconds: n,
        }),
      );
    }
    return commits.at(-1)!;
  };
  return { repository, commits, grow, tip: grow(count) };
}

/** A cache folder in memory. */
function memoryFolder() {
  const files = new Map<string, Uint8Array>();
  let writes = 0;
  const folder: CacheFolder = {
    read: (name) => files.get(name),
    write(name, bytes) {
      writes++;
      files.set(name, bytes);
    },
  };
  return { folder, files, writes: () => writes };
}

/** Counts the objects that are read. */
function counted(repository: MemoryRepository) {
  let reads = 0;
  return {
    reads: () => reads,
    repository: {
      ...repository,
      objects(oids: readonly Oid[]) {
        reads += oids.length;
        return repository.objects(oids);
      },
      object(oid: Oid) {
        reads++;
        return repository.object(oid);
      },
    },
  };
}

/** Loads a commit as a new process would, and lets it do all it does in the background. */
async function process(repository: MemoryRepository, cache: CacheFolder | undefined, tip: Oid) {
  const warnings: string[] = [];
  const graphs = new CommitGraphs({ cache, log: (_, message) => warnings.push(message) });
  const graph = graphs.of(RID);
  const row = await graph.load(repository, tip, new Task());
  await graphs.settle();
  return { graph, graphs, row, warnings, count: row === undefined ? 0 : (await graph.count(row)).commits };
}

function listed(graph: CommitGraph, row: number): number {
  return [...graph.walk(row)].filter((at) => graph.paths.listingOf(at) === Listing.listed).length;
}

describe("CommitGraphs", () => {
  it("begin no work in the background after they were closed", async () => {
    const { repository, tip } = lineOf(20);
    const graphs = new CommitGraphs({ log: () => {} });
    const graph = graphs.of(RID);
    const row = await graph.load(repository, tip, new Task());
    await graphs.close();
    const count = listed(graph, row!);
    const next = putCommit(repository, { folder: {}, parents: [tip], message: "" });
    const later = await graph.load(repository, next, new Task());
    await graphs.settle();
    assert.equal(listed(graph, later!), count);
  });

  it("log how far the reading of a long history is, and when it has ended", async () => {
    const count = 10_000;
    const { repository, commits, tip } = lineOf(count);
    const shown: (string | undefined)[] = [];
    const graph = new CommitGraphs({ log: () => {}, progress: (line) => shown.push(line) }).of(RID);
    await graph.load(repository, commits[LONG]!, new Task());
    assert.deepEqual(shown, []);
    await graph.load(repository, tip, new Task());
    assert.equal(shown.pop(), undefined);
    const counts = shown.map((line) =>
      Number(/^Reading the history of rad:\w+: (\d+) commits$/.exec(line!)![1])
    );
    assert.ok(counts.length > 1 && counts[0]! < count);
    assert.deepEqual(counts, counts.toSorted((a, b) => a - b));
    assert.equal(counts.at(-1), count);
  });

  it("list in the background what all commits change", async () => {
    const { repository, tip } = lineOf(20);
    const { graph, row } = await process(repository, undefined, tip);
    assert.equal(listed(graph, row!), 20);
  });

  it("are bounded in bytes, whatever their number: small ones cost large ones nothing", async () => {
    const memory = new Memory({ totalBytes: leastMemoryBytes() });
    const graphs = new CommitGraphs({ log: () => {}, memory });
    const large = lineOf(1100);
    const graph = graphs.of(RID);
    await graph.load(large.repository, large.tip, new Task());
    await graphs.settle();
    const share = memory.share("commitGraphs");
    const others = Math.floor((share - graph.memoryBytes) / new CommitGraph().memoryBytes);
    const nameOf = (i: number): RepoId => `rad:z${i}`;
    for (let i = 0; i < others; i++) graphs.of(nameOf(i));
    assert.ok(others > 2);
    assert.equal(graphs.of(RID), graph);
    const first = graphs.of(nameOf(0));
    for (let i = 0; i < 10 * others; i++) graphs.of(nameOf(others + i));
    assert.notEqual(graphs.of(RID), graph);
    assert.notEqual(graphs.of(nameOf(0)), first);
  });

  it("cache one history that is larger than all memory for them", async () => {
    const memory = new Memory({ totalBytes: leastMemoryBytes() });
    const graphs = new CommitGraphs({ log: () => {}, memory });
    const graph = graphs.of(RID);
    const other = graphs.of("rad:z1");
    const { repository, tip } = lineOf(1);
    const grow = async (graph: CommitGraph) => {
      Object.defineProperty(graph, "memoryBytes", { get: () => 2 * memory.share("commitGraphs") });
      await graph.load(repository, tip, new Task());
    };
    await grow(graph);
    assert.equal(graphs.of(RID), graph);
    assert.equal(graphs.of("rad:z1"), other, "small, next to a large one");
    await grow(other);
    assert.notEqual(graphs.of(RID), graph);
  });

  it("spare the next process all reading", async () => {
    const { repository, tip } = lineOf(LONG);
    const { folder } = memoryFolder();
    await process(repository, folder, tip);
    const next = counted(repository);
    const { graph, row, count } = await process(next.repository, folder, tip);
    assert.equal(count, LONG);
    assert.equal(listed(graph, row!), LONG);
    assert.equal(next.reads(), 0);
  });

  it("read only what came since, and keep that when it is worth it", async () => {
    const { repository, tip, grow } = lineOf(LONG);
    const { folder, writes } = memoryFolder();
    await process(repository, folder, tip);
    const later = counted(repository);
    const { count } = await process(later.repository, folder, grow(5));
    assert.equal(count, LONG + 5);
    assert.ok(later.reads() <= 5 * 4, `${later.reads()} reads`);
    assert.equal(writes(), 1);
    await process(repository, folder, grow(LONG));
    assert.equal(writes(), 2);
  });

  it("keep what has been done so far of a long history, and go on from there", async () => {
    const { repository, tip } = lineOf(VERY_LONG);
    const { folder, files, writes } = memoryFolder();
    const kept: Uint8Array[] = [];
    const cache: CacheFolder = {
      read: folder.read,
      write(name, bytes) {
        kept.push(bytes);
        return folder.write(name, bytes);
      },
    };
    await process(repository, cache, tip);
    assert.ok(writes() > 1 && kept[0]!.length < kept.at(-1)!.length);
    const [name] = files.keys();
    files.set(name!, kept[0]!);
    const { graph, row } = await process(repository, folder, tip);
    assert.equal(listed(graph, row!), VERY_LONG);
    assert.equal(files.get(name!)!.length, kept.at(-1)!.length);
  });

  it("keep no short histories", async () => {
    const { repository, tip } = lineOf(20);
    const { folder, files } = memoryFolder();
    await process(repository, folder, tip);
    assert.equal(files.size, 0);
  });

  it("build damaged indexes again, and save them", async () => {
    const { repository, tip } = lineOf(LONG);
    const { folder, files, writes } = memoryFolder();
    await process(repository, folder, tip);
    const [[name, bytes]] = [...files] as [[string, Uint8Array]];
    for (
      const damaged of [
        bytes.slice(0, -1),
        new Uint8Array(0),
        bytes.map((byte, i) => i === 500 ? ~byte : byte),
      ]
    ) {
      files.set(name, damaged);
      const { count, warnings } = await process(repository, folder, tip);
      assert.equal(count, LONG);
      assert.deepEqual(files.get(name), bytes);
      assert.deepEqual(warnings, []);
    }
    assert.equal(writes(), 4);
  });

  it("do not answer for commits that the storage has no more, or never had", async () => {
    const { repository, commits, tip } = lineOf(LONG);
    const { folder } = memoryFolder();
    await process(repository, folder, tip);
    const other = lineOf(3);
    const { row, graph } = await process(other.repository, folder, tip);
    assert.equal(row, undefined);
    const found = (await graph.load(other.repository, other.tip, new Task()))!;
    assert.equal((await graph.count(found)).commits, 3);
    assert.equal(await graph.load(other.repository, commits[LONG - 2]!, new Task()), undefined);
    assert.notEqual(await graph.load(repository, tip, new Task()), undefined);
  });

  it("find again what was missing when the index was kept", async () => {
    const { repository, commits, tip } = lineOf(LONG);
    const { folder } = memoryFolder();
    const lost = commits[3]!;
    const partial: MemoryRepository = {
      ...repository,
      objects: (oids) => repository.objects(oids).map((object, i) => oids[i] === lost ? undefined : object),
    };
    await assert.rejects(process(partial, folder, tip), DamagedError);
    assert.equal((await process(repository, folder, tip)).count, LONG);
  });

  it("go on without a folder that cannot be used, and say so once", async () => {
    const { repository, tip, grow } = lineOf(LONG);
    const refuse = () => {
      throw new Error("read-only");
    };
    const { graphs, graph, count, warnings } = await process(
      repository,
      { read: refuse, write: refuse },
      tip,
    );
    assert.equal(count, LONG);
    await graph.load(repository, grow(LONG), new Task());
    await graphs.settle();
    assert.deepEqual(warnings, ["Cannot save indexes of history"]);
  });

  it("load once for many who ask at once", async () => {
    const { repository, tip } = lineOf(LONG);
    const { folder } = memoryFolder();
    await process(repository, folder, tip);
    let reads = 0;
    const cache: CacheFolder = {
      read(name) {
        reads++;
        return folder.read(name);
      },
      write: () => {},
    };
    const graph = new CommitGraphs({ cache, log: () => {} }).of(RID);
    const rows = await Promise.all(Array.from({ length: 5 }, () => graph.load(repository, tip, new Task())));
    assert.deepEqual(new Set(rows).size, 1);
    assert.equal(reads, 1);
  });
});
