/**
 * Limits the texts in the state of one issue or patch. Every entry (a signed change) is read, checked and
 * applied, but texts that exceed the limit are cut (specification, 2.17).
 */
import { type Did, didOfNid } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Embed } from "../entry/entry.ts";
import type { Op } from "../op.ts";

export interface TextLimits {
  /**
   * Maximum size of the texts by the object's author and by the delegates, in bytes. The texts by all other
   * nodes have a separate limit of the same size, so that they cannot use the bytes of the author.
   */
  readonly bytes: number;
  /** Maximum length of the title, in UTF-16 units. Applied only if some text of the object is cut. */
  readonly titleUnits: number;
  /** Maximum number of labels, and of assignees. Applied only if some text of the object is cut. */
  readonly tags: number;
}

/**
 * Limits for an object that is requested by its id, or that is changed. No label is removed, because a change
 * may depend on the labels.
 */
export const OBJECT_TEXTS: TextLimits = { bytes: 16 * 2 ** 20, titleUnits: Infinity, tags: Infinity };
/** Limits for a long object in a list that has no room for all texts of the object. */
export const LISTED_TEXTS: TextLimits = { bytes: 256 * 2 ** 10, titleUnits: 4096, tags: 256 };
/** Limits for an object in a list that has no room for any text. */
export const SHORT_TEXTS: TextLimits = { ...LISTED_TEXTS, bytes: 0 };

/** Maximum length of a cut text, in UTF-16 units. */
export const CUT_UNITS = 256;
/** Maximum number of embeds of a cut text. */
const CUT_EMBEDS = 4;
/** Approximate memory of an embed or another item of an array, without its text, in bytes. */
export const ITEM_BYTES = 64;
/** Approximate memory of a label or an assignee, without its text, in bytes. */
export const TAG_BYTES = 24;

const BLANKS = /^\p{White_Space}*/u;

/** Total size of the texts in the state of an object, in bytes. */
export interface Texts {
  readonly bytes: number;
  /** Total size of the texts before some of them were cut, in bytes. */
  readonly wholeBytes: number;
}

export const NO_TEXTS: Texts = { bytes: 0, wholeBytes: 0 };

interface Weighed {
  readonly id: Oid;
  readonly bytes: number;
}

/** Cuts the texts of entries that exceed the limit, in the order in which the entries are applied. */
export class TextBudget {
  readonly #limitBytes: number;
  /** Ids of the shortest entries of the object. Together, the texts of these entries are within the limit. */
  readonly #shortest: ReadonlySet<Oid>;
  /** The author of the object, and the delegates in the identity documents of the entries by these nodes. */
  readonly #trusted = new Set<Did>();
  readonly #usedBytes = { trusted: 0, others: 0 };
  #wholeBytes = 0;
  /** Ids of the comments, revisions and reviews whose texts were cut. */
  readonly cut = new Set<Oid>();

  constructor(entries: Iterable<Weighed>, { bytes: limitBytes }: TextLimits) {
    this.#limitBytes = limitBytes;
    this.#shortest = shortestOf(entries, limitBytes);
  }

