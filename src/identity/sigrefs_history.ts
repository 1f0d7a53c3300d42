/** What a node's signed references have told in the past. The newest programs refuse a node that tells less than it once did. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory, smallTable } from "../cache/memory.ts";
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { findPath, splitPath } from "../git/objects.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";

/** Commits of signed references that are walked over at most: one for each change that a node ever made. */
export const MAX_SIGREFS_HISTORY = 100_000;

/** After so many commits others get a turn. */
const COMMITS_PER_TURN = 500;

/** Kinds of lines that not all generations write. */
export interface SigrefsTraits {
  /** `refs/rad/root`. */
  readonly hasRoot: boolean;
  /** `refs/rad/sigrefs-parent` or `refs/drafts/…`, which only the newest programs write. */
  readonly isNewest: boolean;
}

/** Caches of commits of signed references, which never change. */
export interface SigrefsHistory {
  /** Traits of commits, their ancestors included. */
  readonly traits: LruMap<Oid, SigrefsTraits>;
  /** Commits that were the last of their node a moment ago: the files of a node with 10,000 references have a megabyte. */
  readonly stored: LruMap<Oid, StoredSigrefs>;
}

/** A commit of signed references as it is stored; nothing is verified. */
export interface StoredSigrefs {
  readonly parents: readonly Oid[];
  /** Bytes of the file `refs`, `undefined` when there is none. */
  readonly text: Uint8Array<ArrayBuffer> | undefined;
  /** Bytes of the file `signature`, `undefined` when there is none. */
  readonly signature: Uint8Array<ArrayBuffer> | undefined;
}

/** Empty caches. */
export function createSigrefsHistory(memory: Memory = new Memory()): SigrefsHistory {
  return {
    traits: smallTable("sigrefsTraits"),
    stored: memory.map("sigrefsFiles", ({ text }) => 1024 + (text?.length ?? 0)),
  };
}

/** The last commit of signed references of a node, perhaps a cached one; `undefined` when there is no such commit. */
export async function readLastSigrefs(
  repository: Repository,
  commit: Oid,
  history: SigrefsHistory,
): Promise<StoredSigrefs | undefined> {
  const cached = history.stored.get(commit);
  if (cached !== undefined) return await repository.header(commit) === undefined ? undefined : cached;
  return await readStoredSigrefs(repository, commit);
}

/** Caches a commit that was written, and its traits, ancestors included, where they are known. */
export function cacheSigrefs(
  history: SigrefsHistory,
  commit: Oid,
  stored: StoredSigrefs,
  traits: SigrefsTraits | undefined,
): void {
  for (const parent of stored.parents) history.stored.delete(parent);
  history.stored.set(commit, stored);
  if (traits !== undefined) history.traits.set(commit, traits);
}

/** Reads a commit of signed references; `undefined` when there is no such commit. */
export async function readStoredSigrefs(
  repository: Repository,
  commit: Oid,
): Promise<StoredSigrefs | undefined> {
  const object = await repository.object(commit);
  if (object?.kind !== "commit") return undefined;
  const { parents, tree } = parseCommitHeader(object.bytes);
  return {
    parents,
    text: await readBlob(repository, tree, "refs"),
    signature: await readBlob(repository, tree, "signature"),
  };
}

/**
 * The traits that a commit of signed references or any of its ancestors has. Ancestors that are not there are passed over.
 *
 * @throws {DamagedError} when there are more than {@link MAX_SIGREFS_HISTORY}.
 */
export async function readSigrefsTraits(
  repository: Repository,
  commit: Oid,
  history: SigrefsHistory,
): Promise<SigrefsTraits> {
  let traits: SigrefsTraits = { hasRoot: false, isNewest: false };
  const waiting = [commit];
  const seen = new Set(waiting);
  for (let oid = waiting.pop(); oid !== undefined && !traits.isNewest; oid = waiting.pop()) {
    if (seen.size > MAX_SIGREFS_HISTORY) {
      throw new DamagedError("The history of signed references has no end");
    }
    if (seen.size % COMMITS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve));
    const cached = history.traits.get(oid);
    if (cached !== undefined) {
      traits = join(traits, cached);
      continue;
    }
    const stored = await readStoredSigrefs(repository, oid);
    if (stored === undefined) continue;
    traits = join(traits, traitsOf(new TextDecoder().decode(stored.text)));
    for (const parent of stored.parents) {
      if (!seen.has(parent)) waiting.push(parent);
      seen.add(parent);
    }
  }
  history.traits.set(commit, traits);
  return traits;
}

function traitsOf(text: string): SigrefsTraits {
  return {
    hasRoot: / refs\/rad\/root\r?$/m.test(text),
    isNewest: / (refs\/rad\/sigrefs-parent|refs\/drafts\/.+)\r?$/m.test(text),
  };
}

function join(a: SigrefsTraits, b: SigrefsTraits): SigrefsTraits {
  return { hasRoot: a.hasRoot || b.hasRoot, isNewest: a.isNewest || b.isNewest };
}

async function readBlob(
  repository: Repository,
  tree: Oid,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const entry = await findPath(repository, tree, splitPath(name));
  const blob = entry === undefined ? undefined : await repository.object(entry.oid);
  return blob?.kind === "blob" ? new Uint8Array(blob.bytes) : undefined;
}
