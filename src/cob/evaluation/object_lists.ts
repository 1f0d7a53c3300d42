/** Lists all objects of a repository, and caches the lists. Long objects are listed as outlines. */
import { mapAtOnce } from "../../async/map_ahead.ts";
import type { ResolvedRef } from "../../git/references.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Op } from "../op.ts";
import type { EvaluationContext } from "./evaluation_context.ts";
import { type Evaluator, MAX_LOGGED_OBJECTS } from "./evaluator.ts";
import { keyOf, type ListedObject, type ObjectList, OUTLINE_WEIGHT, type StoreParts } from "./store_parts.ts";
import { targetsByObject } from "./targets.ts";
import type { ObjectSummary } from "./object_summary.ts";
import { isSameList } from "../entry/fields.ts";
import { isSavedObject, type SavedList, type SavedObject, type SavedRow } from "./saved/saved_list.ts";
import type { SavedObjects } from "./saved/saved_objects.ts";

/** Texts of all objects in a list, in bytes; objects beyond that are listed as outlines. */
export const LIST_TEXT_BYTES = 24 * 2 ** 20;
/** Texts of an object, in bytes, beyond which it counts as long in lists. */
export const LONG_OBJECT_BYTES = 256 * 1024;
/** Texts of all long objects in a list, in bytes. The bound leaves room for short objects. */
export const LONG_OBJECTS_BYTES = 8 * 2 ** 20;
/**
 * Objects evaluated at once: signatures are verified beside them. Each does some work before it yields, so
 * that many would hold up a turn of the event loop.
 */
const EVALUATED_AT_ONCE = 4;
/** Saved objects loaded at once, so that a slow storage gets several requests at a time. */
const LOADED_AT_ONCE = 16;

/** Lists of the objects of one type under one set of rules. */
export class ObjectLists<A, O extends Op<A>, S extends ObjectSummary> {
  readonly #parts: StoreParts<A, O, S>;
  readonly #evaluator: Evaluator<A, O, S>;
  readonly #saved: SavedObjects<A, O, S>;

  constructor(parts: StoreParts<A, O, S>, evaluator: Evaluator<A, O, S>, saved: SavedObjects<A, O, S>) {
    this.#parts = parts;
    this.#evaluator = evaluator;
    this.#saved = saved;
  }

