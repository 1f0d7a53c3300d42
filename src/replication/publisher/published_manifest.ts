/** The manifest of a repository in a bucket: read, put, removed. */
import { DamagedError } from "../../errors.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Bucket, BucketPutOptions } from "../../ports/bucket.ts";
import { manifestKey } from "../format/keys.ts";
import { decodeManifest, encodeManifest, type Manifest, MAX_MANIFEST_BYTES } from "../format/manifest.ts";

/** `Cache-Control` of objects that change: a cache asks again each time. */
export const CHANGING = "no-cache";

/** The object under the key of a manifest, or nothing. */
export interface FoundManifest {
  /** `undefined` when there is none, or it cannot be read. */
  readonly manifest: Manifest | undefined;
  /** `undefined` when there is nothing. */
  readonly etag: string | undefined;
}

/**
 * Reads a manifest. A damaged one counts as none: it is replaced.
 *
 * @throws {BucketError}
 */
export async function readManifest(bucket: Bucket, rid: RepoId): Promise<FoundManifest> {
  const object = await bucket.get(manifestKey(rid), { limitBytes: MAX_MANIFEST_BYTES });
  if (object === undefined || object === "unchanged") return { manifest: undefined, etag: undefined };
  try {
    return { manifest: decodeManifest(rid, object.bytes), etag: object.etag };
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return { manifest: undefined, etag: object.etag };
  }
}

/**
 * Puts a manifest in place of the one that was found, by a condition where the bucket has conditions.
 *
 * @returns The tag of the manifest; "conflict" when another publisher has changed it.
 * @throws {BucketError}
 */
export async function putManifest(
  bucket: Bucket,
  manifest: Manifest,
  { etag }: FoundManifest,
): Promise<string | "conflict"> {
  const put = await bucket.put(manifestKey(manifest.rid), encodeManifest(manifest), {
    ...await conditionOf(bucket, manifestKey(manifest.rid), etag),
    contentType: "application/json",
    cacheControl: CHANGING,
  });
  return put === "conflict" ? put : put.etag;
}

/**
 * The condition that an object still has a tag, or is absent. Without conditional puts the object is looked
 * at once more: a put that came between is lost until the next round of its publisher.
 */
export async function conditionOf(
  bucket: Bucket,
  key: string,
  etag: string | undefined,
): Promise<Pick<BucketPutOptions, "ifMatch" | "ifNoneMatch">> {
  if (await bucket.conditionalPuts()) return etag === undefined ? { ifNoneMatch: "*" } : { ifMatch: etag };
  if ((await bucket.head(key))?.etag !== etag) throw new ChangedMeanwhile(key);
  return {};
}

/** Another publisher has changed an object since it was read. */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";

  constructor(key: string) {
    super(`Object "${key}" was changed by another publisher`);
  }
}
