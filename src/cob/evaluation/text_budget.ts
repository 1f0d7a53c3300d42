/**
 * Bounds the texts that are kept and shown of one object. Every entry is read, checked and applied, whatever it says;
 * but where the entries of an object say too much together, the longest of them leave only the beginnings of their
 * texts in its state.
 */
import type { Oid } from "../../ids/oid.ts";

/** Actions whose texts are kept and shown of one object, in bytes. */
export const OBJECT_TEXT_BYTES = 32 * 2 ** 20;
/** Texts that an evaluation keeps of an object with more, in bytes: the rest is room for later entries. */
export const FILLED_TEXT_BYTES = 24 * 2 ** 20;
/** Length of a text, in UTF-16 units, up to which it is always kept. */
export const ALWAYS_KEPT_UNITS = 256;
/** Length of a title, in UTF-16 units, up to which it is always kept. */
export const ALWAYS_KEPT_TITLE_UNITS = 4096;
/** Labels and assignees that an object has in lists, whatever room there is. */
export const ALWAYS_KEPT_TEXTS = 256;
/** What an embed, and an item of other lists that belong to a text, takes besides its text, about, in bytes. */
export const ITEM_BYTES = 64;
/** What a label or an assignee takes besides its text, about, in bytes. */
export const TAG_BYTES = 24;
/** Embeds of a text that are always kept. */
const ALWAYS_KEPT_EMBEDS = 4;

const BLANKS = /^\p{White_Space}*/u;

/** The texts of an object. */
export interface Texts {
  /** Bytes of the entries whose texts are kept. */
  readonly bytes: number;
  /** Bytes of an entry from which on its texts are not kept; `Infinity` while all are. */
  readonly limitBytes: number;
  /** The comments, revisions and reviews of which texts are not kept in full. */
  readonly truncated: ReadonlySet<Oid>;
}

/** Nothing, of which everything is kept. */
export const NO_TEXTS: Texts = { bytes: 0, limitBytes: Infinity, truncated: new Set() };

/** An entry as the budget sees it. */
interface Weighed {
  readonly id: Oid;
  /** Bytes of its actions. */
  readonly bytes: number;
}

/** Keeps the texts of entries, as they are applied, within a budget. */
export class TextBudget {
  #limitBytes: number;
  readonly #truncated: Set<Oid>;
  /** How many entries of just the limit keep their texts. */
  #ties: number;
  #bytes: number;

  /** Goes on from what is kept of earlier entries. */
  constructor({ bytes, limitBytes, truncated }: Texts, ties = 0) {
    this.#bytes = bytes;
    this.#limitBytes = limitBytes;
    this.#truncated = new Set(truncated);
    this.#ties = ties;
  }

  /** A budget for all entries of an object: when they say too much, the shortest keep their texts. */
  static of(entries: Iterable<Weighed>): TextBudget {
    const sizes = Array.from(entries, ({ bytes }) => bytes);
    if (sizes.reduce((sum, bytes) => sum + bytes, 0) <= OBJECT_TEXT_BYTES) return new TextBudget(NO_TEXTS);
    sizes.sort((a, b) => a - b);
    let sum = 0;
    const limitBytes = sizes.find((bytes) => (sum += bytes) > FILLED_TEXT_BYTES)!;
    const below = sizes.reduce((sum, bytes) => bytes < limitBytes ? sum + bytes : sum, 0);
    return new TextBudget({ ...NO_TEXTS, limitBytes }, Math.floor((FILLED_TEXT_BYTES - below) / limitBytes));
  }

