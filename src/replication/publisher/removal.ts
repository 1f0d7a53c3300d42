/** Removes what a bucket has of a repository that is not published any more. */
import { Task } from "../../scheduling/task.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Bucket } from "../../ports/bucket.ts";
import { manifestKey, repositoryPrefix } from "../format/keys.ts";
import { namingOf, type RepositoryEntries, type UnreferencedObjects } from "./unreferenced_objects.ts";
import { ChangedMeanwhile, readManifest } from "./published_manifest.ts";
import { requireNamed } from "./repository_publication.ts";

/** Objects that are removed by one call. */
const KEYS_AT_ONCE = 500;

/**
 * Removes all objects of a repository, the manifest first: by that it vanishes for readers. Ends early when
 * the repository is public again: the objects may then be those that another publisher is about to name. A
 * manifest that names what was removed goes, too.
 *
 * @returns Whether something was removed.
 * @throws {BucketError}
 */
export async function removeObjects(
  bucket: Bucket,
  rid: RepoId,
  isPublic: (rid: RepoId) => Promise<boolean>,
): Promise<boolean> {
  const task = new Task("background");
  let hasRemoved = false;
  const remove = async (keys: readonly string[]) => {
    if (keys.length === 0 || await isPublic(rid)) return false;
    if (!hasRemoved) await bucket.delete([manifestKey(rid)]);
    hasRemoved = true;
    await bucket.delete(keys);
    return true;
  };
  let [keys, goesOn]: [string[], boolean] = [[], true];
  for await (const { key } of bucket.list(repositoryPrefix(rid))) {
    await task.yield();
    keys.push(key);
    if (keys.length < KEYS_AT_ONCE) continue;
    goesOn = await remove(keys);
    if (!goesOn) break;
    keys = [];
  }
  if (goesOn) await remove(keys);
  if (hasRemoved) await removeIncomplete(bucket, rid);
  return hasRemoved;
}

/** Removes a manifest that was put while objects that it names were removed. */
async function removeIncomplete(bucket: Bucket, rid: RepoId): Promise<void> {
  const { manifest } = await readManifest(bucket, rid);
  if (manifest === undefined) return;
  try {
    await requireNamed(bucket, manifest);
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    await bucket.delete([manifestKey(rid)]);
  }
}

/**
 * Removes objects of a repository that its manifest has not named for long. Returns their number.
 *
 * @param clockMs The time by the clock of the bucket.
 * @throws {BucketError}
 */
export async function removeUnreferenced(
  bucket: Bucket,
  unreferenced: UnreferencedObjects,
  found: RepositoryEntries,
  clockMs: number,
): Promise<number> {
  const { rid, entries } = found;
  // Nothing can be removed while all is young: the manifest is not read then.
  const own = manifestKey(rid);
  if (!entries.some((entry) => entry.key !== own && unreferenced.isOld(entry, clockMs))) return 0;
  const { manifest, etag } = await readManifest(bucket, rid);
  if (manifest === undefined && etag !== undefined) return 0;
  const keys = unreferenced.find(entries, namingOf(found, manifest), clockMs);
  if (keys.length > 0) await bucket.delete(keys);
  return keys.length;
}
