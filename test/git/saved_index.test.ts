/** Indexes as bytes: the same again, or nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import type { CommitTables } from "../../src/git/commit_tables.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { decodeIndex, encodeIndex } from "../../src/git/saved_index.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { putCommit } from "../support/world.ts";
import { randomHistory } from "./random_history.ts";
import { Task } from "../../src/scheduling/task.ts";

const COMMITS = 40;
const { repository, commits } = randomHistory(7, COMMITS);
const { rid } = repository;
const tip = commits.at(-1)!;
/** A commit whose parent is missing. */
const orphan = putCommit(repository, { folder: {}, parents: ["f".repeat(40) as Oid], message: "orphan" });

async function makeIndex(): Promise<CommitGraph> {
  const graphs = new CommitGraphs({ log: () => {} });
  for (const oid of commits) await graphs.of(rid).load(repository, oid, new Task());
  await graphs.settle();
  return graphs.of(rid);
}

/** What an index tells of all commits. */
async function describeIndex(graph: CommitGraph): Promise<unknown> {
  const row = await graph.load(repository, tip, new Task());
  return {
    walk: [...graph.walk(row!)].map((at) => [
      graph.commits.oidOf(at),
      graph.commits.treeOf(at),
      graph.commits.timeOf(at),
      Array.from(
        { length: graph.commits.parentCount(at) },
        (_, i) => graph.commits.oidOf(graph.commits.parentOf(at, i)),
      ),
      graph.paths.listingOf(at),
    ]),
    count: await graph.count(row!),
    size: graph.commits.size,
  };
}

const bytes = (await encodeIndex(rid, (await makeIndex()).snapshot!))!;

/** Gives bytes that were changed the checksum that fits them. */
async function seal(changed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const end = changed.length - 32;
  changed.set(new Uint8Array(await crypto.subtle.digest("SHA-256", changed.subarray(0, end))), end);
  return changed;
}

describe("encodeIndex", () => {
  it("gets no tables in which a parent is missing", async () => {
    const graph = await makeIndex();
    assert.ok(graph.snapshot);
    await graph.load(repository, orphan, new Task());
    assert.equal(graph.snapshot, undefined);
  });
});

describe("decodeIndex", () => {
  it("brings back what was encoded, from anywhere in a buffer", async () => {
    const expected = await describeIndex(await makeIndex());
    for (const offset of [0, 1, 8]) {
      const buffer = new Uint8Array(bytes.length + offset + 3);
      buffer.set(bytes, offset);
      const earlier = await decodeIndex(rid, buffer.subarray(offset, offset + bytes.length), new Task());
      const graph = new CommitGraph({ loadSaved: () => Promise.resolve(earlier) });
      assert.deepEqual(await describeIndex(graph), expected);
    }
  });

  it("encodes the same again", async () => {
    const earlier: CommitTables = (await decodeIndex(rid, bytes, new Task()))!;
    assert.deepEqual(await encodeIndex(rid, earlier), bytes);
  });

  it("takes nothing that is cut off or longer", async () => {
    for (
      let length = 0;
      length < bytes.length;
      length += length < 100 || length > bytes.length - 100 ? 1 : 97
    ) {
      assert.equal(await decodeIndex(rid, bytes.slice(0, length), new Task()), undefined, `${length} bytes`);
    }
    assert.equal(await decodeIndex(rid, Uint8Array.of(...bytes, 0), new Task()), undefined);
  });

  it("takes nothing with a wrong bit", async () => {
    for (let at = 0; at < bytes.length; at += at < 100 ? 1 : 31) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1 << at % 8;
      assert.equal(await decodeIndex(rid, damaged, new Task()), undefined, `byte ${at}`);
    }
  });

  it("takes nothing of another repository", async () => {
    assert.equal(
      await decodeIndex("rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5" as RepoId, bytes, new Task()),
      undefined,
    );
  });

  it("takes nothing of another version or another machine", async () => {
    for (const at of [8, 12, 16]) {
      const other = bytes.slice() as Uint8Array<ArrayBuffer>;
      other[at]!++;
      assert.equal(await decodeIndex(rid, await seal(other), new Task()), undefined, `byte ${at}`);
    }
  });

  it("takes nothing whose numbers lead to nowhere, whatever its checksum", async () => {
    const graph = await makeIndex();
    const rows = graph.commits.size;
    const [header, words] = [48, 4 * rows];
    const numberAt = (at: number) => new DataView(bytes.buffer).getUint32(at, true);
    const [parents, hashes, people, zero] = [numberAt(24), numberAt(28), numberAt(32), numberAt(36)];
    assert.equal(zero, 0);
    const authorsAt = header + 8 * rows;
    const parentEndsAt = authorsAt + words;
    const parentsAt = parentEndsAt + words;
    const pathEndsAt = parentsAt + 4 * parents;
    const oidsAt = pathEndsAt + words + 4 * hashes;
    const listingsAt = oidsAt + 40 * rows + 20 * people;
    const cases: Record<string, (view: DataView) => void> = {
      "an author": (view) => view.setUint32(authorsAt, 1000, true),
      "a parent": (view) => view.setUint32(parentsAt, rows, true),
      "ends of parents": (view) => view.setUint32(parentEndsAt, 1000, true),
      "ends of paths": (view) => view.setUint32(pathEndsAt + words - 4, 0, true),
      "a missing parent": (view) => view.setUint32(parentsAt, 0xffff_ffff, true),
      "a number of missing parents": (view) => view.setUint32(36, 1, true),
      "a listing": (view) => view.setUint8(listingsAt, 9),
      "an id twice": (view) => {
        for (let i = 0; i < 20; i++) view.setUint8(oidsAt + i, view.getUint8(oidsAt + 20 + i));
      },
    };
    for (const [name, change] of Object.entries(cases)) {
      const changed = bytes.slice() as Uint8Array<ArrayBuffer>;
      change(new DataView(changed.buffer));
      assert.equal(await decodeIndex(rid, await seal(changed), new Task()), undefined, name);
    }
    assert.ok(await decodeIndex(rid, await seal(bytes.slice() as Uint8Array<ArrayBuffer>), new Task()));
  });
});
