/** Reads many objects of one kind in bounded batches, and gives each of them its turn. */
import { DamagedError } from "../../errors.ts";
import { readGitTag } from "../../git/like_git.ts";
import type { Oid } from "../../ids/oid.ts";
import type { GitObject, ObjectHeader, ObjectKind, Repository } from "../../ports/storage.ts";
import type { Turns } from "../../time/turns.ts";

/** Bytes after which a batch ends: what is read but has not had its turn yet is no more than that and one object. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Objects that are asked for at once. */
const BATCH_OBJECTS = 1024;

/** Tags of tags that are followed. */
const MAX_TAGS = 16;
/** Largest tag that is followed, in bytes. */
const MAX_TAG_BYTES = 64 * 1024;

/** What objects are to be, and how large at most. */
export interface ObjectWish {
  readonly kind: ObjectKind;
  readonly limitBytes: number;
  /** Whether a tag of such an object will do. */
  readonly takesTags?: boolean;
}

/** An object as wished for, or why there is none: it is missing or damaged, or it is there but another kind of object or too large. */
export type ObjectFound = Uint8Array | "missing" | { readonly header: ObjectHeader };

/**
 * Reads objects in the order of their ids and visits each. Objects beyond the limit are not read, nor those that are not wanted any more when their
 * batch begins.
 */
export async function visitObjects(
  repository: Repository,
  oids: readonly Oid[],
  wish: ObjectWish,
  turns: Turns,
  visit: (found: ObjectFound, i: number) => void | Promise<void>,
  isWanted: (i: number) => boolean = () => true,
): Promise<void> {
  const { kind, limitBytes } = wish;
  for (let at = 0; at < oids.length;) {
    const batch: number[] = [];
    for (let i = at; i < oids.length && batch.length < BATCH_OBJECTS; i++) if (isWanted(i)) batch.push(i);
    if (batch.length === 0) break;
    const objects = await readSome(repository, batch.map((i) => oids[i]!), limitBytes);
    for (const [k, object] of objects.entries()) {
      const i = batch[k]!;
      const isWished = object?.kind === kind && object.bytes.length <= limitBytes;
      const visited = visit(isWished ? object.bytes : await explain(repository, oids[i]!, wish), i);
      if (visited !== undefined) await visited;
      at = i + 1;
      // Not awaited where nobody waits: most objects are small.
      const pause = turns.next();
      if (pause !== undefined) await pause;
    }
  }
}

/** The first of some objects, one at least. A damaged one does not spoil the others. */
async function readSome(
  repository: Repository,
  oids: readonly Oid[],
  limitBytes: number,
): Promise<readonly (GitObject | undefined)[]> {
  try {
    const objects = await repository.objects(oids, { limitBytes, batchBytes: BATCH_BYTES });
    if (objects.length === 0) throw new RangeError("A storage returned no object for several ids");
    return objects;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return oids.length === 1
      ? [undefined]
      : await readSome(repository, oids.slice(0, oids.length >> 1), limitBytes);
  }
}

/** Looks again at an object that is not as wished for. */
async function explain(repository: Repository, oid: Oid, wish: ObjectWish): Promise<ObjectFound> {
  try {
    const header = await repository.header(oid);
    if (header === undefined || header.kind === wish.kind && header.size <= wish.limitBytes) return "missing";
    return wish.takesTags && header.kind === "tag"
      ? await followTag(repository, oid, wish, MAX_TAGS)
      : { header };
  } catch (error) {
    if (error instanceof DamagedError) return "missing";
    throw error;
  }
}

/** What a tag leads to, through further ones perhaps. */
async function followTag(
  repository: Repository,
  oid: Oid,
  wish: ObjectWish,
  tagsLeft: number,
): Promise<ObjectFound> {
  const tag = await repository.object(oid, { limitBytes: MAX_TAG_BYTES });
  if (tag === undefined) return "missing";
  const header = { kind: tag.kind, size: tag.bytes.length };
  const target = tag.kind === "tag" ? readGitTag(tag.bytes) : undefined;
  if (target?.kind === "tag" && tagsLeft > 0) {
    return await followTag(repository, target.oid, wish, tagsLeft - 1);
  }
  if (target?.kind !== wish.kind) return { header };
  const object = await repository.object(target.oid, { limitBytes: wish.limitBytes });
  if (object === undefined) return "missing";
  return object.kind === wish.kind ? object.bytes : { header };
}
