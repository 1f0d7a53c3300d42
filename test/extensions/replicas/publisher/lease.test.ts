/** The lease of a bucket: one publisher at a time, without a clock that two of them share. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import type { Bucket, BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import { LEASE_KEY } from "../../../../extensions/replicas/format/keys.ts";
import {
  Lease,
  LEASE_MS,
  LostLease,
  type PublisherClock,
  type TakeOptions,
} from "../../../../extensions/replicas/publisher/lease.ts";
import { ALICE, BOB, createWorld } from "../../../support/world.ts";
import { ScriptedBucket, wrapBucket } from "./scripted_bucket.ts";
import { createTestPublisher } from "./test_publisher.ts";

/** Publishers on one clock, which a test moves. */
class Clock {
  nowMs = 0;
  readonly #timers = new Map<() => void, number>();

  /** A clock that is ahead by some time: no publisher knows the time of another one. */
  of(aheadMs: number): PublisherClock {
    const pause = (ms: number) =>
      new Promise<void>((resolve) => void this.#timers.set(resolve, this.nowMs + ms));
    return { nowMs: () => this.nowMs + aheadMs, pause };
  }

  /** Lets time pass, and all that waits for it happen. */
  async pass(ms: number): Promise<void> {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs;) {
      this.nowMs = Math.min(endMs, this.nowMs + 500);
      for (const [resolve, atMs] of [...this.#timers]) {
        if (atMs > this.nowMs) continue;
        this.#timers.delete(resolve);
        resolve();
      }
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
}

/** Time in which there are several beats, and after which a lost lease is another publisher's, in milliseconds. */
const MINUTE_MS = 60_000;
/** Time after which another publisher has the lease of a publisher that was killed, in milliseconds. */
const TAKEN_MS = 15_000;
const WAITING: TakeOptions = { described: undefined, waits: true };

function open(bucket: Bucket, clock: Clock, aheadMs = 0): Lease {
  return new Lease(bucket, clock.of(aheadMs), ALICE);
}

describe("the lease of a bucket", () => {
  it("is taken at once when it is free, or its holder gave it back", async () => {
    const [bucket, clock] = [createMemoryBucket(), new Clock()];
    const [first, second] = [open(bucket, clock), open(bucket, clock, 1e9)];
    const { isNew, isTakenOver } = await first.take(WAITING);
    assert.deepEqual([isNew, isTakenOver], [true, false]);
    first.check();
    await first.release();
    assert.throws(() => first.check(), LostLease);
    assert.deepEqual((await first.take(WAITING)).isNew, false, "nobody had it meanwhile");
    await first.release();
    assert.equal((await second.take(WAITING)).isNew, true);
    await second.release();
    assert.equal((await first.take(WAITING)).isNew, true);
  });

  it("is taken within 15 seconds of a kill, and not while beats come", async () => {
    const [bucket, clock, ending] = [createMemoryBucket(), new Clock(), new AbortController()];
    const [first, second] = [open(bucket, clock, 7e8), open(bucket, clock)];
    await first.take(WAITING);
    const beats = first.keep(ending.signal);
    let taken: boolean | undefined;
    void second.take(WAITING).then(({ isTakenOver }) => taken = isTakenOver);
    await clock.pass(10 * LEASE_MS);
    first.check();
    assert.equal(taken, undefined);
    ending.abort();
    await clock.pass(TAKEN_MS);
    await beats;
    assert.equal(taken, true);
    await assert.rejects(first.confirm(), LostLease);
    second.check();
  });

  it("is not used any more by a holder whose beats fail, before another one takes it", async () => {
    const [inner, clock, ending] = [createMemoryBucket(), new Clock(), new AbortController()];
    let isAway = false;
    const bucket = wrapBucket(inner, () => {
      if (isAway) throw new Error("away");
    });
    const first = open(bucket, clock);
    await first.take(WAITING);
    const beats = first.keep(ending.signal);
    isAway = true;
    const sinceMs = clock.nowMs;
    const isHeld = () => {
      try {
        first.check();
        return true;
      } catch (error) {
        assert.ok(error instanceof LostLease);
        return false;
      }
    };
    while (isHeld()) await clock.pass(1000);
    assert.ok(clock.nowMs - sinceMs < LEASE_MS, `${clock.nowMs - sinceMs} ms`);
    isAway = false;
    assert.equal((await first.take(WAITING)).isNew, false, "nobody had it meanwhile");
    first.check();
    ending.abort();
    await clock.pass(MINUTE_MS);
    await beats;
  });

  it("is lost when a beat meets the beat of another holder, and held when it meets its own", async () => {
    const [inner, clock, ending] = [createMemoryBucket(), new Clock(), new AbortController()];
    let isTwice = false;
    // A runtime that sends a put again when a connection ends.
    const bucket: Bucket = {
      ...inner,
      async put(key, bytes, options) {
        const put = await inner.put(key, bytes, options);
        return isTwice ? await inner.put(key, bytes, options) : put;
      },
    };
    const first = open(bucket, clock);
    await first.take(WAITING);
    const beats = first.keep(ending.signal);
    isTwice = true;
    await clock.pass(MINUTE_MS);
    isTwice = false;
    await clock.pass(MINUTE_MS);
    first.check();
    const found = await inner.get(LEASE_KEY);
    assert.ok(typeof found === "object");
    const record = { ...JSON.parse(new TextDecoder().decode(found.bytes)), holder: "another", number: 2 };
    await inner.put(LEASE_KEY, new TextEncoder().encode(JSON.stringify(record)));
    await clock.pass(MINUTE_MS);
    assert.throws(() => first.check(), LostLease);
    ending.abort();
    await clock.pass(MINUTE_MS);
    await beats;
  });

  it("is refused to another node, and to a publisher that does not wait while beats come", async () => {
    const [bucket, clock, ending] = [createMemoryBucket(), new Clock(), new AbortController()];
    const first = open(bucket, clock);
    await first.take(WAITING);
    const stranger = new Lease(bucket, clock.of(0), BOB);
    await assert.rejects(stranger.take(WAITING), (error: BucketError) => error.obstacle === "denied");
    const beats = first.keep(ending.signal);
    const busy = assert.rejects(
      open(bucket, clock).take({ ...WAITING, waits: false }),
      (error: BucketError) => error.obstacle === "unavailable",
    );
    await clock.pass(MINUTE_MS);
    await busy;
    ending.abort();
    await clock.pass(MINUTE_MS);
    await beats;
  });

  it("is free when it is damaged, or of an earlier version", async () => {
    for (const text of ["", "[", "null", '{"publishedAt":"2026-01-01T00:00:00Z"}', '{"holder":7}']) {
      const [bucket, clock] = [createMemoryBucket(), new Clock()];
      await bucket.put(LEASE_KEY, new TextEncoder().encode(text));
      await open(bucket, clock).take(WAITING);
    }
  });
});

describe("a publisher of a bucket without conditional puts", () => {
  it("says that no other publisher may use it", async () => {
    const said: string[] = [];
    const { storage } = createWorld();
    const bucket = wrapBucket(new ScriptedBucket().bucket, () => {}, false);
    await createTestPublisher(storage, bucket, { log: (_, message) => said.push(message) }).publishAll();
    assert.ok(said.some((message) => message.includes("no conditional puts")));
  });
});
