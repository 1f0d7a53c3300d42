/**
 * Lists all objects (issues or patches) of a repository, and caches the lists. Long texts are cut in lists.
 */
import { mapAtOnce } from "../../async/map_ahead.ts";
import type { ResolvedRef } from "../../git/references.ts";
import type { Oid } from "../../ids/oid.ts";
import type { EvaluationContext } from "./evaluation_context.ts";
import { type Evaluator, MAX_LOGGED_OBJECTS } from "./evaluator.ts";
import type { ObjectState } from "./object_types.ts";
import { keyOf, type ListedObject, type ObjectList, type StoreOptions } from "./store_options.ts";
import { targetsByObject } from "./targets.ts";
import { areCut, isWithin, LISTED_TEXTS, OBJECT_TEXTS, SHORT_TEXTS, type TextLimits } from "./text_budget.ts";
import type { ObjectSummary } from "./object_summary.ts";
import { isSavedObject, type SavedList, type SavedObject, type SavedRow } from "./saved/saved_list.ts";
import type { SavedObjects } from "./saved/saved_objects.ts";

/**
 * Maximum size of the texts of all objects in a list, in bytes. Texts of further objects are cut to their
 * beginnings.
 */
export const LIST_TEXT_BYTES = 24 * 2 ** 20;
/**
 * Maximum total size of the texts of long objects in a list, in bytes. Objects are long if their texts exceed
 * {@link LISTED_TEXTS} and are not cut. The remaining part of {@link LIST_TEXT_BYTES} is available to shorter
 * objects.
 */
export const LONG_OBJECTS_BYTES = 8 * 2 ** 20;
/**
 * Maximum number of objects evaluated at once. A second object can be evaluated while WebCrypto verifies
 * signatures of the first. A large number would block the event loop for too long, because each object does
 * some work before it yields.
 */
const EVALUATED_AT_ONCE = 4;
/** Maximum number of saved objects loaded at once. Concurrent requests hide the latency of a slow storage. */
const LOADED_AT_ONCE = 16;

/** Lists the objects of one type by the rules of one generation of Radicle programs. */
export class ObjectLists<S extends ObjectState> {
  readonly #options: StoreOptions<S>;
  readonly #evaluator: Evaluator<S>;
  readonly #saved: SavedObjects<S>;

  constructor(options: StoreOptions<S>, evaluator: Evaluator<S>, saved: SavedObjects<S>) {
    this.#options = options;
    this.#evaluator = evaluator;
    this.#saved = saved;
  }

