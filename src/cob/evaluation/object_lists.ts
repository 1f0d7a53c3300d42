/** Lists all objects of a repository, and caches the lists. Long objects are listed as outlines. */
import { mapAtOnce } from "../../async/map_ahead.ts";
import type { LruMap } from "../../cache/lru_map.ts";
import type { Memory } from "../../cache/memory.ts";
import type { ResolvedRef } from "../../git/references.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Op } from "../op.ts";
import type { Evaluation, ObjectType } from "./evaluation.ts";
import { ENTRY_WEIGHT } from "./evaluation_cache.ts";
import type { EvaluationContext } from "./evaluation_context.ts";
import { type Evaluator, MAX_LOGGED_OBJECTS } from "./evaluator.ts";
import { type PinnedEntries, targetsByObject } from "./targets.ts";
import type { ObjectSummary } from "./object_summary.ts";
import { isSameList } from "../entry/fields.ts";
import { isSavedObject, type SavedList, type SavedObject, type SavedRow } from "./saved/saved_list.ts";
import type { SavedObjects } from "./saved/saved_objects.ts";

/** Approximate memory of an entry in an outline, in bytes. */
export const OUTLINE_WEIGHT = 1024;
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

/**
 * The list of a repository. It holds while the references lead to the same entries and no object has a new
 * result.
 */
interface CachedList<S> {
  refs: readonly ResolvedRef[];
  readonly heads: ReadonlyMap<string, Oid | undefined>;
  readonly list: ObjectList;
  /** Version of the repository's objects; absent when all objects were evaluated completely. */
  readonly objectsVersion: number | undefined;
  /** Bytes of the texts in the states. */
  readonly bytes: number;
}

/** The objects of a repository, in ascending order of their ids. */
export interface ObjectList {
  /** The states of the objects; saved objects stand for their states. */
  readonly summaries: readonly ObjectSummary[];
  /** The saved objects without room for their texts. */
  readonly shortened: ReadonlySet<ObjectSummary>;
}

/** An object in a list: its state, or as it is saved. */
interface Listed<S> {
  readonly state: S | SavedObject;
  readonly heads: Evaluation<S>["heads"];
  readonly isComplete: boolean;
}

/** The outline of an object. */
interface Outline<S> extends Listed<S> {
  readonly state: S;
  readonly targets: readonly Oid[];
  /** Number of entries. */
  readonly size: number;
}

/** The caches of lists of one type, shared by all of its stores. Keys begin with the number of the store. */
export interface ListCaches<S> {
  /** By repository. An object weighs {@link ENTRY_WEIGHT} and its texts. */
  readonly lists: LruMap<string, CachedList<S>>;
  /**
   * Outlines of long objects, by repository and object. They outlast the objects in the cache of evaluations.
   */
  readonly outlines: LruMap<string, Outline<S>>;
}

/** Empty caches. */
export function createListCaches<S>(memory: Memory): ListCaches<S> {
  return {
    lists: memory.map("objectLists", ({ refs, bytes }) => ENTRY_WEIGHT * Math.max(refs.length, 1) + bytes),
    outlines: memory.map("objectOutlines", ({ size }) => OUTLINE_WEIGHT * size),
  };
}

/** Parts of lists. */
export interface ObjectListsDependencies<A, O extends Op<A>, S> {
  readonly type: ObjectType<A, O, S>;
  readonly evaluator: Pick<Evaluator<A, O, S>, "cached" | "evaluate">;
  readonly saved: SavedObjects<S>;
  readonly pins: PinnedEntries;
  readonly caches: ListCaches<S>;
  /** Number of the store, unique among the stores of its type. */
  readonly number: number;
  readonly log: Environment["log"];
}

/** Lists of the objects of one type under one set of rules. */
export class ObjectLists<A, O extends Op<A>, S> {
  readonly #dependencies: ObjectListsDependencies<A, O, S>;

  constructor(dependencies: ObjectListsDependencies<A, O, S>) {
    this.#dependencies = dependencies;
  }

  /** Drops the cached list of a repository. */
  drop(rid: RepoId): void {
    this.#dependencies.caches.lists.delete(this.#key(rid));
  }

  #key(rid: RepoId): string {
    return `${this.#dependencies.number} ${rid}`;
  }

  /**
   * All objects of a repository in ascending order of their ids; objects that cannot be evaluated are left
   * out. The first {@link MAX_LOGGED_OBJECTS} of them get a line in the log. Returns the same list while
   * nothing changes.
   *
   * @param refs References to the objects.
   */
  async list(context: EvaluationContext, refs: readonly ResolvedRef[]): Promise<ObjectList> {
    const { type, pins, log, caches: { lists } } = this.#dependencies;
    const { repository } = context;
    const { rid } = repository;
    // A list with pinned entries is not cached, as the pins are gone soon.
    const isCacheable = !pins.changesTargets(rid, refs);
    const cached = isCacheable ? lists.get(this.#key(rid)) : undefined;
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
      summaries: objects.map(({ state }) => isSavedObject(state) ? state : type.summary(state)),
      shortened: room.shortened,
    };
    // A failed or incomplete evaluation may succeed once the repository has more objects.
    const isSettled = all.every((object) => object?.isComplete === true);
    if (isCacheable && (isSettled || objectsVersion !== undefined)) {
      lists.set(this.#key(rid), {
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
    const { type, evaluator, caches: { outlines } } = this.#dependencies;
    const key = `${this.#key(context.repository.rid)} ${id}`;
    const outline = isShort ? outlines.get(key) : undefined;
    if (outline !== undefined && isSameList(outline.targets, targets)) return outline.state;
    const { evaluation } = await evaluator.evaluate(context, id, targets, false);
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
  ): Promise<readonly (Listed<S> | undefined)[]> {
    const { type, pins, saved } = this.#dependencies;
    const { repository, task } = context;
    const pinned = (ref: ResolvedRef) => pins.targetsOf(repository.rid, ref);
    const objects = await targetsByObject(refs, type.name, task, pinned);
    const savedList = await saved.list(repository, task);
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
    const { evaluator, saved } = this.#dependencies;
    if (evaluator.cached(context.repository.rid, id) !== undefined) return undefined;
    return await saved.row(context, list, id, targets);
  }

  /** The state of an object, or its outline where the list has no room for its texts. */
  async #listOne(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    room: ListRoom,
  ): Promise<Listed<S> | undefined> {
    const { type, evaluator, caches: { outlines } } = this.#dependencies;
    const { rid } = context.repository;
    const key = `${this.#key(rid)} ${id}`;
    const outline = evaluator.cached(rid, id) === undefined ? outlines.get(key) : undefined;
    if (
      outline !== undefined && isSameList(outline.targets, targets) && await context.hasHeads(outline.heads)
    ) {
      room.addOutline(outline.size);
      return outline;
    }
    const { evaluation } = await evaluator.evaluate(context, id, targets, false);
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
function listSaved({ object, heads }: SavedRow, room: ListRoom): Listed<never> | undefined {
  if (object === undefined) return undefined;
  if (!room.take(object.textBytes)) {
    room.addOutline(object.size);
    room.shortened.add(object);
  }
  return { state: object, heads, isComplete: object.isComplete };
}

function isSameRefs(a: readonly ResolvedRef[], b: readonly ResolvedRef[]): boolean {
  return a === b ||
    a.length === b.length && a.every(({ name, oid }, i) => name === b[i]!.name && oid === b[i]!.oid);
}