  get texts(): Texts {
    const { trusted, others } = this.#usedBytes;
    return { bytes: trusted + others, wholeBytes: this.#wholeBytes };
  }

  /**
   * Returns an entry unchanged if its texts fit within the limit, or else with cut texts. The author of the
   * first entry and the delegates share one limit, in the order of their entries. Other nodes share a second
   * limit, which only the shortest of their entries use, so that a few long entries cannot use the bytes of
   * many short entries.
   *
   * @param op A verified entry.
   * @param bytes Size of the entry's actions, in bytes.
   */
  take<A>(op: Op<A>, bytes: number): Op<A> {
    const author = didOfNid(op.author);
    if (this.#trusted.size === 0) this.#trusted.add(author);
    const isTrusted = this.#trusted.has(author);
    if (isTrusted) {
      for (const delegate of op.doc.delegates) this.#trusted.add(delegate);
    }
    const pool = isTrusted ? "trusted" : "others";
    const weight = bytes + ITEM_BYTES * countItems(op.actions);
    this.#wholeBytes += weight;
    const isInTurn = isTrusted || this.#shortest.has(op.id);
    if (isInTurn && this.#usedBytes[pool] + weight <= this.#limitBytes) {
      this.#usedBytes[pool] += weight;
      return op;
    }
    this.#usedBytes[pool] += Math.min(bytes, CUT_UNITS);
    const actions = op.actions.map((action) => {
      const short = cutAction(action as Members);
      if (short !== action) this.cut.add(subjectOf(action as Members, op.id));
      return short as A;
    });
    return { ...op, actions };
  }
}

function shortestOf(entries: Iterable<Weighed>, limitBytes: number): ReadonlySet<Oid> {
  const shortest = new Set<Oid>();
  let sum = 0;
  for (const { id, bytes } of [...entries].sort((a, b) => a.bytes - b.bytes)) {
    sum += bytes;
    if (sum > limitBytes) break;
    shortest.add(id);
  }
  return shortest;
}

/** Checks whether some texts are cut. */
export function areCut({ bytes, wholeBytes }: Texts): boolean {
  return bytes < wholeBytes;
}

/** Checks whether no texts are cut, and their total size is within the limits. */
export function isWithin(texts: Texts, limits: TextLimits): boolean {
  return !areCut(texts) && texts.bytes <= limits.bytes;
}

/**
 * Cuts a text to `units` UTF-16 units. Blanks at the start of the text are removed if the result would
 * contain only blanks.
 */
export function cutText(text: string, units: number = CUT_UNITS): string {
  if (text.length <= units) return text;
  const blanks = BLANKS.exec(text)?.[0].length ?? 0;
  const start = blanks < units || blanks === text.length ? 0 : blanks;
  // The text is copied, because a slice would keep the whole text in memory.
  return JSON.parse(JSON.stringify(text.slice(start, start + units).toWellFormed()));
}

/**
 * Returns the first `limit` labels or assignees, without long texts. If `limit` is `Infinity`, all of them
 * are returned.
 */
export function cutTags<T extends string>(tags: readonly T[], limit: number): readonly T[] {
  if (limit === Infinity) return tags;
  return tags.slice(0, limit).filter(({ length }) => length <= CUT_UNITS);
}

interface Members {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Names of the properties of actions that are cut, each with the function that cuts the property. */
const CUTS: ReadonlyMap<string, (member: unknown) => unknown> = new Map([
  ...["body", "description", "summary"].map((name) =>
    [name, (text: unknown) => typeof text === "string" ? cutText(text) : text] as const
  ),
  ["embeds", (embeds) => Array.isArray(embeds) ? cutEmbeds(embeds) : embeds],
  ["location", (location) => hasPath(location) ? cutPath(location) : location],
]);

/**
 * Cuts the texts, the embeds and the path in an action, and removes the labels of a review. Returns the same
 * action if nothing is too long. Titles, assignees and labels of objects are not cut, because permissions
 * depend on them.
 */
function cutAction(action: Members): Members {
  const changes: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(action)) {
    const short = CUTS.get(name)?.(member) ?? member;
    if (short !== member) changes[name] = short;
  }
  const { type, resolves, labels } = action;
  if (Array.isArray(resolves) && resolves.length > CUT_EMBEDS) changes["resolves"] = [];
  if (type.startsWith("review") && Array.isArray(labels) && labels.length > 0) changes["labels"] = [];
  return Object.keys(changes).length === 0 ? action : { ...action, ...changes };
}

/** Returns the first {@link CUT_EMBEDS} embeds, without embeds that have a long name or content. */
function cutEmbeds<E extends Embed>(embeds: readonly E[]): readonly E[] {
  const short = embeds.slice(0, CUT_EMBEDS).filter(({ name, content }) =>
    name.length <= CUT_UNITS && content.length <= CUT_UNITS
  );
  return short.length === embeds.length ? embeds : short;
}

/**
 * Cuts the path of a code location, and appends a checksum of the whole path, so that different locations
 * stay different. Returns the same location if its path is short.
 */
function cutPath<L extends { readonly path: string }>(location: L): L {
  const { path } = location;
  if (path.length <= CUT_UNITS) return location;
  let sum = 0;
  for (let i = 0; i < path.length; i++) sum = (Math.imul(sum, 31) + path.charCodeAt(i)) | 0;
  return { ...location, path: `${cutText(path)}…${(sum >>> 0).toString(16)}` };
}

function countItems(actions: readonly unknown[]): number {
  let count = 0;
  for (const { type, embeds, resolves, labels } of actions as readonly Members[]) {
    if (Array.isArray(embeds)) count += embeds.length;
    if (Array.isArray(resolves)) count += resolves.length;
    if (Array.isArray(labels) && type.startsWith("review")) count += labels.length;
  }
  return count;
}

function hasPath(location: unknown): location is { readonly path: string } {
  return typeof location === "object" && location !== null && "path" in location &&
    typeof location.path === "string";
}

/** Returns the id of the comment, revision or review that an action of the entry `id` creates or changes. */
function subjectOf(action: Members, id: Oid): Oid {
  if (!/\.(?:edit|react)$/.test(action.type)) return id;
  return (action["comment"] ?? action["id"] ?? action["review"] ?? action["revision"]) as Oid;
}
