/**
 * The lease: the object by which one publisher at a time may change a bucket. Nobody compares clocks: a
 * holder stores a new beat every few seconds, and a publisher that waits takes the lease when it has seen the
 * same tag for a whole period on its own clock. The README has the argument.
 */
import { pauseFor } from "../../../src/async/timer.ts";
import type { NodeId } from "../../../src/ids/nid.ts";
import { type Bucket, BucketError } from "../bucket/bucket.ts";
import { LEASE, type LeaseRecord } from "../format/lease_record.ts";

/** Time between two beats, in milliseconds. */
export const BEAT_MS = 5_000;
/** A holder begins no further change so long after its last beat, in milliseconds. */
export const HOLD_MS = 20_000;
/**
 * Time without a beat after which a publisher that waits takes the lease, in milliseconds: longer than
 * {@link HOLD_MS} and a call of the bucket take together.
 */
export const LEASE_MS = 45_000;
/** Time between two looks of a publisher that waits, in milliseconds. */
export const POLL_MS = 2_000;

/**
 * The work of a publisher after a pause: its next step, a look beside publications under way, a look at the
 * lease of another publisher, or its own next beat.
 */
export type AfterPause = "step" | "look" | "lease" | "beat";

/** The clock of a publisher. */
export interface PublisherClock {
  /** Milliseconds since any point in time. They never run backwards. */
  nowMs(): number;
  /** Waits until the time is over or the signal is aborted. */
  pause(ms: number, signal: AbortSignal | undefined, next: AfterPause): Promise<void>;
}

/** The clock of the system. */
export const SYSTEM_CLOCK: PublisherClock = {
  nowMs: () => performance.now(),
  pause: (ms, signal) => pauseFor(ms, signal),
};

interface FoundLease {
  readonly record: Partial<LeaseRecord>;
  readonly etag: string;
  readonly modifiedMs: number;
}

/** Another publisher has the lease, or may have it by now. */
export class LostLease extends BucketError {
  constructor() {
    super("unavailable", "Another publisher may be at work on this bucket");
  }
}

/** How a lease was taken. */
export interface TakenLease {
  /** Number of the lease: no other holder has it. */
  readonly number: number;
  /** Whether another publisher may have changed the bucket since this one had the lease. */
  readonly isNew: boolean;
  /** Whether the last holder did not give the lease back: calls of it may be under way. */
  readonly isTakenOver: boolean;
  /** The time by the clock of the bucket. */
  readonly bucketMs: number;
}

/** Options of {@link Lease.take}. */
export interface TakeOptions {
  /** The node that is described in the bucket: it is this node's, whatever the lease says. */
  readonly described: NodeId | undefined;
  /** Waits as long as another publisher is at work. */
  readonly waits: boolean;
  readonly onWait?: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** The lease of a bucket as one publisher sees it. */
export class Lease {
  readonly #bucket: Bucket;
  readonly #clock: PublisherClock;
  readonly #nodeId: NodeId | undefined;
  readonly #holder: string = crypto.randomUUID();
  /** The lease as this publisher has stored it last. */
  #own: { readonly record: LeaseRecord; readonly etag: string } | undefined;
  /** When the last beat began that was stored. */
  #beatAtMs = -Infinity;
  #isLost = true;

  /** @param nodeId Without it, the bucket gets no owner. */
  constructor(bucket: Bucket, clock: PublisherClock, nodeId: NodeId | undefined) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#nodeId = nodeId;
  }

