/**
 * Reads the history of the signed references of a node: commits that contain a list of the node's references.
 * The newest Radicle programs refuse a node if an earlier list had a kind of line ({@link SigrefsTraits})
 * that the last list does not have.
 */
import type { LruMap } from "../cache/lru_map.ts";
import { fixedCache } from "../cache/memory.ts";
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { readFile } from "../git/objects.ts";
import type { Oid } from "../ids/oid.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";

/** Maximum number of commits of signed references that are read. A node makes one commit for each change. */
export const MAX_SIGREFS_HISTORY = 100_000;

/** Approximate memory of cached {@link SigrefsTraits}, in bytes. */
const TRAITS_BYTES = 200;

/**
 * Whether lists of signed references have certain kinds of lines, which only some generations of Radicle
 * programs write.
 */
export interface SigrefsTraits {
  /** Whether a line has the name `refs/rad/root`. */
  readonly hasRoot: boolean;
  /**
   * Whether a line has the name `refs/rad/sigrefs-parent` or `refs/drafts/…`. Only the newest programs write
   * such lines.
   */
  readonly isNewest: boolean;
}

/**
 * Traits of each commit and all its ancestors together, by the id of the commit. The traits of a commit never
 * change.
 */
export type SigrefsHistory = LruMap<Oid, SigrefsTraits>;

/** A commit of signed references as it is stored, without verification. */
export interface StoredSigrefs {
  readonly parents: readonly Oid[];
  /** Content of the file `refs`; `undefined` when the file is missing. */
  readonly text: Uint8Array<ArrayBuffer> | undefined;
  /** Content of the file `signature`; `undefined` when the file is missing. */
  readonly signature: Uint8Array<ArrayBuffer> | undefined;
}

export function createSigrefsHistory(): SigrefsHistory {
  return fixedCache("sigrefsTraits", () => TRAITS_BYTES);
}

/** Reads a commit of signed references. Returns `undefined` when the commit is missing. */
export async function readStoredSigrefs(
  repository: Repository,
  commit: Oid,
  task: Task,
): Promise<StoredSigrefs | undefined> {
  const object = await repository.object(commit);
  if (object?.kind !== "commit") return undefined;
  const { parents, tree } = parseCommitHeader(object.bytes);
  const text = await readFile(repository, tree, "refs", task);
  const signature = await readFile(repository, tree, "signature", task);
  return {
    parents,
    text: text && takeBytes(text),
    signature: signature && takeBytes(signature),
  };
}

/** Copies the bytes of an object, and releases the object. */
function takeBytes({ bytes, release }: GitObject): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  release?.();
  return copy;
}

/**
 * Returns the traits of a commit of signed references and of all its ancestors together. Missing ancestors
 * are skipped.
 *
 * @throws {DamagedError} when there are more than {@link MAX_SIGREFS_HISTORY} commits.
 */
export async function readSigrefsTraits(
  repository: Repository,
  commit: Oid,
  history: SigrefsHistory,
  task: Task,
): Promise<SigrefsTraits> {
  let traits: SigrefsTraits = { hasRoot: false, isNewest: false };
  const waiting = [commit];
  const seen = new Set(waiting);
  for (let oid = waiting.pop(); oid !== undefined && !traits.isNewest; oid = waiting.pop()) {
    if (seen.size > MAX_SIGREFS_HISTORY) {
      throw new DamagedError("The history of signed references is too long");
    }
    await task.yield();
    const cached = history.get(oid);
    if (cached !== undefined) {
      traits = join(traits, cached);
      continue;
    }
    const stored = await readStoredSigrefs(repository, oid, task);
    if (stored === undefined) continue;
    traits = join(traits, traitsOf(new TextDecoder().decode(stored.text)));
    for (const parent of stored.parents) {
      if (!seen.has(parent)) waiting.push(parent);
      seen.add(parent);
    }
  }
  history.set(commit, traits);
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
