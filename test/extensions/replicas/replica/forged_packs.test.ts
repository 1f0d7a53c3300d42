/**
 * A bucket whose multi-pack index or packs have the digests that the manifest says, and are wrong nevertheless: as of a publisher with a mistake,
 * or of somebody who may write into the bucket. Each answer is right, or says that it is unavailable, and costs few reads.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { zlibSync } from "fflate";
import type { Oid } from "../../../../src/ids/oid.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { contentKey, manifestKey, sha256Of } from "../../../../extensions/replicas/format/keys.ts";
import {
  type Manifest,
  manifestOf,
  type PublishedPack,
} from "../../../../extensions/replicas/format/manifest.ts";
import { digestOf } from "../../../../extensions/replicas/format/sealed_json.ts";
import { createReplica } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { CountingBucket } from "../../../support/published.ts";
import {
  ALICE,
  ALICE_SEED,
  createRepository,
  publish,
  putCommit,
  setHead,
  START_SECONDS,
} from "../../../support/world.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { forgePack, formatIndex, type Index, packRows, parseIndex, type Records } from "./forged_packs.ts";

/** Most reads of the bucket for an answer. */
const MOST_READS = 40;
const COMMITS = 900;

const rowsOf = ({ pages }: Index) => pages[0]!.rows;
const INDEX_FORGERIES: Readonly<Record<string, (index: Index) => void>> = {
  "a page with a wrong digest": ({ pages }) => void (pages[0]!.digest = "0".repeat(64)),
  "a page that is cut": ({ pages }) => void (pages[0]!.packed = packRows(pages[0]!.rows).slice(0, -9)),
  "a page that is no zlib stream": ({ pages }) => void (pages[0]!.packed = new Uint8Array(500).fill(7)),
  "an empty page that has objects": ({ pages }) => void (pages[0]!.packed = new Uint8Array()),
  "a page in another order": (index) => void rowsOf(index).reverse(),
  "a page with two rows in another order": (index) => {
    const rows = rowsOf(index);
    [rows[50], rows[400]] = [rows[400]!, rows[50]!];
  },
  "a page of one id": (index) => rowsOf(index).forEach((row) => row[0] = rowsOf(index)[9]![0]),
  "the same page twice": ({ pages }) => void (pages[1]!.rows = pages[0]!.rows),
  "pages in another order": ({ pages }) => void pages.reverse(),
  "pages that count more objects than they have": ({ pages }) => {
    pages[0]!.count = pages[0]!.rows.length + 5;
    pages[1]!.count = pages[1]!.rows.length - 5;
  },
  "a page that counts all objects there may be": (index) => {
    index.pages[0]!.count = 2 ** 32 - 1;
  },
  "a huge page": (index) => {
    const rows = 2 ** 26;
    index.pages[0]!.packed = zlibSync(new Uint8Array(2 ** 20));
    index.pages[0]!.count = rows;
    index.objects = rows + index.pages.slice(1).reduce((sum, { rows }) => sum + rows.length, 0);
  },
  "another number of objects": (index) => void index.objects++,
  "slots of other blocks": (index) => {
    const slots = rowsOf(index).map(([, slot]) => slot);
    rowsOf(index).forEach((row, i) => row[1] = slots[(i + 1) % slots.length]!);
  },
  "slots behind all packs": (index) => rowsOf(index).forEach((row) => row[1] = 2 ** 24 - 1),
  "slots of objects without a block": (index) => {
    const last = index.packs[0]!.blocks;
    rowsOf(index).forEach((row) => row[1] = last);
  },
  "more blocks of a pack than it has": ({ packs }) => void (packs[0]!.blocks += 1000),
  "heads of other packs": ({ packs }) => {
    const heads = packs.map(({ head }) => head);
    packs.forEach((pack, i) => pack.head = heads[(i + 1) % heads.length]!);
  },
  "heads without bytes": ({ packs }) => packs.forEach((pack) => pack.head = new Uint8Array()),
  "no packs": (index) => {
    index.packs = [];
    index.pages.forEach((page) => page.rows.forEach((row) => row[1] = 0));
  },
  "fewer packs than the manifest says": (index) => {
    const { blocks } = index.packs.pop()!;
    const limit = index.packs.reduce((sum, { blocks }) => sum + blocks + 1, 0);
    assert.ok(blocks > 0);
    for (const { rows } of index.pages) rows.forEach((row) => row[1] = Math.min(row[1], limit - 1));
  },
  "fewer pages than it says": (index) => void (index.bits += 4),
  "more pages than there can be": (index) => void (index.bits = 2 ** 31),
};

