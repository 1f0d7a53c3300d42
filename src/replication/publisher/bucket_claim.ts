/** The claim: an object that says whose a bucket is, and by which a publisher learns the time there. */
import type { NodeId } from "../../ids/nid.ts";
import { type Bucket, BucketError } from "../../ports/bucket.ts";
import { CLAIM_KEY, MAX_CLAIM_BYTES } from "../format/keys.ts";
import { ChangedMeanwhile, conditionOf } from "./published_manifest.ts";

/** Tries to put the object while other publishers of the same home put it. */
const MAX_TRIES = 20;

/**
 * Claims a bucket for a node, before anything else is put there. One bucket, or one prefix of it, has one
 * home: of two homes, each would take away what the other one has put.
 *
 * @param nodeId Without it, the bucket gets no owner.
 * @param described The node that is described in the bucket, if one is: the bucket is this node's, whatever
 *   the claim of another one says.
 * @returns The time by the clock of the bucket.
 * @throws {BucketError} when the bucket fails, and as `denied` when it is another node's.
 */
export async function claimBucket(
  bucket: Bucket,
  nodeId: NodeId | undefined,
  described: NodeId | undefined,
  now: () => number,
): Promise<number> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const before = await readClaim(bucket);
    requireOwner(described ?? before?.nodeId ?? nodeId, nodeId);
    const text = JSON.stringify({ publishedAt: new Date(now()).toISOString(), nodeId });
    try {
      const put = await bucket.put(CLAIM_KEY, new TextEncoder().encode(text), {
        ...await conditionOf(bucket, CLAIM_KEY, before?.etag),
        contentType: "application/json",
      });
      if (put === "conflict") continue;
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      continue;
    }
    // Without conditional puts another node may have put its own at the same time.
    const after = await readClaim(bucket);
    if (after === undefined) throw new BucketError("broken", "The bucket lost an object at once");
    requireOwner(described ?? after.nodeId ?? nodeId, nodeId);
    return after.modifiedMs;
  }
  throw new ChangedMeanwhile(CLAIM_KEY);
}

/**
 * Looks whether a bucket is still that of a node.
 *
 * @param described As for {@link claimBucket}.
 * @throws {BucketError} when the bucket fails, and as `denied` when it is another node's.
 */
export async function requireOwnBucket(
  bucket: Bucket,
  nodeId: NodeId,
  described: NodeId | undefined,
): Promise<void> {
  requireOwner(described ?? (await readClaim(bucket))?.nodeId ?? nodeId, nodeId);
}

function requireOwner(owner: string | undefined, nodeId: NodeId | undefined): void {
  if (owner === nodeId || nodeId === undefined) return;
  throw new BucketError("denied", `Node ${owner} publishes into this bucket: use a prefix of its own`);
}

async function readClaim(
  bucket: Bucket,
): Promise<{ readonly etag: string; readonly modifiedMs: number; readonly nodeId?: string } | undefined> {
  const object = await bucket.get(CLAIM_KEY, { limitBytes: MAX_CLAIM_BYTES });
  if (object === undefined || object === "unchanged") return undefined;
  const { etag, modifiedMs } = object;
  try {
    const { nodeId } = JSON.parse(new TextDecoder().decode(object.bytes)) ?? {};
    return { etag, modifiedMs, ...(typeof nodeId === "string" && { nodeId }) };
  } catch {
    return { etag, modifiedMs };
  }
}
