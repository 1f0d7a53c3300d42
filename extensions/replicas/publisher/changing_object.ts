/**
 * Reads and replaces the objects of a bucket that change: manifests, the catalogue, the latest changes, and
 * the description of the node.
 */
import { isUnreadable, type RepoId } from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { type Manifest, manifestOf } from "../format/manifest.ts";
import type { BucketDocument, SealedDocument } from "../format/sealed_json.ts";
import { conditionOf } from "./lease.ts";

/** `Cache-Control` of changing objects. A cache must revalidate them each time. */
export const CHANGING = "no-cache";

export interface Found<T> {
  /** `undefined` if the object is missing or cannot be decoded. In both cases the publisher replaces it. */
  readonly value: T | undefined;
  /** `undefined` if the object is missing. */
  readonly etag: string | undefined;
}

/** Error of a put when the bucket no longer has the object that was read. */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";

  constructor(key: string) {
    super(`Object "${key}" was changed by somebody else`);
  }
}

/**
 * Reads and decodes an object.
 *
 * @throws {BucketError}
 */
export async function readObject<T>(
  bucket: Bucket,
  { key, limitBytes, decode }: BucketDocument<T>,
): Promise<Found<T>> {
  const object = await bucket.get(key, { limitBytes });
  if (object === undefined || object === "unchanged") return { value: undefined, etag: undefined };
  try {
    return { value: decode(object.bytes, object.modifiedMs), etag: object.etag };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { value: undefined, etag: object.etag };
  }
}

export function readManifest(bucket: Bucket, rid: RepoId): Promise<Found<Manifest>> {
  return readObject(bucket, manifestOf(rid));
}

/**
 * Replaces the object that was found.
 *
 * @throws {ChangedMeanwhile} when the bucket has another object now.
 * @throws {BucketError}
 */
export async function replaceObject<T>(
  bucket: Bucket,
  { key, encode }: SealedDocument<T>,
  value: T,
  { etag }: Pick<Found<T>, "etag">,
): Promise<void> {
  const put = await bucket.put(key, encode(value), {
    ...await conditionOf(bucket, etag),
    contentType: "application/json",
    cacheControl: CHANGING,
  });
  if (put === "conflict") throw new ChangedMeanwhile(key);
}