const setBlock = (record: Uint8Array, block: number) => new DataView(record.buffer).setUint32(20, block);
const PACK_FORGERIES: Readonly<Record<string, (records: Records) => void>> = {
  "records in another order": (records) => void records.reverse(),
  "one record alone": (records) => records.forEach((record) => record.set(records[0]!)),
  "a record twice": (records) => records[1]!.set(records[0]!),
  "blocks behind the pack": (records) => records.forEach((record) => setBlock(record, 2 ** 20)),
  "other blocks": (records) =>
    records.forEach((record) => setBlock(record, new DataView(record.buffer).getUint32(20) ? 0 : 1)),
  "places behind the blocks": (records) =>
    records.forEach((record) => new DataView(record.buffer).setUint32(24, 2 ** 31)),
  "kinds that there are not": (records) => records.forEach((record) => record[29] = 9),
  "other kinds": (records) => records.forEach((record) => record[29] = (record[29]! + 1) % 4),
  "other sizes": (records) => records.forEach((record) => record[35]! ^= 1),
  "a huge size": (records) => records.forEach((record) => record[31] = 1),
};

describe("a bucket with a lie that has its digest", () => {
  const bucket = new CountingBucket(createMemoryBucket());
  const storage = createMemoryStorage();
  const repository = createRepository(storage, { name: "forged" });
  const { rid } = repository;
  const commits: Oid[] = [];
  let honest: Manifest;
  let index: Uint8Array<ArrayBuffer>;
  const right = new Map<string, string>();
  const absent = "ab".repeat(20);
  let paths: readonly string[];

  before(async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < COMMITS; i++) {
      files[`file${i % 9}.txt`] = `${i}\n`.repeat(20 + i % 7);
      commits.push(putCommit(repository, {
        folder: { ...files },
        parents: commits.slice(-1),
        message: `Commit ${i}\n`,
        timeSeconds: START_SECONDS + i,
      }));
    }
    setHead(repository, commits.at(-1)!);
    publish(repository, ALICE_SEED, { master: commits.at(-1)! });
    const node = {
      node: createAbsentNode(),
      profile: { nodeId: ALICE, alias: "alice", pinned: () => [rid] },
    };
    const publisher = createTestPublisher(storage, bucket, { packBytes: 30_000, node });
    assert.equal((await publisher.publishAll()).failed, 0);
    honest = manifestOf(rid).decode((await get(manifestKey(rid)))!);
    assert.ok(honest.packs.length > 3 && honest.index !== null, `${honest.packs.length} packs`);
    index = (await get(contentKey(rid, "index", honest.index.sha256)))!;
    assert.ok(parseIndex(index).pages.length > 1);
    paths = [
      "",
      ...[0, 400, COMMITS - 1].flatMap((i) => [
        `/commits/${commits[i]}`,
        `/tree/${commits[i]}/`,
        `/blob/${commits[i]}/file${i % 9}.txt`,
      ]),
      `/commits/${absent}`,
    ];
    const replica = await open();
    for (const path of paths) {
      const { status, text } = await ask(replica, path);
      assert.equal(status, path.endsWith(absent) ? 404 : 200, path);
      right.set(path, text);
    }
    await replica.close();
  });

  async function get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const found = await bucket.get(key);
    return found === undefined || found === "unchanged" ? undefined : new Uint8Array(found.bytes);
  }

  const open = () =>
    createReplica(bucket, {
      loadLibgit2: () => Promise.reject(new Error("not needed")),
      environment: { now: () => 1000 * START_SECONDS },
    });

  async function ask(replica: Awaited<ReturnType<typeof open>>, path: string) {
    const response = await replica.fetch(new Request(`http://localhost/api/v1/projects/${rid}${path}`));
    const { status, headers } = response;
    return { status, isRetried: headers.has("retry-after"), text: await response.text() };
  }

  /** Puts a manifest, asks for all in several orders of what is in memory, and puts the honest one back. */
  async function checkAnswers(manifest: Manifest): Promise<void> {
    await bucket.put(manifestKey(rid), manifestOf(rid).encode(manifest));
    try {
      for (const order of [paths, paths.toReversed()]) {
        const replica = await open();
        for (const path of [...order, ...order]) {
          bucket.reset();
          const { status, isRetried, text } = await ask(replica, path);
          assert.ok(bucket.reads <= MOST_READS, `${path}: ${bucket.reads} reads`);
          if (status === 503 && isRetried) continue;
          assert.equal(text, right.get(path), `${path}: ${status}`);
        }
        await replica.close();
      }
    } finally {
      await bucket.put(manifestKey(rid), manifestOf(rid).encode(honest));
    }
  }

  for (const [name, forge] of Object.entries(INDEX_FORGERIES)) {
    it(`in its multi-pack index: ${name}`, async () => {
      const forged = parseIndex(index);
      forge(forged);
      const { bytes, headBytes } = formatIndex(forged);
      const sha256 = sha256Of(bytes);
      await bucket.put(contentKey(rid, "index", sha256), bytes);
      const headDigest = digestOf(bytes.subarray(0, headBytes));
      const line = { sha256, bytes: bytes.length, headBytes, headDigest, objects: forged.objects };
      await checkAnswers({ ...honest, index: line });
    });
  }

  it("in its multi-pack index: it is a pack, or itself one of the packs", async () => {
    const [pack] = honest.packs;
    const bytes = (await get(contentKey(rid, pack!.kind, pack!.sha256)))!;
    await bucket.put(contentKey(rid, "index", pack!.sha256), bytes);
    await checkAnswers({ ...honest, index: indexLine(pack!) });
    const own = honest.index!;
    await bucket.put(contentKey(rid, "history", own.sha256), index);
    await checkAnswers({
      ...honest,
      packs: [{ ...own, kind: "history", madeAtMs: 0, inIndex: pack!.inIndex! }, ...honest.packs.slice(1)],
    });
  });

  it("in its manifest: packs that share a number in the index, or have one that it does not have", async () => {
    const renumbered = (number: (pack: PublishedPack) => number) => ({
      ...honest,
      packs: honest.packs.map((pack) =>
        pack.inIndex === undefined ? pack : { ...pack, inIndex: number(pack) }
      ),
    });
    await checkAnswers(renumbered(() => 0));
    await checkAnswers(renumbered(({ inIndex }) => inIndex! + 500));
  });

  for (const [name, forge] of Object.entries(PACK_FORGERIES)) {
    it(`in the index of a pack: ${name}`, async () => {
      const packs: PublishedPack[] = [];
      for (const { inIndex: _, ...pack } of honest.packs) {
        const forged = forgePack((await get(contentKey(rid, pack.kind, pack.sha256)))!, pack, forge);
        await bucket.put(contentKey(rid, pack.kind, forged.pack.sha256), forged.bytes);
        packs.push(forged.pack);
      }
      await checkAnswers({ ...honest, packs, index: null });
    });
  }
});

/** The members of a pack's line that the line of an index has, too. */
function indexLine({ sha256, bytes, headBytes, headDigest, objects }: PublishedPack): Manifest["index"] {
  return { sha256, bytes, headBytes, headDigest, objects };
}
