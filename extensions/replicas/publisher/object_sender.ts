/** Sends the immutable objects of one publication of a repository. */
import type { Bucket } from "../bucket/bucket.ts";
import { putContent } from "./content_objects.ts";
import { GRACE_MS } from "./unreferenced_objects.ts";

/** Size from which on the publisher checks whether the bucket already has an object, in bytes. */
const CHECKED_BYTES = 2 ** 18;

export interface ObjectSenderOptions {
  readonly bucket: Bucket;
  /**
   * Called before each object is sent.
   *
   * @throws When nothing more may be sent.
   */
  readonly check: () => Promise<void>;
  /** Grace time for objects that nothing names; {@link GRACE_MS} by default. */
  readonly graceMs?: number | undefined;
  /** A recent time by the clock of the bucket. Without it, objects that exist are sent again. */
  readonly bucketTimeMs?: number | undefined;
}

/** Error when a repository stops being public while it is published. */
export class NoLongerPublic extends Error {}

export class ObjectSender {
  readonly #options: ObjectSenderOptions;
  readonly #sent = new Set<string>();
  /** Total size of the objects that were sent, in bytes. */
  sentBytes = 0;

  constructor(options: ObjectSenderOptions) {
    this.#options = options;
  }

  /** Checks that something may still be sent. */
  check(): Promise<void> {
    return this.#options.check();
  }

  /**
   * Sends an object whose key contains a digest of its content. A large object is not sent again if a killed
   * publisher has sent it.
   *
   * @throws {BucketError}
   */
  async send(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.check();
    if (this.#sent.has(key) || await this.#isThere(key, bytes.length)) return;
    await putContent(this.#options.bucket, key, bytes);
    this.#sent.add(key);
    this.sentBytes += bytes.length;
  }

  /** An old object does not count, because it may be removed before a manifest names it. */
  async #isThere(key: string, bytes: number): Promise<boolean> {
    const { bucket, graceMs = GRACE_MS, bucketTimeMs } = this.#options;
    if (bytes < CHECKED_BYTES || bucketTimeMs === undefined) return false;
    const found = await bucket.head(key);
    return found?.size === bytes && bucketTimeMs - found.modifiedMs < graceMs / 2;
  }
}
