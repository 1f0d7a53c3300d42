/** Reads many objects of one kind in batches of limited size, and visits each object. */
import { ifReadable } from "../../errors.ts";
import { readGitTag } from "../../git/like_git.ts";
import { readSome } from "../../git/objects.ts";
import type { Oid } from "../../ids/oid.ts";
import type { ObjectHeader, ObjectKind, Repository } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";

/**
 * Size after which a batch ends, in bytes. Objects that were read but not visited yet take at most this many
 * bytes, plus one object.
 */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Maximum number of objects requested at once. */
const BATCH_OBJECTS = 1024;

/** Maximum length of a chain of tags that point to tags. Longer chains are not followed. */
const MAX_TAGS = 16;
/** Maximum size of a tag that is followed, in bytes. */
const MAX_TAG_BYTES = 64 * 1024;

/** The expected kind and the maximum size of an object. */
export interface ObjectWish {
  readonly kind: ObjectKind;
  readonly limitBytes: number;
  /** Whether a tag may be read instead of the object to which it points. */
  readonly takesTags?: boolean;
}

/**
 * The bytes of an object. `missing` if the object is missing or damaged. The header of the object if its kind
 * is not the expected kind, or if the object is too large.
 */
export type ObjectFound = Uint8Array | "missing" | { readonly header: ObjectHeader };

/**
 * Reads objects, and calls `visit` for each object in the given order. Objects beyond the size limit are not
 * read. An object is left out if `isWanted` returns `false` for its index at the start of a batch. `release`
 * frees the bytes of a large object (`GitObject.release`).
 */
export async function visitObjects(
  repository: Repository,
  oids: readonly Oid[],
  wish: ObjectWish,
  task: Task,
  visit: (found: ObjectFound, i: number, release?: () => void) => void | Promise<void>,
  isWanted: (i: number) => boolean = () => true,
): Promise<void> {
  const { kind, limitBytes } = wish;
  for (let at = 0; at < oids.length;) {
    const batch: number[] = [];
    for (let i = at; i < oids.length && batch.length < BATCH_OBJECTS; i++) if (isWanted(i)) batch.push(i);
    if (batch.length === 0) break;
    const limits = { limitBytes, batchBytes: BATCH_BYTES };
    const objects = await readSome(repository, batch.map((i) => oids[i]!), limits);
    for (const [k, object] of objects.entries()) {
      const i = batch[k]!;
      const isWished = object?.kind === kind && object.bytes.length <= limitBytes;
      const visited = isWished
        ? visit(object.bytes, i, object.release)
        : visit(await explain(repository, oids[i]!, wish), i);
      if (visited !== undefined) await visited;
      at = i + 1;
      // `task.yield` returns a promise only when a pause is due. Small objects need no pause, so nothing is
      // awaited for them.
      const pause = task.yield();
      if (pause !== undefined) await pause;
    }
  }
}

/**
 * Returns why an object was not read: `missing`, or its header if the object is too large or of another kind.
 * If tags are accepted, returns the target of a tag.
 */
async function explain(repository: Repository, oid: Oid, wish: ObjectWish): Promise<ObjectFound> {
  const found = await ifReadable(async () => {
    const header = await repository.header(oid);
    if (header === undefined || header.kind === wish.kind && header.size <= wish.limitBytes) return undefined;
    return wish.takesTags && header.kind === "tag"
      ? await followTag(repository, oid, wish, MAX_TAGS)
      : { header };
  });
  return found ?? "missing";
}

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
