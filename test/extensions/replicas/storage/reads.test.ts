/** Reads of a bucket that is away: each of them ends in time, also one that waits for its place. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { DamagedError, UnavailableError } from "../../../../src/errors.ts";
import type { CacheFolder } from "../../../../src/ports/cache_folder.ts";
import {
  BucketReads,
  MAX_SAVED_AT_ONCE_BYTES,
  SAVE_BYTES,
} from "../../../../extensions/replicas/storage/reads.ts";
import { FakeTimers } from "../../../support/fake_timers.ts";
import { silentBucket } from "../../../support/silent_bucket.ts";

const LIMIT_BYTES = 100;
const bytes = new TextEncoder().encode("content");

async function openReads() {
  const timers = new FakeTimers();
  const memory = createMemoryBucket();
  await memory.put("key", bytes);
  const bucket = silentBucket(memory);
  const { startTimer, now } = timers;
  const reads = new BucketReads({ bucket: bucket.bucket, startTimer, now });
  const document = (key = "key") => reads.document(key, LIMIT_BYTES, undefined);
  /** Outcomes of many reads, with their times. */
  const outcomes = (count: number, read: (i: number) => Promise<unknown>) => {
    const ended: { readonly atMs: number; readonly isUnavailable: boolean }[] = [];
    for (let i = 0; i < count; i++) {
      void read(i).then(() => false, isUnavailable).then((isUnavailable) =>
        ended.push({ atMs: timers.nowMs, isUnavailable })
      );
    }
    return ended;
  };
  return { timers, bucket, reads, document, outcomes };
}

const isUnavailable = (error: unknown) => error instanceof UnavailableError && error.retryAfterSeconds! >= 1;

/** Reads that a silent bucket has at a time, and the time of one of them. */
async function measureReads() {
  const { timers, bucket, document, outcomes } = await openReads();
  bucket.isSilent = true;
  const ended = outcomes(1000, (i) => document(`key-${i}`));
  await timers.advance(1);
  const atOnce = bucket.underWay;
  await timers.advance(9_999);
  return { atOnce, timeoutMs: ended[0]!.atMs };
}

const { atOnce, timeoutMs } = await measureReads();

describe("reads of a bucket that has fallen silent", () => {
  it("all end within the time of one, however many wait for a place", async () => {
    const { timers, bucket, document, outcomes, reads } = await openReads();
    bucket.isSilent = true;
    assert.ok(atOnce > 1 && atOnce < 1000, `${atOnce} reads`);
    const ended = outcomes(5 * atOnce, (i) => document(`key-${i}`));
    await timers.advance(timeoutMs - 1);
    assert.equal(ended.length, 0);
    assert.equal(bucket.underWay, atOnce);
    await timers.advance(1);
    assert.equal(ended.length, 5 * atOnce);
    assert.ok(ended.every(({ atMs, isUnavailable }) => atMs === timeoutMs && isUnavailable));
    assert.equal(timers.running, 0);
    assert.ok(!reads.isReading);
  });

  it("have the time that is left when their place comes late", async () => {
    const { timers, bucket, document, outcomes } = await openReads();
    bucket.isSilent = true;
    const first = outcomes(atOnce, (i) => document(`key-${i}`));
    await timers.advance(timeoutMs - 10);
    const second = outcomes(1, () => document());
    await timers.advance(10);
    assert.equal(first.length, atOnce);
    assert.equal(bucket.underWay, 1, "it has its place");
    await timers.advance(timeoutMs - 10);
    assert.deepEqual(second, [{ atMs: 2 * timeoutMs - 10, isUnavailable: true }]);
  });

  it("begin in the order in which they came when the bucket is back", async () => {
    const { timers, bucket, document, outcomes } = await openReads();
    bucket.isSilent = true;
    outcomes(atOnce, (i) => document(`key-${i}`));
    await timers.advance(timeoutMs / 2);
    const order: number[] = [];
    for (let i = 0; i < 50; i++) void document().then(() => order.push(i));
    bucket.isSilent = false;
    await timers.advance(timeoutMs / 2);
    assert.deepEqual(order, [...Array(50).keys()]);
  });

  it("do not wait for a read that a host has dropped", async () => {
    const { timers, bucket, reads } = await openReads();
    const part = () => reads.part("key", { start: 0, end: bytes.length }, (bytes) => bytes.length);
    // The host drops the work of a request together with its timer.
    bucket.isSilent = true;
    bucket.dropsSignals = true;
    for (let i = 0; i < atOnce; i++) void part().catch(() => {});
    await timers.advance(0);
    assert.equal(bucket.underWay, 1, "one for all");
    bucket.isSilent = false;
    await timers.advance(2 * timeoutMs);
    assert.equal(await part(), bytes.length);
    assert.ok(!reads.isReading);
  });
});

describe("a part that was saved, and proves wrong", () => {
  it("is forgotten when the bucket has nothing better", async () => {
    const memory = createMemoryBucket();
    await memory.put("key", bytes);
    const saved = new Map<string, Uint8Array<ArrayBuffer>>();
    const cacheFolder: CacheFolder = {
      read: (name) => saved.get(name),
      write: (name, content) => void saved.set(name, Uint8Array.from(content)),
    };
    const reads = new BucketReads({ bucket: memory, cacheFolder });
    const range = { start: 0, end: bytes.length };
    await reads.part("key", range, (read) => assert.deepEqual(read, bytes));
    assert.deepEqual([...saved.values()], [bytes]);
    const isWrong = () => {
      throw new DamagedError("wrong");
    };
    await assert.rejects(reads.part("key", range, isWrong), isUnavailable);
    assert.deepEqual([...saved.values()], [new Uint8Array()]);
  });
});

describe("a folder that is slow to save", () => {
  it("is given no more than so many bytes at a time, and what damaged bytes are to be forgotten", async () => {
    const memory = createMemoryBucket();
    await memory.put("key", bytes);
    const writing: { name: string; end: () => void }[] = [];
    const cacheFolder: CacheFolder = {
      read: () => undefined,
      write: (name) => new Promise((end) => void writing.push({ name, end })),
    };
    const reads = new BucketReads({ bucket: memory, cacheFolder });
    const range = { start: 0, end: bytes.length };
    const read = () => reads.part("key", range, (bytes) => bytes);
    const most = Math.floor(MAX_SAVED_AT_ONCE_BYTES / (SAVE_BYTES + bytes.length));
    for (let i = 0; i < most + 10; i++) assert.deepEqual(await read(), bytes);
    assert.equal(writing.length, most);
    const isWrong = () => {
      throw new DamagedError("wrong");
    };
    await assert.rejects(reads.part("key", range, isWrong), isUnavailable);
    assert.equal(writing.length, most + 1);
    for (const { end } of writing.splice(0)) end();
    await setImmediate();
    await read();
    assert.equal(writing.length, 1);
  });
});