  /** What is kept so far. */
  get texts(): Texts {
    return { bytes: this.#bytes, limitBytes: this.#limitBytes, truncated: this.#truncated };
  }

  /** The actions of an entry as they are to be applied. */
  take<A>({ id, bytes }: Weighed, actions: readonly A[]): readonly A[] {
    const weight = bytes + ITEM_BYTES * countItems(actions);
    if (this.#hasRoom(bytes, weight)) {
      this.#bytes += weight;
      return actions;
    }
    this.#bytes += Math.min(bytes, ALWAYS_KEPT_UNITS);
    return actions.map((action) => {
      const short = shorten(action as Members);
      if (short === action) return action;
      this.#truncated.add(subjectOf(action as Members, id));
      return short as A;
    });
  }

  #hasRoom(bytes: number, weight: number): boolean {
    const isWithin = this.#bytes + weight <= OBJECT_TEXT_BYTES;
    // How many items there are is not known before.
    if (this.#limitBytes === Infinity && !isWithin) this.#limitBytes = bytes;
    if (this.#limitBytes === Infinity) return true;
    if (bytes === this.#limitBytes && this.#ties > 0) {
      this.#ties--;
      return true;
    }
    return bytes < this.#limitBytes && isWithin;
  }
}

/** Whether one more entry leaves the texts of an object within its budget, or beyond it as they were. */
export function hasRoom({ bytes, limitBytes }: Texts, more: number): boolean {
  return limitBytes !== Infinity || bytes + more <= OBJECT_TEXT_BYTES;
}

/** The beginning of a text that is longer than `units`; it is empty only if the text is, and blank only if the text is. */
export function shortenText(text: string, units: number = ALWAYS_KEPT_UNITS): string {
  if (text.length <= units) return text;
  const blanks = BLANKS.exec(text)?.[0].length ?? 0;
  const start = blanks < units || blanks === text.length ? 0 : blanks;
  // Copied: a part of a text would keep all of it in memory.
  return JSON.parse(JSON.stringify(text.slice(start, start + units).toWellFormed()));
}

/** An action, as far as it matters here. */
interface Members {
  readonly type: string;
  readonly [name: string]: unknown;
}

/**
 * An action with the beginnings of its texts; itself when these are all of them. Titles, labels and assignees stay: a
 * later action replaces them, and they decide whether an action counts.
 */
function shorten(action: Members): Members {
  const changes: Record<string, unknown> = {};
  for (const name of ["body", "description", "summary"]) {
    const text = action[name];
    if (typeof text === "string" && text.length > ALWAYS_KEPT_UNITS) changes[name] = shortenText(text);
  }
  const { embeds, resolves, labels, location } = action;
  if (Array.isArray(embeds)) {
    const short = shortenEmbeds(embeds);
    if (short !== embeds) changes["embeds"] = short;
  }
  if (Array.isArray(resolves) && resolves.length > ALWAYS_KEPT_EMBEDS) changes["resolves"] = [];
  if (action.type.startsWith("review") && Array.isArray(labels) && labels.length > 0) changes["labels"] = [];
  if (hasPath(location)) {
    const short = shortenPath(location);
    if (short !== location) changes["location"] = short;
  }
  return Object.keys(changes).length === 0 ? action : { ...action, ...changes };
}

/** The first embeds, those that are short. */
export function shortenEmbeds<E extends { readonly name: string; readonly content: string }>(
  embeds: readonly E[],
): readonly E[] {
  const short = embeds.slice(0, ALWAYS_KEPT_EMBEDS).filter(({ name, content }) =>
    name.length <= ALWAYS_KEPT_UNITS && content.length <= ALWAYS_KEPT_UNITS
  );
  return short.length === embeds.length ? embeds : short;
}

/** The first texts, those that are short. */
export function shortenTexts<T extends string>(texts: readonly T[]): readonly T[] {
  const short = texts.slice(0, ALWAYS_KEPT_TEXTS).filter(({ length }) => length <= ALWAYS_KEPT_UNITS);
  return short.length === texts.length ? texts : short;
}

/** A place with the beginning of its path and a sum of all of it, so that places stay apart; itself when it is short. */
export function shortenPath<L extends { readonly path: string }>(location: L): L {
  const { path } = location;
  if (path.length <= ALWAYS_KEPT_UNITS) return location;
  let sum = 0;
  for (let i = 0; i < path.length; i++) sum = (Math.imul(sum, 31) + path.charCodeAt(i)) | 0;
  return { ...location, path: `${shortenText(path)}…${(sum >>> 0).toString(16)}` };
}

/** Items of the lists that {@link shorten} takes from actions. */
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

/** The comment, revision or review that an action of the entry `id` speaks about. */
function subjectOf(action: Members, id: Oid): Oid {
  if (!/\.(?:edit|react)$/.test(action.type)) return id;
  return (action["comment"] ?? action["id"] ?? action["review"] ?? action["revision"]) as Oid;
}