  /**
   * Returns all objects of a repository in ascending order of their ids. While nothing changes, each call
   * returns the same list. Objects that cannot be evaluated are left out, with one log line each for the
   * first {@link MAX_LOGGED_OBJECTS}.
   *
   * @param refs References to the objects.
   */
  async list(context: EvaluationContext, refs: readonly ResolvedRef[]): Promise<ObjectList> {
    const { type, log, caches: { lists, pins } } = this.#options;
    const { repository } = context;
    const { rid } = repository;
    // While an entry is pinned, the list is not cached, because the pin is removed after a short time.
    const isCacheable = !pins.changesTargets(rid, refs);
    const cached = isCacheable ? lists.get(keyOf(this.#options, rid)) : undefined;
    const isSame = cached !== undefined && isSameRefs(cached.refs, refs) &&
      (cached.objectsVersion === undefined || cached.objectsVersion === await repository.objectsVersion?.());
    if (isSame && await context.hasHeads(cached.heads)) {
      // If the storage returns the same array in the next call, `isSameRefs` takes only one step.
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
      textLimits: room.textLimits,
    };
    // A failed or incomplete evaluation may succeed after further objects have been fetched.
    const isSettled = all.every((object) => object?.isComplete === true);
    if (isCacheable && (isSettled || objectsVersion !== undefined)) {
      lists.set(keyOf(this.#options, rid), {
        refs,
        heads: new Map(objects.flatMap((object) => [...object.heads])),
        list,
        bytes: room.bytes + room.cutBytes,
        objectsVersion: isSettled ? undefined : objectsVersion,
      });
    }
    return list;
  }

  /**
   * Returns the states of `wanted`, which are objects of a list. Objects that are saved but can no longer be
   * loaded are left out.
   */
  async states(
    context: EvaluationContext,
    { textLimits }: ObjectList,
    wanted: readonly ObjectSummary[],
  ): Promise<readonly S[]> {
    if (!wanted.some(isSavedObject)) return wanted as readonly unknown[] as readonly S[];
    const loaded = await mapAtOnce(wanted, LOADED_AT_ONCE, async (object) => {
      const state = isSavedObject(object)
        ? await this.#load(context, object, textLimits.get(object) ?? OBJECT_TEXTS)
        : object as unknown as S;
      await context.task.yield();
      return state;
    });
    return loaded.filter((state) => state !== undefined);
  }

  async #load(
    context: EvaluationContext,
    { id, targets }: SavedObject,
    textLimits: TextLimits,
  ): Promise<S | undefined> {
    const { evaluation } = await this.#evaluator.evaluate(context, id, targets, false, textLimits);
    return evaluation?.state;
  }

  async #evaluateAll(
    context: EvaluationContext,
    refs: readonly ResolvedRef[],
    room: ListRoom,
  ): Promise<readonly (ListedObject<S> | undefined)[]> {
    const { type, caches: { pins } } = this.#options;
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

  /**
   * Returns the saved row of an object, or `undefined` if the object's evaluation is in memory or if no valid
   * row is saved.
   */
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

  async #listOne(
    context: EvaluationContext,
    id: Oid,
    targets: readonly Oid[],
    room: ListRoom,
  ): Promise<ListedObject<S> | undefined> {
    const evaluate = async (textLimits: TextLimits) =>
      (await this.#evaluator.evaluate(context, id, targets, false, textLimits)).evaluation;
    const listed = await evaluate(LISTED_TEXTS);
    if (listed === undefined) return undefined;
    const textLimits = room.take(listed.texts.wholeBytes);
    const isEnough = textLimits === LISTED_TEXTS || isWithin(listed.texts, textLimits);
    const shown = isEnough ? listed : await evaluate(textLimits);
    if (shown !== undefined && areCut(shown.texts)) room.cutBytes += shown.texts.bytes;
    return shown;
  }
}

/** Distributes the {@link LIST_TEXT_BYTES} of a list among its objects. */
class ListRoom {
  #longBytes = 0;
  bytes = 0;
  /** Total size, in bytes, of the texts that remain in objects with cut texts. */
  cutBytes = 0;
  /** Limits for the texts of saved objects, which are not loaded yet. */
  readonly textLimits = new Map<ObjectSummary, TextLimits>();

  /**
   * Reserves memory for an object with texts of `wholeBytes` bytes. Returns the largest text limits for which
   * the list has room.
   */
  take(wholeBytes: number): TextLimits {
    if (this.#takeAll(wholeBytes)) return OBJECT_TEXTS;
    return wholeBytes > LISTED_TEXTS.bytes && this.#takeAll(LISTED_TEXTS.bytes) ? LISTED_TEXTS : SHORT_TEXTS;
  }

  #takeAll(bytes: number): boolean {
    const longBytes = this.#longBytes + (bytes > LISTED_TEXTS.bytes ? bytes : 0);
    if (this.bytes + bytes > LIST_TEXT_BYTES || longBytes > LONG_OBJECTS_BYTES) return false;
    this.bytes += bytes;
    this.#longBytes = longBytes;
    return true;
  }
}

/**
 * Converts a saved row to a list item. Returns `undefined` if the row is of an object that cannot be
 * evaluated.
 */
function listSaved(object: SavedRow, room: ListRoom): ListedObject<never> | undefined {
  if (!isSavedObject(object)) return undefined;
  const textLimits = room.take(object.textBytes);
  if (textLimits !== OBJECT_TEXTS) room.textLimits.set(object, textLimits);
  const { heads, isComplete } = object;
  return { state: object, heads, isComplete };
}

function isSameRefs(a: readonly ResolvedRef[], b: readonly ResolvedRef[]): boolean {
  return a === b ||
    a.length === b.length && a.every(({ name, oid }, i) => name === b[i]!.name && oid === b[i]!.oid);
}