  /**
   * All objects of a repository in ascending order of their ids; objects that cannot be evaluated are left
   * out. The first {@link MAX_LOGGED_OBJECTS} of them get a line in the log. Returns the same list while
   * nothing changes.
   *
   * @param refs References to the objects.
   */
  async list(context: EvaluationContext, refs: readonly ResolvedRef[]): Promise<ObjectList> {
    const { type, log, caches: { lists, pins } } = this.#parts;
    const { repository } = context;
    const { rid } = repository;
    // A list with pinned entries is not cached, as the pins are gone soon.
    const isCacheable = !pins.changesTargets(rid, refs);
    const cached = isCacheable ? lists.get(keyOf(this.#parts, rid)) : undefined;
    const isSame = cached !== undefined && isSameRefs(cached.refs, refs) &&
      (cached.objectsVersion === undefined || cached.objectsVersion === await repository.objectsVersion?.());
    if (isSame && await context.hasHeads(cached.heads)) {
      // The next comparison takes one step if the storage returns the same array again.
      cached.refs = refs;
      return cached.list;
    }
    const objectsVersion = await repository.objectsVersion?.();
    const room = new ListRoom();
    const all = await this.#evaluateAll(context, refs, room);
    const unlogged = context.leftOut.objects - MAX_LOGGED_OBJECTS;
    if (unlogged > 0) log("warn", `Left out ${unlogged} more ${type.name} objects of ${rid}`);
    const objects = all.filter((object) => object !== undefined);
    const list: ObjectList = {
      summaries: objects.map(({ state }) => state),
      shortened: room.shortened,
    };
    // A failed or incomplete evaluation may succeed once the repository has more objects.
    const isSettled = all.every((object) => object?.isComplete === true);
    if (isCacheable && (isSettled || objectsVersion !== undefined)) {
      lists.set(keyOf(this.#parts, rid), {
        refs,
        heads: new Map(objects.flatMap((object) => [...object.heads])),
        list,
        bytes: room.bytes,
        objectsVersion: isSettled ? undefined : objectsVersion,
      });
    }
    return list;
  }

  /** The states of some objects of a list. Saved objects that cannot be loaded are left out. */
  async states(
    context: EvaluationContext,
    { shortened }: ObjectList,
    wanted: readonly ObjectSummary[],
  ): Promise<readonly S[]> {
    if (!wanted.some(isSavedObject)) return wanted as readonly unknown[] as readonly S[];
    const loaded = await mapAtOnce(wanted, LOADED_AT_ONCE, async (object) => {
      const state = isSavedObject(object)
        ? await this.#load(context, object, shortened.has(object))
        : object as unknown as S;
      await context.task.yield();
      return state;
    });
    return loaded.filter((state) => state !== undefined);
  }

  /** The state of a saved object, or its outline. */
  async #load(
    context: EvaluationContext,
    { id, targets }: SavedObject,
    isShort: boolean,
  ): Promise<S | undefined> {
    const { type, caches: { outlines } } = this.#parts;
    const key = keyOf(this.#parts, context.repository.rid, id);
    const outline = isShort ? outlines.get(key) : undefined;
    if (outline !== undefined && isSameList(outline.targets, targets)) return outline.state;
    const { evaluation } = await this.#evaluator.evaluate(context, id, targets, false);
    if (evaluation === undefined || !isShort) return evaluation?.state;
    const { state, size, heads, isComplete } = evaluation;
    const short = { state: type.outline(state), heads, isComplete, targets, size };
    if (isComplete) outlines.set(key, short);
    return short.state;
  }

  async #evaluateAll(
    context: EvaluationContext,
    refs: readonly ResolvedRef[],
    room: ListRoom,
  ): Promise<readonly (ListedObject<S> | undefined)[]> {
    const { type, caches: { pins } } = this.#parts;
    const { repository, task } = context;
    const pinned = (ref: ResolvedRef) => pins.targetsOf(repository.rid, ref);
    const objects = await targetsByObject(refs, type.name, task, pinned);
    const savedList = await this.#saved.list(repository, task);
    const limit = savedList === undefined ? EVALUATED_AT_ONCE : LOADED_AT_ONCE;
    return await mapAtOnce(objects, limit, async ([id, targets]) => {
      const row = await this.#savedRow(context, savedList, id, targets);
      const listed = row === undefined
        ? await this.#listOne(context, id, targets, room)
        : listSaved(row, room);
      await task.yield();
      return listed;
    });
  }

  /** The row of a saved object, unless its state is in memory. */
  async #savedRow(
    context: EvaluationContext,
    list: SavedList | undefined,
    id: Oid,
    targets: readonly Oid[],
  ): Promise<SavedRow | undefined> {
    if (list === undefined) return undefined;
    if (this.#evaluator.cached(context.repository.rid, id) !== undefined) return undefined;
    return await this.#saved.row(context, list, id, targets);
  }

  /** The state of an object, or its outline where the list has no room for its texts. */
  async #listOne(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    room: ListRoom,
  ): Promise<ListedObject<S> | undefined> {
    const { type, caches: { outlines } } = this.#parts;
    const { rid } = context.repository;
    const key = keyOf(this.#parts, rid, id);
    const outline = this.#evaluator.cached(rid, id) === undefined ? outlines.get(key) : undefined;
    if (
      outline !== undefined && isSameList(outline.targets, targets) && await context.hasHeads(outline.heads)
    ) {
      room.addOutline(outline.size);
      return outline;
    }
    const { evaluation } = await this.#evaluator.evaluate(context, id, targets, false);
    if (evaluation === undefined) return undefined;
    const { state, texts, size, heads, isComplete } = evaluation;
    if (texts.bytes <= LONG_OBJECT_BYTES && room.take(texts.bytes)) return { state, heads, isComplete };
    const listed = { state: type.outline(state), heads, isComplete, targets, size };
    if (isComplete) outlines.set(key, listed);
    if (room.take(texts.bytes)) return { state, heads, isComplete };
    room.addOutline(size);
    return listed;
  }
}

/** Room for texts in a list. */
class ListRoom {
  #textBytes = 0;
  #longBytes = 0;
  #outlineBytes = 0;

  /** Bytes taken so far, outlines included. */
  get bytes(): number {
    return this.#textBytes + this.#outlineBytes;
  }

  /** Saved objects without room for their texts. */
  readonly shortened = new Set<ObjectSummary>();

  /** Counts an outline of so many entries. */
  addOutline(size: number): void {
    this.#outlineBytes += OUTLINE_WEIGHT * size;
  }

  /** Takes room for the texts of one more object; `false` when there is not enough. */
  take(bytes: number): boolean {
    const longBytes = this.#longBytes + (bytes > LONG_OBJECT_BYTES ? bytes : 0);
    if (this.#textBytes + bytes > LIST_TEXT_BYTES || longBytes > LONG_OBJECTS_BYTES) return false;
    this.#textBytes += bytes;
    this.#longBytes = longBytes;
    return true;
  }
}

/** A saved object in a list; `undefined` for one that cannot be evaluated. */
function listSaved(object: SavedRow, room: ListRoom): ListedObject<never> | undefined {
  if (!isSavedObject(object)) return undefined;
  if (!room.take(object.textBytes)) {
    room.addOutline(object.size);
    room.shortened.add(object);
  }
  const { heads, isComplete } = object;
  return { state: object, heads, isComplete };
}

function isSameRefs(a: readonly ResolvedRef[], b: readonly ResolvedRef[]): boolean {
  return a === b ||
    a.length === b.length && a.every(({ name, oid }, i) => name === b[i]!.name && oid === b[i]!.oid);
}
