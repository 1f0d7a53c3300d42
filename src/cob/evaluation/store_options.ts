/** Options and caches of `ObjectStore`, which evaluates issues and patches. */
import type { LruMap } from "../../cache/lru_map.ts";
import type { Memory } from "../../cache/memory.ts";
import type { ResolvedRef } from "../../git/references.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Environment } from "../../ports/environment.ts";
import { Limiter } from "../../scheduling/limiter.ts";
import { isSameList } from "../entry/fields.ts";
import type { EntryRules, Evaluation } from "./evaluation.ts";
import type { ObjectSummary } from "./object_summary.ts";
import type { ActionOf, ObjectState, ObjectType, OpOf } from "./object_types.ts";
import type { SavedList, SavedObject } from "./saved/saved_list.ts";
import { PinnedEntries } from "./targets.ts";
import { TAG_BYTES, type TextLimits } from "./text_budget.ts";

/** Approximate memory of an entry without its texts, in bytes. */
const ENTRY_WEIGHT = 256;

/** Approximate memory of a row of a saved list without its JSON, in bytes. */
const ROW_WEIGHT = 512;
/** Weight in the cache of a file that cannot be decoded, in bytes. */
const UNUSABLE_WEIGHT = 256;
/** Memory of a UTF-16 unit of text, in bytes. */
const UNIT_BYTES = 2;

/** The result of evaluating an object. */
export interface CachedEvaluation<S> {
  /** Targets of the object's references, in ascending order. */
  readonly targets: readonly Oid[];
  /** `undefined` when the evaluation failed. */
  readonly evaluation: Evaluation<S> | undefined;
  /**
   * Version number of the repository's git objects at the time of the evaluation. A failed or incomplete
   * evaluation is not repeated while this number stays the same.
   */
  readonly objectsVersion?: number | undefined;
}

/** The cached list of a repository. It is valid while the references have the same targets. */
export interface CachedList {
  refs: readonly ResolvedRef[];
  readonly heads: ReadonlyMap<string, Oid | undefined>;
  readonly list: ObjectList;
  /**
   * The `objectsVersion` of the repository at the time of the evaluation; absent when all objects
   * were evaluated completely.
   */
  readonly objectsVersion: number | undefined;
  /** Estimated memory of the texts in the list, in bytes. */
  readonly bytes: number;
}

/** The objects of a repository, in ascending order of their ids. */
export interface ObjectList {
  /** One summary for each object: the object's state, or its saved row if the state is not loaded. */
  readonly summaries: readonly ObjectSummary[];
  /**
   * Limits for the texts of saved objects, which are not loaded yet. Objects whose texts are not cut in the
   * list are left out.
   */
  readonly textLimits: ReadonlyMap<ObjectSummary, TextLimits>;
}

/** An object in a list: its state, or its saved row. */
export interface ListedObject<S> {
  readonly state: S | SavedObject;
  readonly heads: Evaluation<S>["heads"];
  readonly isComplete: boolean;
}

/**
 * The decoded content of a file of derived data: a list, or the text of a block. `undefined` if the file is
 * invalid.
 */
export type SavedFile = { readonly list: SavedList } | { readonly text: string } | undefined;

/**
 * Caches that all stores of one type of object share. Keys begin with the number of the store
 * ({@link keyOf}), except where noted.
 */
export class StoreCaches<S extends ObjectState> {
  /**
   * Evaluations, by repository and object. If texts were cut, the key also contains the limit of the texts.
   */
  readonly evaluations: LruMap<string, CachedEvaluation<S>>;
  /** Lists, by repository. */
  readonly lists: LruMap<string, CachedList>;
  /**
   * Files of saved evaluations, by repository and digest. The keys contain no number of a store, because
   * stores of different generations read different files.
   */
  readonly files: LruMap<string, { readonly file: SavedFile }>;
  /** Limits evaluations of large objects to one at a time. */
  readonly large = new Limiter({ atOnce: 1 });
  /** Entries that count as additional targets of references. */
  readonly pins = new PinnedEntries();
  /** Number of stores created so far. The next store gets this number. */
  made = 0;

  constructor(memory: Memory) {
    this.evaluations = memory.map("objects", ({ evaluation }) => {
      if (evaluation === undefined) return ENTRY_WEIGHT;
      const { size, texts, state: { labels, assignees } } = evaluation;
      return ENTRY_WEIGHT * size + TAG_BYTES * (labels.length + assignees.length) + texts.bytes;
    });
    this.lists = memory.map(
      "objects",
      ({ refs, bytes }) => ENTRY_WEIGHT * Math.max(refs.length, 1) + bytes,
    );
    this.files = memory.mapOfLarge("objects", ({ file }) => {
      if (file === undefined) return UNUSABLE_WEIGHT;
      if ("text" in file) return UNIT_BYTES * file.text.length;
      return ROW_WEIGHT * file.list.rows.size + UNIT_BYTES * file.list.length;
    });
  }
}

export interface StoreOptions<S extends ObjectState> extends EntryRules<ActionOf<S>, OpOf<S>, S> {
  readonly type: ObjectType<S>;
  readonly log: Environment["log"];
  readonly caches: StoreCaches<S>;
  readonly number: number;
}

/** Returns the key of a repository, or of an object in the repository, for the caches of a store. */
export function keyOf({ number }: { readonly number: number }, rid: RepoId, object?: Oid): string {
  return object === undefined ? `${number} ${rid}` : `${number} ${rid} ${object}`;
}

/**
 * Checks whether a cached result is valid for the targets `now`. The result is valid if the targets are the
 * same. It is also valid if some targets were removed, provided that all entries were applied and that each
 * tip is a remaining target, because the removed targets are then ancestors of the remaining targets.
 */
export function holdsFor({ targets, evaluation }: CachedEvaluation<unknown>, now: readonly Oid[]): boolean {
  return isSameList(targets, now) ||
    evaluation !== undefined && evaluation.isWhole && now.length < targets.length &&
      now.every((oid) => targets.includes(oid)) && evaluation.tips.every((oid) => now.includes(oid));
}
