/**
 * Finds and removes objects of a bucket that no manifest names: those of publishers that were killed, packs
 * that were joined with others, references that have moved on.
 */
import type { RepoId } from "../../ids/rid.ts";
import type { Bucket, BucketEntry } from "../../ports/bucket.ts";
import { contentKey, manifestKey, parseKey, REPOSITORIES_PREFIX } from "../format/keys.ts";
import type { Manifest } from "../format/manifest.ts";

/**
 * Time after which an object without a name is removed, in milliseconds by the clock of the bucket. A
 * publisher that sends for longer before it puts its manifest looks whether all is there.
 */
export const GRACE_MS: number = 3_600_000;

/** Objects without a name that a publisher remembers; further ones wait until it has removed some. */
export const MAX_SEEN_KEYS = 100_000;
/** Longest time between two rounds after which an object counts as seen all the time, in milliseconds. */
const LONGEST_ROUND_MS: number = 10 * 60_000;

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

/** Names of objects in a part of the bucket: those of a manifest, or of the description of the node. */
export interface Naming {
  /** Time of its put by the clock of the bucket; `undefined` when there is none. */
  readonly putMs: number | undefined;
  readonly keys: ReadonlySet<string>;
}

/** Keys that a manifest names; {@link RepositoryEntries} have the time of its put. */
export function namingOf({ rid, entries }: RepositoryEntries, manifest: Manifest | undefined): Naming {
  const own = entries.find(({ key }) => key === manifestKey(rid));
  return {
    putMs: own?.modifiedMs,
    keys: manifest === undefined ? new Set([manifestKey(rid)]) : namedKeys(manifest),
  };
}

/** An object that was seen without a name. */
interface SeenKey {
  /** Time of its put: another put makes it another object. */
  readonly modifiedMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/**
 * Finds objects that can be removed, in rounds. All times are of the clock of the bucket.
 *
 * An object that is older than the grace time can be removed when nothing names it, and the manifest is
 * older than the grace time, too: so long has the object been without a name. Where the manifest changes more
 * often, the object must have been without a name in each round for twice the grace time. The double time is
 * for two publishers without conditional puts: one may name it again between two rounds, for a moment, and a
 * third may have begun from that state; but whoever publishes for half the grace time looks whether all is
 * there.
 */
export class UnreferencedObjects {
  readonly #graceMs: number;
  /** Objects without a name in the last round, and in this one. */
  #seen: ReadonlyMap<string, SeenKey> = new Map();
  #seenNow = new Map<string, SeenKey>();

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** Ends a round: objects that were not seen in it are forgotten. */
  endRound(): void {
    this.#seen = this.#seenNow;
    this.#seenNow = new Map();
  }

  /** Whether an object is so old that it can be removed, if nothing names it. */
  isOld({ modifiedMs }: BucketEntry, nowMs: number): boolean {
    return nowMs - modifiedMs > this.#graceMs;
  }

  /** Keys of objects that can be removed. */
  find(entries: Iterable<BucketEntry>, { putMs, keys }: Naming, nowMs: number): readonly string[] {
    const isQuiet = putMs === undefined || nowMs - putMs > this.#graceMs;
    const found: string[] = [];
    for (const entry of entries) {
      if (keys.has(entry.key) || !this.isOld(entry, nowMs)) continue;
      if (isQuiet || this.#isLongSeen(entry, nowMs)) found.push(entry.key);
    }
    return found;
  }

  #isLongSeen({ key, modifiedMs }: BucketEntry, nowMs: number): boolean {
    const before = this.#seen.get(key);
    const isSame = before?.modifiedMs === modifiedMs &&
      nowMs - before.lastMs <= Math.max(this.#graceMs / 2, LONGEST_ROUND_MS);
    const firstMs = isSame ? before.firstMs : nowMs;
    if (this.#seenNow.size < MAX_SEEN_KEYS) this.#seenNow.set(key, { modifiedMs, firstMs, lastMs: nowMs });
    return nowMs - firstMs > 2 * this.#graceMs;
  }
}
