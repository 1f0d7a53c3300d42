/** Options and caches that the parts of a store share. */
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

/**
 * Approximate memory of an entry without its texts, in bytes. The weight of a cached object is the sum of the
 * size of its texts, this value for each entry, and {@link TAG_BYTES} for each label and assignee.
 */
const ENTRY_WEIGHT = 256;

/** Approximate memory of a row of a saved list without its JSON, in bytes. */
const ROW_WEIGHT = 512;
/** Weight of a cache entry for a saved file that cannot be used, in bytes. */
const UNUSABLE_WEIGHT = 256;
/** Memory of a UTF-16 unit of text, in bytes. */
const UNIT_BYTES = 2;

/** The result of evaluating an object. It can be a failure. */
export interface CachedEvaluation<S> {
  /** Targets of the object's references, in ascending order. */
  readonly targets: readonly Oid[];
  /** Absent when the evaluation failed. */
  readonly evaluation: Evaluation<S> | undefined;
  /**
   * Version of the repository's objects. A failed or incomplete evaluation is not repeated while the version
   * stays the same.
   */
  readonly objectsVersion?: number | undefined;
}

/** The cached list of a repository. It is valid while the references point to the same entries. */
export interface CachedList {
  refs: readonly ResolvedRef[];
  readonly heads: ReadonlyMap<string, Oid | undefined>;
  readonly list: ObjectList;
  /** Version of the repository's objects; absent when all objects were evaluated completely. */
  readonly objectsVersion: number | undefined;
  /** Estimated memory of the texts in the list, in bytes. */
  readonly bytes: number;
}

/** The objects of a repository, in ascending order of their ids. */
export interface ObjectList {
  /** One summary for each object: the object's state, or its saved row if the state is not loaded. */
  readonly summaries: readonly ObjectSummary[];
  /**
   * Limits for the texts of saved objects. Objects whose texts are not cut in the list are not in this map.
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
 * The content of a file of derived data: a list, or the text of a block. It is `undefined` if the file
 * contains anything else.
 */
export type SavedFile = { readonly list: SavedList } | { readonly text: string } | undefined;

/** Caches that all stores of one type share. Most keys begin with the number that identifies a store. */
export class StoreCaches<S extends ObjectState> {
  /** Evaluations, by repository and object. If the texts were cut, the key also contains the limit. */
  readonly evaluations: LruMap<string, CachedEvaluation<S>>;
  /** Lists, by repository. */
  readonly lists: LruMap<string, CachedList>;
  /**
   * Saved evaluations, by repository and digest. The keys contain no number of a store, because stores with
   * other rules read other files.
   */
  readonly files: LruMap<string, { readonly file: SavedFile }>;
  /** Limits evaluations of large objects to one at a time. */
  readonly large = new Limiter({ atOnce: 1 });
  /** Entries that are treated as additional targets of references, under all rules. */
  readonly pins = new PinnedEntries();
  /** Number of stores created so far, which is the number that the next store gets. */
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
  /** Number of this store, unique among the stores of its type. */
  readonly number: number;
}

/** Returns the key of a repository, or of an object in it, for the caches of a store. */
export function keyOf({ number }: { readonly number: number }, rid: RepoId, object?: Oid): string {
  return object === undefined ? `${number} ${rid}` : `${number} ${rid} ${object}`;
}

/**
 * Checks whether a cached result is valid for the targets `now`. It is valid if the targets are the same. It
 * is also valid if some targets disappeared, all entries were applied, and every tip is still a target, so
 * that the missing targets are ancestors of the remaining targets.
 */
export function holdsFor({ targets, evaluation }: CachedEvaluation<unknown>, now: readonly Oid[]): boolean {
  return isSameList(targets, now) ||
    evaluation !== undefined && evaluation.isWhole && now.length < targets.length &&
      now.every((oid) => targets.includes(oid)) && evaluation.tips.every((oid) => now.includes(oid));
}
