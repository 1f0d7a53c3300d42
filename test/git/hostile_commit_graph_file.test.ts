/** Damaged and hostile commit-graph files: refused, or a history in which every walk ends. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isUnreadable } from "../../src/errors.ts";
import { type GraphFile, MAX_GRAPH_FILES, readCommitGraph } from "../../src/git/commit_graph_file.ts";
import { addColumns, emptyTables } from "../../src/git/commit_tables.ts";
import { HistoryWalk } from "../../src/git/history_walk.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { HistoryColumns } from "../../src/ports/made_history.ts";
import { Task } from "../../src/scheduling/task.ts";
import { createRandom, type Random } from "../cob/random.ts";
import { makeFolder, removeFolder } from "../support/git.ts";
import { DrawnRepository } from "./drawn_graph.ts";
import { fileOf } from "./graph_file.ts";

const COMMITS = 300;
const MUTATIONS = 2000;
const CHECKSUM_BYTES = 20;
/** Numbers that mean something in the format, or are at the edge of something. */
const WORDS = [
  0,
  1,
  2,
  COMMITS - 1,
  COMMITS,
  COMMITS + 1,
  0x7000_0000,
  0x7fff_ffff,
  0x8000_0000,
  0xffff_ffff,
];

const task = Task.unbroken();

