/**
 * Finds and removes objects of a bucket that no manifest names: those of publishers that were killed, packs
 * that were joined with others, references that have moved on.
 */
import type { RepoId } from "../ids/rid.ts";
import type { Bucket, BucketEntry } from "../ports/bucket.ts";
import { contentKey, manifestKey, parseKey, REPOSITORIES_PREFIX } from "../published/keys.ts";
import type { Manifest } from "../published/manifest.ts";

/**
 * Time after which an object without a name is removed, in milliseconds by the clock of the bucket. A
 * publisher that sends for longer before it puts its manifest looks whether all is there.
 */
export const GRACE_MS: number = 3_600_000;

/** Objects of a repository in a bucket. */
export interface RepositoryEntries {
  readonly rid: RepoId;
  readonly entries: readonly BucketEntry[];
}

/** Lists the objects of all repositories, those of one repository at a time. */
export async function* listRepositories(bucket: Bucket): AsyncGenerator<RepositoryEntries> {
  let rid: RepoId | undefined;
  let entries: BucketEntry[] = [];
  for await (const entry of bucket.list(REPOSITORIES_PREFIX)) {
    const parsed = parseKey(entry.key);
    // Objects of other programs are left alone.
    if (parsed?.of !== "manifest" && parsed?.of !== "content") continue;
    if (parsed.rid !== rid) {
      if (rid !== undefined) yield { rid, entries };
      [rid, entries] = [parsed.rid, []];
    }
    entries.push(entry);
  }
  if (rid !== undefined) yield { rid, entries };
}

/** Keys of all objects that a manifest names, its own included. */
export function namedKeys({ rid, packs, index, references, derived }: Manifest): ReadonlySet<string> {
  const keys = new Set([manifestKey(rid)]);
  for (const { kind, sha256 } of packs) keys.add(contentKey(rid, kind, sha256));
  if (index !== null) keys.add(contentKey(rid, "index", index.sha256));
  if (typeof references !== "string") keys.add(contentKey(rid, "references", references.sha256));
  for (const { digest, inline } of derived.files) {
    if (inline === undefined) keys.add(contentKey(rid, "derived", digest));
  }
  return keys;
}

/**
 * Keys of objects that can be removed: no manifest has named them for the grace time. They have been without
 * a name at least as long as the manifest is old.
 *
 * @param manifest `undefined` when there is none.
 * @param bucketNowMs The time by the clock of the bucket.
 */
export function leftoverKeys(
  { rid, entries }: RepositoryEntries,
  manifest: Manifest | undefined,
  bucketNowMs: number,
  graceMs: number,
): readonly string[] {
  const isOld = ({ modifiedMs }: BucketEntry) => bucketNowMs - modifiedMs > graceMs;
  const own = entries.find(({ key }) => key === manifestKey(rid));
  if (own !== undefined && !isOld(own)) return [];
  const named = manifest === undefined ? new Set<string>() : namedKeys(manifest);
  return entries.filter((entry) => isOld(entry) && entry !== own && !named.has(entry.key)).map(({ key }) =>
    key
  );
}
