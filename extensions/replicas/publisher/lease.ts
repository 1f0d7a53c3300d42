/**
 * The lease: an object with which only one publisher at a time changes a bucket. It works without a common
 * clock. The holder writes the object with a new number, the beat, every few seconds. A waiting publisher
 * takes the lease when the tag of the object has stayed the same for {@link LEASE_MS}, by the clock of the
 * waiting publisher. The README explains why this is safe.
 */
import { type NodeId, pauseFor } from "../../../src/mod.ts";
import { type Bucket, BucketError } from "../bucket/bucket.ts";
import { LEASE, type LeaseRecord } from "../format/lease_record.ts";

/** Interval between two beats, in milliseconds. */
const BEAT_MS = 2_000;
/**
 * Time since the start of the last stored beat after which a holder begins no further change, in
 * milliseconds.
 */
const HOLD_MS = 8_000;
/**
 * Time without a new beat after which a waiting publisher takes the lease, in milliseconds. It is longer than
 * {@link HOLD_MS}.
 */
export const LEASE_MS = 9_000;
/** Interval between two reads of the lease by a waiting publisher, in milliseconds. */
const POLL_MS = 500;

/**
 * The next work of a publisher after a pause: its next step, a check for changes while publications run, a
 * read of another publisher's lease, or its own next beat.
 */
export type AfterPause = "step" | "scan" | "lease" | "beat";

/** The clock of a publisher. */
export interface PublisherClock {
  /** Returns the milliseconds since an arbitrary point in time. The clock never runs backwards. */
  nowMs(): number;
  /**
   * Waits until the time is over or the signal is aborted.
   *
   * @param next The work after the pause.
   */
  pause(ms: number, signal: AbortSignal | undefined, next: AfterPause): Promise<void>;
}

export const SYSTEM_CLOCK: PublisherClock = {
  nowMs: () => performance.now(),
  pause: (ms, signal) => pauseFor(ms, signal),
};

interface FoundLease {
  readonly record: Partial<LeaseRecord>;
  readonly etag: string;
  readonly modifiedMs: number;
}

/** Error when another publisher has taken the lease, or may have taken it. */
export class LostLease extends BucketError {
  constructor() {
    super("unavailable", "Another publisher may be using this bucket");
  }
}

export interface TakenLease {
  /** Number of the lease. No other holder has the same number. */
  readonly number: number;
  /** Whether another publisher may have changed the bucket since this publisher last had the lease. */
  readonly isNew: boolean;
  /** Whether the last holder did not give the lease back. Its calls may still be running. */
  readonly isTakenOver: boolean;
  /** Current time by the clock of the bucket, in milliseconds since the epoch. */
  readonly bucketMs: number;
}

export interface TakeOptions {
  /**
   * The node in the description in the bucket. The bucket belongs to this node, even if the lease names
   * another node.
   */
  readonly described: NodeId | undefined;
  /** Whether to wait while another publisher works on the bucket. */
  readonly waits: boolean;
  readonly onWait?: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** The lease of a bucket, from the view of one publisher. */
export class Lease {
  readonly #bucket: Bucket;
  readonly #clock: PublisherClock;
  readonly #nodeId: NodeId | undefined;
  readonly #holder: string = crypto.randomUUID();
  /** The lease as this publisher last stored it. */
  #own: { readonly record: LeaseRecord; readonly etag: string } | undefined;
  /** Time when the put of the last stored beat began. */
  #beatAtMs = -Infinity;
  #isLost = true;

  /** @param nodeId The node of this publisher. Without it, the bucket gets no owner. */
  constructor(bucket: Bucket, clock: PublisherClock, nodeId: NodeId | undefined) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#nodeId = nodeId;
  }

  /**
   * Takes the lease.
   *
   * @throws {BucketError} when the bucket fails; `denied` when the bucket belongs to another node;
   *   `unavailable` when another publisher works on the bucket and this publisher does not wait.
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
      // Without conditional puts, another publisher may have put its own lease at the same time.
      const after = await this.#read();
      if (after?.record.holder !== this.#holder) continue;
      this.#requireOwner(described ?? after.record.nodeId);
      this.#isLost = false;
      return { number: own, isNew, isTakenOver: holder !== null && !isOwn, bucketMs: after.modifiedMs };
    }
  }

  /**
   * Stores beats until the signal is aborted. The promise never rejects. A holder that cannot store beats
   * loses the lease.
   */
  async keep(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.pause(BEAT_MS, signal, "beat");
      if (signal.aborted) return;
      await this.#beat().catch(() => {});
    }
  }

  /**
   * Checks whether this publisher may begin a change. It makes no call of the bucket.
   *
   * @throws {LostLease}
   */
  check(): void {
    if (this.#isLost || this.#clock.nowMs() - this.#beatAtMs >= HOLD_MS) throw new LostLease();
  }

  /**
   * Reads the lease in the bucket, and checks that this publisher still has it.
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

  /** Gives the lease back, so that the next publisher does not have to wait. */
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
    // A runtime may have sent the put twice. Then the conflict is with this publisher's own beat.
    await this.confirm();
    const found = await this.#read();
    if (found !== undefined) await this.#store(found, record.number);
  }

  /**
   * Stores a beat if the lease in the bucket is still the lease that was found. Otherwise returns `false`.
   */
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
    throw new BucketError("denied", `Node ${owner} publishes into this bucket: choose another prefix`);
  }
}

/**
 * Returns the condition for a put: the object must still have this tag, or if the tag is `undefined`, the
 * object must not exist. If the bucket does not honour conditions, the result has no condition.
 */
export async function conditionOf(
  bucket: Bucket,
  etag: string | undefined,
): Promise<{ readonly ifMatch?: string; readonly ifNoneMatch?: "*" }> {
  if (!await bucket.conditionalPuts()) return {};
  return etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: etag };
}

function isBusy(): BucketError {
  return new BucketError("unavailable", "Another publisher is using this bucket");
}
