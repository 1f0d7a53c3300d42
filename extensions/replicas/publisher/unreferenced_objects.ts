/**
 * Finds objects of a bucket that no manifest, catalogue or description names: objects of publishers that were
 * killed, packs that were joined with other packs, and files of earlier references. Readers of an earlier
 * state may still need these objects for some time.
 */
import type { RepoId } from "../../../src/mod.ts";
import type { Bucket, BucketEntry } from "../bucket/bucket.ts";
import {
  contentKey,
  GIT_FILES,
  gitFileKey,
  manifestKey,
  packKey,
  parseKey,
  REPOSITORIES_PREFIX,
} from "../format/keys.ts";
import type { Manifest } from "../format/manifest.ts";
import { offsetTableBytes } from "../format/offset_table.ts";

/**
 * Grace time: time after which an object that nothing names is removed, in milliseconds by the clock of the
 * bucket.
 */
export const GRACE_MS: number = 3_600_000;

/**
 * Maximum number of unreferenced objects that a publisher stores in memory. Further objects wait until some
 * have been removed.
 */
export const MAX_SEEN_KEYS = 100_000;

export interface RepositoryEntries {
  readonly rid: RepoId;
  readonly entries: readonly BucketEntry[];
}

/** Lists the objects of all repositories, one repository at a time. */
export async function* listRepositories(bucket: Bucket): AsyncGenerator<RepositoryEntries> {
  let rid: RepoId | undefined;
  let entries: BucketEntry[] = [];
  for await (const entry of bucket.list(REPOSITORIES_PREFIX)) {
    const parsed = parseKey(entry.key);
    // Objects of other programs are ignored.
    if (parsed === undefined || !("rid" in parsed)) continue;
    if (parsed.rid !== rid) {
      if (rid !== undefined) yield { rid, entries };
      rid = parsed.rid;
      entries = [];
    }
    entries.push(entry);
  }
  if (rid !== undefined) yield { rid, entries };
}

/** Lists the objects whose keys begin with a prefix, for instance all objects of one repository. */
export async function listObjects(bucket: Bucket, prefix: string): Promise<readonly BucketEntry[]> {
  const entries: BucketEntry[] = [];
  for await (const entry of bucket.list(prefix)) entries.push(entry);
  return entries;
}

/** Returns the keys of the manifest, of all objects that it names, and of the files for git clients. */
export function namedKeys(manifest: Manifest): ReadonlySet<string> {
  return new Set(namedSizes(manifest).keys());
}

/** Returns the keys from {@link namedKeys} with the sizes of the objects, as far as the manifest has them. */
export function namedSizes(
  { rid, packs, references, derived }: Manifest,
): ReadonlyMap<string, number | undefined> {
  const sizes = new Map<string, number | undefined>([[manifestKey(rid), undefined]]);
  for (const name of GIT_FILES) sizes.set(gitFileKey(rid, name), undefined);
  for (const { name, bytes, idxBytes, objects, offsets, tips } of packs) {
    sizes.set(packKey(rid, name, "pack"), bytes);
    sizes.set(packKey(rid, name, "idx"), idxBytes);
    if (!("inline" in offsets)) sizes.set(packKey(rid, name, "offsets"), offsetTableBytes(bytes, objects));
    if (tips !== null) sizes.set(contentKey(rid, "tips", tips.sha256), tips.bytes);
  }
  if (typeof references !== "string") {
    sizes.set(contentKey(rid, "references", references.sha256), references.bytes);
  }
  for (const { digest, bytes, inline } of derived.files) {
    if (inline === undefined) sizes.set(contentKey(rid, "derived", digest), bytes);
  }
  return sizes;
}

/** The keys that a manifest, the catalogue or the description of the node names. */
export interface Naming {
  /**
   * Time of the last put of the manifest, catalogue or description, in milliseconds since the epoch by the
   * clock of the bucket; `undefined` when it does not exist.
   */
  readonly putMs: number | undefined;
  readonly keys: ReadonlySet<string>;
}

/** An object that nothing named when it was listed in a pass. */
interface SeenKey {
  /** Time of the last put of the object. After another put it counts as a new object. */
  readonly modifiedMs: number;
  readonly firstMs: number;
}

/**
 * Finds objects that can be removed, in passes over the whole bucket. All times are by the clock of the
 * bucket.
 *
 * An object can be removed when nothing names it, and when both the object and the object that could name it
 * (manifest, catalogue or description) are older than the grace time. Then nothing has named it for the grace
 * time. If the naming object changes more often, this publisher must have seen the object without a name for
 * the whole grace time. A publisher puts an object again before it names the object again.
 */
export class UnreferencedObjects {
  readonly #graceMs: number;
  /**
   * Unreferenced objects of the last pass. The unreferenced objects of the current pass are in `#seenNow`.
   */
  #seen: ReadonlyMap<string, SeenKey> = new Map();
  #seenNow = new Map<string, SeenKey>();

  constructor(graceMs: number = GRACE_MS) {
    this.#graceMs = graceMs;
  }

  /** Ends a pass. Objects that were not seen in this pass are dropped. */
  endLook(): void {
    this.#seen = this.#seenNow;
    this.#seenNow = new Map();
  }

  /** Returns the keys of the objects that can be removed. */
  find(entries: Iterable<BucketEntry>, { putMs, keys }: Naming, nowMs: number): readonly string[] {
    const isQuiet = putMs === undefined || nowMs - putMs > this.#graceMs;
    const found: string[] = [];
    for (const entry of entries) {
      if (keys.has(entry.key) || nowMs - entry.modifiedMs <= this.#graceMs) continue;
      if (isQuiet || this.#isLongSeen(entry, nowMs)) found.push(entry.key);
    }
    return found;
  }

  #isLongSeen({ key, modifiedMs }: BucketEntry, nowMs: number): boolean {
    const before = this.#seen.get(key);
    const firstMs = before?.modifiedMs === modifiedMs ? before.firstMs : nowMs;
    if (this.#seenNow.size < MAX_SEEN_KEYS) this.#seenNow.set(key, { modifiedMs, firstMs });
    return nowMs - firstMs > this.#graceMs;
  }
}