async function readOrRefuse(
  files: readonly GraphFile[],
  most = 1_000_000,
): Promise<HistoryColumns | undefined> {
  try {
    return await readCommitGraph(files, most, task);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}

/** Makes the checksum right. */
function repaired(bytes: Buffer): Buffer {
  if (bytes.length < CHECKSUM_BYTES) return bytes;
  const content = bytes.subarray(0, -CHECKSUM_BYTES);
  createHash("sha1").update(content).digest().copy(bytes, content.length);
  return bytes;
}

function nameOf(bytes: Buffer): Oid {
  return bytes.subarray(-CHECKSUM_BYTES).toString("hex") as Oid;
}

/** Changes bytes in a random way. */
function mutated(whole: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(whole);
  const at = random.below(bytes.length);
  // Most positions are in the header, in the table of chunks, or are whole numbers.
  const word = random.below(2) === 0 ? 4 * random.below(24) : at - at % 4;
  switch (random.below(7)) {
    case 0:
      bytes[at]! ^= 1 << random.below(8);
      return bytes;
    case 1:
      bytes[random.below(128)]! ^= 1 << random.below(8);
      return bytes;
    case 2:
      bytes.writeUInt32BE(random.pick(WORDS), Math.min(word, bytes.length - 4));
      return bytes;
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return Buffer.concat([bytes, Buffer.alloc(random.below(64), random.below(256))]);
    case 5:
      return Buffer.concat([bytes.subarray(0, word), bytes.subarray(word + 4 * (1 + random.below(40)))]);
    default:
      bytes.copy(bytes, at, random.below(bytes.length), random.below(bytes.length));
      return bytes;
  }
}

/** Walks everything. Returns the number of steps, which the number of commits limits. */
async function walkAll(columns: HistoryColumns): Promise<void> {
  const tables = emptyTables();
  await addColumns(tables, columns, task);
  const { commits } = tables;
  const order = await commits.order(task);
  assert.equal(order.length, commits.size);
  for (const row of order.filter((_, i) => i % 50 === 0)) {
    const { rows } = await commits.reach([row], task);
    const walked = [...new HistoryWalk(commits, row)];
    assert.equal(walked.length, rows.length);
    assert.ok(walked.length <= commits.size);
  }
}

describe("a hostile commit graph", () => {
  let folder: string;
  let single: Buffer;
  let chain: Buffer[];

  before(() => {
    folder = makeFolder();
    const repository = new DrawnRepository(folder, 11);
    repository.add(COMMITS);
    repository.writeGraph();
    single = readFileSync(join(repository.git.path, "objects/info/commit-graph"));
    repository.writeGraph("--split=no-merge");
    repository.add(COMMITS);
    repository.writeGraph("--split=no-merge");
    const names = readFileSync(
      join(repository.git.path, "objects/info/commit-graphs/commit-graph-chain"),
      "latin1",
    );
    chain = names.trim().split("\n").map((name) =>
      readFileSync(join(repository.git.path, `objects/info/commit-graphs/graph-${name}.graph`))
    );
  });
  after(() => removeFolder(folder));

  const chainFiles = () => chain.map((bytes) => fileOf(bytes, nameOf(bytes)));

  it("was sound before", async () => {
    await walkAll((await readOrRefuse([fileOf(single)]))!);
    assert.equal(chain.length, 2);
    await walkAll((await readOrRefuse(chainFiles()))!);
  });

  it("is refused for each of 2,000 changes of bytes", async () => {
    const random = createRandom(1);
    for (let i = 0; i < MUTATIONS; i++) {
      const bytes = mutated(single, random);
      if (!bytes.equals(single)) assert.equal(await readOrRefuse([fileOf(bytes)]), undefined);
    }
  });

  it("is refused or has walks that end, for each of 2,000 changes with a right checksum", async () => {
    const random = createRandom(2);
    let refused = 0;
    for (let i = 0; i < MUTATIONS; i++) {
      const columns = await readOrRefuse([fileOf(repaired(mutated(single, random)))]);
      if (columns === undefined) refused++;
      else await walkAll(columns);
    }
    assert.ok(refused > MUTATIONS / 2 && refused < MUTATIONS, `${refused} were refused`);
  });

  it("is refused or has walks that end, for each of 2,000 changes of a chain with right checksums", async () => {
    const random = createRandom(3);
    for (let i = 0; i < MUTATIONS; i++) {
      const [base, top] = [chain[0]!, repaired(mutated(chain[1]!, random))];
      const columns = await readOrRefuse([fileOf(base, nameOf(base)), fileOf(top, nameOf(top))]);
      if (columns !== undefined) await walkAll(columns);
    }
  });

  it("is refused when a commit is its own ancestor", async () => {
    const bytes = Buffer.from(single);
    const at = chunkAt(bytes, "CDAT");
    for (let i = 0; i < COMMITS; i++) {
      // The first parent of each commit with one is the commit itself.
      const parent = at + i * 36 + 20;
      if (bytes.readUInt32BE(parent) === 0x7000_0000) continue;
      bytes.writeUInt32BE(i, parent);
      break;
    }
    assert.equal(await readOrRefuse([fileOf(repaired(bytes))]), undefined);
  });

  it("is refused when several commits share a list of parents, or the list has no end", async () => {
    const [at, edges] = [chunkAt(single, "CDAT"), chunkAt(single, "EDGE")];
    const octopuses = Array.from({ length: COMMITS }, (_, i) => at + i * 36 + 24)
      .filter((second) => single.readUInt32BE(second) >= 0x8000_0000);
    assert.ok(octopuses.length > 1);
    const shared = Buffer.from(single);
    for (let i = 0; i < COMMITS; i++) {
      if (shared.readUInt32BE(at + i * 36 + 20) !== 0x7000_0000) {
        shared.writeUInt32BE(0x8000_0000, at + i * 36 + 24);
      }
    }
    assert.equal(await readOrRefuse([fileOf(repaired(shared))]), undefined);
    const endless = Buffer.from(single);
    for (let place = edges; place < edges + chunkLength(single, "EDGE"); place += 4) endless[place]! &= 0x7f;
    assert.equal(await readOrRefuse([fileOf(repaired(endless))]), undefined);
  });

  it("is refused when a time is 0 or before 1970, which git cannot store", async () => {
    for (const [high, low] of [[0, 0], [3, 0xffff_ffff]] as const) {
      const bytes = Buffer.from(single);
      const at = chunkAt(bytes, "CDAT") + 28;
      bytes.writeUInt32BE((bytes.readUInt32BE(at) & ~3 | high) >>> 0, at);
      bytes.writeUInt32BE(low, at + 4);
      assert.equal(await readOrRefuse([fileOf(repaired(bytes))]), undefined);
    }
  });

  it("is refused when the files of a chain are others, are in another order or have the same commits", async () => {
    const [base, top] = chain as [Buffer, Buffer];
    const files = chainFiles();
    assert.equal(await readOrRefuse(files.toReversed()), undefined);
    assert.equal(await readOrRefuse([fileOf(base, nameOf(top)), files[1]!]), undefined);
    assert.equal(await readOrRefuse([files[1]!]), undefined);
    assert.equal(await readOrRefuse([fileOf(single)], COMMITS - 1), undefined);
    assert.equal(await readOrRefuse(Array(MAX_GRAPH_FILES + 1).fill(fileOf(single))), undefined);
  });

  it("is read in parts when it is long, and chunks that nobody knows are passed over", async () => {
    const bytes = withChunk(single, 9 * 2 ** 20);
    const sound = (await readOrRefuse([fileOf(bytes)]))!;
    assert.deepEqual(sound, await readOrRefuse([fileOf(single)]));
    bytes[bytes.length - 100]! ^= 1;
    assert.equal(await readOrRefuse([fileOf(bytes)]), undefined);
    assert.notEqual(await readOrRefuse([fileOf(repaired(bytes))]), undefined);
    let largest = 0;
    const file = fileOf(bytes);
    const read = (into: Uint8Array, position: number) => {
      largest = Math.max(largest, into.length);
      return file.read(into, position);
    };
    assert.notEqual(await readOrRefuse([{ size: file.size, read }]), undefined);
    assert.ok(largest <= 2 ** 16, `${largest} bytes at once`);
  });

  it("is not read further when it is huge", async () => {
    let read = 0;
    const huge: GraphFile = {
      size: 2 ** 40,
      read: (into) => {
        read += into.length;
        return into.length;
      },
    };
    assert.equal(await readOrRefuse([huge]), undefined);
    assert.equal(read, 0);
    const claims = Buffer.from(single);
    claims.writeUInt32BE(0xffff_ffff, chunkAt(single, "OIDF") + 255 * 4);
    assert.equal(await readOrRefuse([fileOf(repaired(claims))]), undefined);
  });
});

/** The file with one more chunk at its end, of a kind that nobody knows. */
function withChunk(bytes: Buffer, length: number): Buffer {
  const count = bytes[6]!;
  const [tableEnd, end] = [8 + 12 * count, bytes.length - CHECKSUM_BYTES];
  const table = Buffer.from(bytes.subarray(0, tableEnd + 24));
  table[6] = count + 1;
  for (let at = 8; at < tableEnd; at += 12) {
    table.writeBigUInt64BE(table.readBigUInt64BE(at + 4) + 12n, at + 4);
  }
  table.write("XTRA", tableEnd, "latin1");
  table.writeBigUInt64BE(BigInt(end + 12), tableEnd + 4);
  table.writeUInt32BE(0, tableEnd + 12);
  table.writeBigUInt64BE(BigInt(end + 12 + length), tableEnd + 16);
  const chunks = bytes.subarray(tableEnd + 12, end);
  return repaired(Buffer.concat([table, chunks, Buffer.alloc(length + CHECKSUM_BYTES)]));
}

/** Position of a chunk. */
function chunkAt(bytes: Buffer, id: string): number {
  return Number(bytes.readBigUInt64BE(entryOf(bytes, id) + 4));
}

function chunkLength(bytes: Buffer, id: string): number {
  return Number(bytes.readBigUInt64BE(entryOf(bytes, id) + 16)) - chunkAt(bytes, id);
}

/** Position of a chunk's entry in the table of chunks. */
function entryOf(bytes: Buffer, id: string): number {
  for (let at = 8;; at += 12) if (bytes.toString("latin1", at, at + 4) === id) return at;
}
