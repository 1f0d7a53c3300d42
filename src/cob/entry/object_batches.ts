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

/** Maximum length of a chain of tags. Longer chains are not followed. */
const MAX_TAGS = 16;
/** Maximum size of a tag that is followed, in bytes. */
const MAX_TAG_BYTES = 64 * 1024;

/** The expected kind and the maximum size of an object. */
export interface ObjectWish {
  readonly kind: ObjectKind;
  readonly limitBytes: number;
  /** Whether a tag may be used instead of the object to which it points. */
  readonly takesTags?: boolean;
}

/**
 * The bytes of an object, `missing` if the object is missing or damaged, or the header of the object if it is
 * of another kind or too large.
 */
export type ObjectFound = Uint8Array | "missing" | { readonly header: ObjectHeader };

/**
 * Reads objects and visits each in the given order. Objects beyond the size limit are not read. Objects for
 * which `isWanted` returns `false` at the start of their batch are not read either. `release` frees the bytes
 * of a large object (`GitObject.release`).
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
      // Awaited only if there is a pause, because most objects are small and need no pause.
      const pause = task.yield();
      if (pause !== undefined) await pause;
    }
  }
}

/** Finds out why an object does not match the expectation. */
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

/** Returns the object to which a tag points, directly or through other tags. */
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
