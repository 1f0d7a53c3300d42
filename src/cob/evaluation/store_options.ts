/** Options and caches that the parts of a store have in common. */
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
 * Approximate memory of an entry without its texts, in bytes. A cached object weighs its texts, this for each
 * entry, and {@link TAG_BYTES} for each label and assignee.
 */
export const ENTRY_WEIGHT = 256;

/** Approximate memory of a row of a saved list without its JSON, in bytes. */
const ROW_WEIGHT = 512;
/** Weight of a saved file that cannot be used, in bytes. */
const UNUSABLE_WEIGHT = 256;
/** Bytes of a character of text in memory. */
const UNIT_BYTES = 2;

/** The result of evaluating an object, or the failure. */
export interface CachedEvaluation<S> {
  /** Targets of the object's references, ascending. */
  readonly targets: readonly Oid[];
  /** Absent when the evaluation failed. */
  readonly evaluation: Evaluation<S> | undefined;
  /**
   * Version of the repository's objects. While it is the same, a failed or incomplete evaluation is not
   * repeated.
   */
  readonly objectsVersion?: number | undefined;
}

/** The list of a repository. It holds while the references lead to the same entries. */
export interface CachedList {
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
  /** Bounds of the texts of saved objects; absent for objects that the list has whole. */
  readonly textLimits: ReadonlyMap<ObjectSummary, TextLimits>;
}

/** An object in a list: its state, or the saved object. */
export interface ListedObject<S> {
  readonly state: S | SavedObject;
  readonly heads: Evaluation<S>["heads"];
  readonly isComplete: boolean;
}

/** A file of derived data as it was read: a list or the text of a block; `undefined` for other bytes. */
export type SavedFile = { readonly list: SavedList } | { readonly text: string } | undefined;

/** Caches that all stores of one type share. Their keys begin with the number of a store. */
export class StoreCaches<S extends ObjectState> {
  /** Evaluations, by repository and object; with the bounds of the texts where these were cut. */
  readonly evaluations: LruMap<string, CachedEvaluation<S>>;
  /** Lists, by repository. */
  readonly lists: LruMap<string, CachedList>;
  /** Saved evaluations, by repository and digest without the number: other rules have other files. */
  readonly files: LruMap<string, { readonly file: SavedFile }>;
  /** Runs evaluations of large objects one after the other. */
  readonly large = new Limiter({ atOnce: 1 });
  /** Entries that count as further targets of references, under all rules. */
  readonly pins = new PinnedEntries();
  /** Stores that have been made, which are numbered. */
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

/** Options of the parts of a store. */
export interface StoreOptions<S extends ObjectState> extends EntryRules<ActionOf<S>, OpOf<S>, S> {
  readonly type: ObjectType<S>;
  readonly log: Environment["log"];
  readonly caches: StoreCaches<S>;
  /** Number of the store, unique among the stores of its type. */
  readonly number: number;
}

/** The key of a repository, or of an object in it, in the caches of a store. */
export function keyOf({ number }: { readonly number: number }, rid: RepoId, object?: Oid): string {
  return object === undefined ? `${number} ${rid}` : `${number} ${rid} ${object}`;
}

/**
 * Whether a cached result holds for the targets `now`: they are the same, or only targets are gone that
 * further entries were built on.
 */
export function holdsFor({ targets, evaluation }: CachedEvaluation<unknown>, now: readonly Oid[]): boolean {
  return isSameList(targets, now) ||
    evaluation !== undefined && evaluation.isWhole && now.length < targets.length &&
      now.every((oid) => targets.includes(oid)) && evaluation.tips.every((oid) => now.includes(oid));
}