  /**
   * Takes the lease.
   *
   * @throws {BucketError} when the bucket fails, as `denied` when it is another node's, and as `unavailable`
   *   when another publisher is at work and this one does not wait.
   */
  async take({ described, waits, onWait, signal }: TakeOptions): Promise<TakenLease> {
    for (let seen: { readonly etag: string | undefined; readonly atMs: number } | undefined;;) {
      signal?.throwIfAborted();
      const found = await this.#read();
      this.#requireOwner(described ?? found?.record.nodeId);
      const { holder = null, number = 0 } = found?.record ?? {};
      const nowMs = this.#clock.nowMs();
      if (seen === undefined || seen.etag !== found?.etag) {
        if (seen !== undefined && !waits && holder !== null) throw isBusy();
        seen = { etag: found?.etag, atMs: nowMs };
      }
      const isOwn = holder === this.#holder;
      if (holder !== null && !isOwn && nowMs - seen.atMs < LEASE_MS) {
        onWait?.();
        await this.#clock.pause(POLL_MS, signal, "lease");
        continue;
      }
      const isNew = this.#own === undefined || number !== this.#own.record.number;
      const own = isNew ? number + 1 : number;
      if (!await this.#store(found, own)) continue;
      // Without conditional puts another publisher may have put its own at the same time.
      const after = await this.#read();
      if (after?.record.holder !== this.#holder) continue;
      this.#requireOwner(described ?? after.record.nodeId);
      this.#isLost = false;
      return { number: own, isNew, isTakenOver: holder !== null && !isOwn, bucketMs: after.modifiedMs };
    }
  }

  /** Stores beats until the signal is aborted. Never rejects: who has no beat stored loses the lease. */
  async keep(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.pause(BEAT_MS, signal, "beat");
      if (signal.aborted) return;
      await this.#beat().catch(() => {});
    }
  }

  /**
   * Looks whether this publisher may begin a change, without a call of the bucket.
   *
   * @throws {LostLease}
   */
  check(): void {
    if (this.#isLost || this.#clock.nowMs() - this.#beatAtMs >= HOLD_MS) throw new LostLease();
  }

  /**
   * Looks in the bucket whether this publisher still has the lease.
   *
   * @throws {LostLease}
   * @throws {BucketError}
   */
  async confirm(): Promise<void> {
    const found = await this.#read();
    const { holder, number } = found?.record ?? {};
    if (holder === this.#holder && number === this.#own?.record.number) return;
    this.#isLost = true;
    throw new LostLease();
  }

  /** Gives the lease back, so that the next publisher need not wait. */
  async release(): Promise<void> {
    if (this.#isLost || this.#own === undefined) return;
    this.#isLost = true;
    const { record, etag } = this.#own;
    await this.#put({ ...record, holder: null }, etag).catch(() => {});
  }

  async #beat(): Promise<void> {
    if (this.#isLost || this.#own === undefined) return;
    const { record, etag } = this.#own;
    if (await this.#store({ record, etag }, record.number)) return;
    // A runtime may have sent the put twice: then the conflict is with this publisher's own beat.
    await this.confirm();
    const found = await this.#read();
    if (found !== undefined) await this.#store(found, record.number);
  }

  /** Stores a beat in place of what was found; `false` when it has changed meanwhile. */
  async #store(found: Pick<FoundLease, "record" | "etag"> | undefined, number: number): Promise<boolean> {
    const startedMs = this.#clock.nowMs();
    const { nodeId, beat = 0 } = found?.record ?? {};
    const record = { nodeId: nodeId ?? this.#nodeId, holder: this.#holder, number, beat: beat + 1 };
    const etag = await this.#put(record, found?.etag);
    if (etag === undefined) return false;
    this.#own = { record, etag };
    this.#beatAtMs = startedMs;
    return true;
  }

  async #put(record: LeaseRecord, etag: string | undefined): Promise<string | undefined> {
    const put = await this.#bucket.put(LEASE.key, LEASE.encode(record), {
      ...await conditionOf(this.#bucket, etag),
      contentType: "application/json",
    });
    return put === "conflict" ? undefined : put.etag;
  }

  async #read(): Promise<FoundLease | undefined> {
    const object = await this.#bucket.get(LEASE.key, LEASE);
    if (object === undefined || object === "unchanged") return undefined;
    const { bytes, etag, modifiedMs } = object;
    return { record: LEASE.decode(bytes, modifiedMs), etag, modifiedMs };
  }

  #requireOwner(owner: NodeId | undefined): void {
    if (owner === undefined || this.#nodeId === undefined || owner === this.#nodeId) return;
    throw new BucketError("denied", `Node ${owner} publishes into this bucket: use a prefix of its own`);
  }
}

/** The condition that an object still has a tag, or is absent; none where the bucket knows no conditions. */
export async function conditionOf(
  bucket: Bucket,
  etag: string | undefined,
): Promise<{ readonly ifMatch?: string; readonly ifNoneMatch?: "*" }> {
  if (!await bucket.conditionalPuts()) return {};
  return etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: etag };
}

function isBusy(): BucketError {
  return new BucketError("unavailable", "Another publisher is at work on this bucket");
}
