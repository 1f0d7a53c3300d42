/** How much of a multi-pack index a replica reads for an object: all of a short one, else head and page. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { LruMap } from "../../../../src/cache/lru_map.ts";
import { createUnpack } from "../../../../src/git/unpack.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { IndexHead } from "../../../../extensions/replicas/format/multi_pack_index.ts";
import { MultiPackIndexWriter } from "../../../../extensions/replicas/format/multi_pack_index_writer.ts";
import { IndexReader } from "../../../../extensions/replicas/storage/index_reader.ts";
import type { CachedBlock } from "../../../../extensions/replicas/storage/pack_blocks.ts";
import { type CachedPage, pageWeight } from "../../../../extensions/replicas/storage/pack_reader.ts";
import { BucketReads } from "../../../../extensions/replicas/storage/reads.ts";
import { Limiter } from "../../../../src/scheduling/limiter.ts";
import { scheduler } from "../../../../src/scheduling/scheduler.ts";
import { randomNumbers } from "../format/fuzz.ts";

const KEY = "index";
const BLOCKS = 50_000;

/** An index of random objects in a bucket, and a reader of it that notes its reads. */
async function openIndex(objects: number) {
  const writer = new MultiPackIndexWriter();
  writer.addPack(new Uint8Array(10), { blocks: BLOCKS });
  const random = randomNumbers(objects);
  /** Blocks of some objects, by the first digits of their ids, which no other object has. */
  const wanted = new Map<string, number>();
  const starts = new Set<number>();
  while (starts.size < objects) {
    const start = Math.floor(random() * 2 ** 32);
    if (starts.has(start)) continue;
    starts.add(start);
    const block = Math.floor(random() * BLOCKS);
    if (wanted.size < 200) wanted.set(start.toString(16).padStart(8, "0"), block);
    writer.add(start, { pack: 0, block });
  }
  const { index, bytes } = (await writer.finish((columns) => zlibSync(columns, { level: 1 })))!;
  const memory = createMemoryBucket();
  await memory.put(KEY, bytes);
  const read: { readonly start: number; readonly end: number }[] = [];
  const bucket: Bucket = {
    ...memory,
    get(key, options) {
      if (options?.range !== undefined) read.push(options.range);
      return memory.get(key, options);
    },
  };
  const pages = new LruMap<number, CachedPage>(2 ** 26, pageWeight);
  const reads = new BucketReads({ bucket });
  const [blocks, slowBlocks] = [new LruMap<number, CachedBlock>(0), new Limiter({ atOnce: 1 })];
  const context = { reads, pages, unpack: createUnpack(), scheduler, slowBlocks, blocks };
  const reader = new IndexReader(index, KEY, context, 1);
  const find = async (digits: string) => (await reader.find(digits.padEnd(40, "0") as Oid))[0]?.block;
  return { index, bytes, reader, find, read, wanted };
}

describe("a reader of a multi-pack index", () => {
  it("reads a short one at once", async () => {
    const { index, find, read, wanted } = await openIndex(10_000);
    for (const [digits, block] of wanted) assert.equal(await find(digits), block);
    assert.deepEqual(read, [{ start: 0, end: index.bytes }]);
  });

  it("reads the head of a long one, and each page once that is needed", async () => {
    const { index, bytes, reader, find, read, wanted } = await openIndex(550_000);
    const head = new IndexHead(bytes.subarray(0, index.headBytes), index);
    for (let round = 0; round < 2; round++) {
      for (const [digits, block] of wanted) assert.equal(await find(digits), block);
    }
    const needed = new Set([...wanted.keys()].map((digits) => head.pageOf(digits.padEnd(40, "0") as Oid)));
    assert.equal(read.length, 1 + needed.size);
    assert.deepEqual(read[0], { start: 0, end: index.headBytes });
    assert.ok(read.slice(1).every(({ start, end }) => start >= index.headBytes && end - start < 2 ** 15));
    assert.ok(reader.weight < 2 ** 16, `${reader.weight} bytes besides the pages`);
  });
});
