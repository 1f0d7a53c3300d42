/** The objects to which the references of a repository point, in the home and in the bucket. */
import {
  DamagedError,
  followRef,
  followTags,
  ifReadable,
  isRefname,
  type Oid,
  OID_BYTES,
  oidFromBytes,
  type Ref,
  RefTable,
  type Repository,
  type Task,
  type Unpack,
  writeOid,
} from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { contentKey } from "../format/keys.ts";
import { type Manifest, MAX_TIPS_BYTES, type PublishedPack } from "../format/manifest.ts";
import { decodeReferences } from "../format/references.ts";
import { sha256Of } from "../format/keys.ts";
import type { GitRef } from "./git_files.ts";

/** Number of objects that are looked up between two pauses. */
const OBJECTS_AT_ONCE = 64;

/** The references of a state, as far as they lead to objects. */
export interface ReachedTips {
  /** References except `HEAD`, with symbolic references resolved. */
  readonly refs: readonly GitRef[];
  /** Ids of all objects to which references point, in ascending order. */
  readonly tips: readonly Oid[];
  /** Whether a reference points to an object that is missing. */
  readonly isIncomplete: boolean;
}

/**
 * Finds the objects to which references point. References to missing objects are left out.
 *
 * @param repository A repository with exactly the references that are published.
 */
export async function readTips(
  repository: Repository,
  refs: readonly Ref[],
  task: Task,
): Promise<ReachedTips> {
  const targets = await resolveAll(repository, refs, task);
  const peeled = new Map<Oid, Oid | undefined>();
  for (const [at, oid] of [...new Set(targets.values())].entries()) {
    if (at % OBJECTS_AT_ONCE === 0) await task.yield();
    const found = await exists(repository, oid) ? (await followTags(repository, [oid]))[0]! : undefined;
    if (found !== undefined && await exists(repository, found)) peeled.set(oid, found);
  }
  const shown = [...targets].flatMap(([name, oid]) => {
    if (!peeled.has(oid) || !isGitRef(name)) return [];
    const target = peeled.get(oid)!;
    return [{ name, oid, ...(target !== oid && { peeled: target }) }];
  });
  const isIncomplete = [...targets.values()].some((oid) => !peeled.has(oid));
  return { refs: shown, tips: [...peeled.keys()].sort(), isIncomplete };
}

/** Returns those objects of a list that the repository has. */
export async function existing(
  repository: Repository,
  oids: Iterable<Oid>,
  task: Task,
): Promise<readonly Oid[]> {
  const found: Oid[] = [];
  for (const [at, oid] of [...oids].entries()) {
    if (at % OBJECTS_AT_ONCE === 0) await task.yield();
    if (await exists(repository, oid)) found.push(oid);
  }
  return found;
}

/** The references of a published state. */
export interface PublishedRefs {
  /** Names of all references except `HEAD`. */
  readonly names: ReadonlySet<string>;
  /** `HEAD`, if it is published. */
  readonly head: Ref | undefined;
  /** Ids of the objects to which references below `refs/` lead, by the names of the references. */
  readonly resolved: ReadonlyMap<string, Oid>;
  /** Ids of all objects to which references point. */
  readonly targets: ReadonlySet<Oid>;
}

/**
 * Reads the references of a manifest. Returns `undefined` when they are missing or damaged.
 *
 * @throws {BucketError}
 */
export async function readPublishedRefs(
  bucket: Bucket,
  { rid, references }: Manifest,
  unpack: Unpack,
  task: Task,
): Promise<PublishedRefs | undefined> {
  let text: Uint8Array | undefined;
  if (typeof references === "string") text = new TextEncoder().encode(references);
  else {
    const { sha256, bytes, rawBytes } = references;
    const object = await bucket.get(contentKey(rid, "references", sha256), { limitBytes: bytes });
    const stored = typeof object === "object" ? object.bytes : undefined;
    if (stored !== undefined && sha256Of(stored) === sha256) {
      text = ifReadable(() => unpack(stored, rawBytes));
    }
  }
  if (text === undefined) return undefined;
  const refs = await task.run(decodeReferences(text));
  const table = new RefTable(refs);
  const resolved = await resolveAll({ ref: (name) => table.get(name) }, refs, task);
  const targets = new Set(resolved.values());
  for (const name of [...resolved.keys()]) if (!isGitRef(name)) resolved.delete(name);
  const names = new Set(refs.map(({ name }) => name).filter((name) => name !== "HEAD"));
  return { names, head: table.get("HEAD"), resolved, targets };
}

/** Checks whether git clients may see a reference. They see `HEAD` in another way. */
function isGitRef(name: string): boolean {
  return name.startsWith("refs/") && isRefname(name);
}

/** Encodes a file of tips. */
export function encodeTips(tips: readonly Oid[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(tips.length * OID_BYTES);
  for (const [at, oid] of [...tips].sort().entries()) writeOid(oid, bytes, at * OID_BYTES);
  return bytes;
}

/**
 * Reads the tips of a large pack. Returns `undefined` when the file is missing or damaged.
 *
 * @throws {BucketError}
 */
export async function readTipsOfPack(
  bucket: Bucket,
  { rid }: Manifest,
  { tips }: PublishedPack,
): Promise<readonly Oid[] | undefined> {
  if (tips === null) return undefined;
  const object = await bucket.get(contentKey(rid, "tips", tips.sha256), { limitBytes: MAX_TIPS_BYTES });
  if (typeof object !== "object" || sha256Of(object.bytes) !== tips.sha256) return undefined;
  const { bytes } = object;
  return Array.from({ length: bytes.length / OID_BYTES }, (_, at) => oidFromBytes(bytes, at * OID_BYTES));
}

async function resolveAll(
  repository: Pick<Repository, "ref">,
  refs: readonly Ref[],
  task: Task,
): Promise<Map<string, Oid>> {
  const targets = new Map<string, Oid>();
  for (const [at, ref] of refs.entries()) {
    if (at % OBJECTS_AT_ONCE === 0) await task.yield();
    const oid = ref.oid ?? (await followRef(repository, ref))?.oid;
    if (oid !== undefined) targets.set(ref.name, oid);
  }
  return targets;
}

/** Checks whether the repository has an object. A damaged object counts as missing. */
async function exists(repository: Repository, oid: Oid): Promise<boolean> {
  try {
    return await repository.header(oid) !== undefined;
  } catch (error) {
    if (error instanceof DamagedError) return false;
    throw error;
  }
}
