/** The sign of life of a publisher that watches: it puts the claim of the bucket again. */
import type { NodeId } from "../../ids/nid.ts";
import type { Bucket } from "../../ports/bucket.ts";
import type { NodeSource } from "./node_publication.ts";
import { claimBucket } from "./bucket_claim.ts";

/** Time between two signs, in milliseconds. */
export const SIGN_OF_LIFE_MS = 60_000;

/** Parts of a {@link SignOfLife}. */
export interface SignOfLifeDependencies {
  readonly bucket: Bucket;
  readonly node?: NodeSource | undefined;
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number;
}

/** Puts the claim when it is due. */
export class SignOfLife {
  readonly #dependencies: SignOfLifeDependencies;
  #givenMs = -Infinity;

  constructor(dependencies: SignOfLifeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Claims the bucket, which is a sign of life, too. See {@link claimBucket}. */
  async claim(described?: NodeId): Promise<number> {
    const { bucket, node, now } = this.#dependencies;
    this.#givenMs = now();
    return await claimBucket(bucket, node?.profile.nodeId, described, now);
  }

  /**
   * Gives a sign, unless the last one is younger than {@link SIGN_OF_LIFE_MS}.
   *
   * @throws {BucketError} as `claimBucket`.
   */
  async give(): Promise<void> {
    if (Math.abs(this.#dependencies.now() - this.#givenMs) >= SIGN_OF_LIFE_MS) await this.claim();
  }
}
