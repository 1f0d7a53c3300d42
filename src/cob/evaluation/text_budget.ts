/**
 * Bounds the texts in the state of one object. Every entry is read, checked and applied. But if the entries
 * of an object have too much text together, the texts of the longest entries are truncated (2.17).
 */
import type { Oid } from "../../ids/oid.ts";
import type { Embed } from "../entry/entry.ts";
import type { TextSource } from "../entry/state_forms.ts";

/** Bytes of actions whose texts are in the state of one object in full. */
export const OBJECT_TEXT_BYTES = 32 * 2 ** 20;
/**
 * Bytes of texts in the state of a truncated object after an evaluation. The rest of the budget is room for
 * later entries.
 */
export const FILLED_TEXT_BYTES = 24 * 2 ** 20;
/** Length of a truncated text, in UTF-16 units. */
export const TRUNCATED_UNITS = 256;
/** Length of a truncated title, in UTF-16 units. */
export const TRUNCATED_TITLE_UNITS = 4096;
/** Labels and assignees of an object in a truncated list. */
export const TRUNCATED_TAGS = 256;
/** Approximate memory of an embed or another item of a list, besides its text, in bytes. */
export const ITEM_BYTES = 64;
/** Approximate memory of a label or an assignee, besides its text, in bytes. */
export const TAG_BYTES = 24;
/** Embeds of a truncated text. */
const TRUNCATED_EMBEDS = 4;

const BLANKS = /^\p{White_Space}*/u;

/** The texts in the state of an object. */
export interface Texts {
  /** Bytes of the entries whose texts are in full. */
  readonly bytes: number;
  /** Size of an entry, in bytes, from which on its texts are truncated; `Infinity` while none is. */
  readonly limitBytes: number;
  /** Comments, revisions and reviews with truncated texts. */
  readonly truncated: ReadonlySet<Oid>;
}

/** No texts, and no limit. */
export const NO_TEXTS: Texts = { bytes: 0, limitBytes: Infinity, truncated: new Set() };

/** An entry with its size. */
interface Weighed {
  readonly id: Oid;
  /** Bytes of its actions. */
  readonly bytes: number;
}

/** Truncates texts of entries, as they are applied, to stay within the budget. */
export class TextBudget {
  #limitBytes: number;
  readonly #truncated = new Set<Oid>();
  /** Number of entries of exactly the limit whose texts stay in full. */
  #ties: number;
  #bytes = 0;

  /** `limitBytes` is the first limit, see {@link Texts}. */
  constructor(limitBytes: number, ties = 0) {
    this.#limitBytes = limitBytes;
    this.#ties = ties;
  }

  /**
   * A budget for all entries of an object. When they exceed it, the texts of the shortest entries stay in
   * full.
   */
  static of(entries: Iterable<Weighed>): TextBudget {
    const sizes = Array.from(entries, ({ bytes }) => bytes);
    if (sizes.reduce((sum, bytes) => sum + bytes, 0) <= OBJECT_TEXT_BYTES) return new TextBudget(Infinity);
    sizes.sort((a, b) => a - b);
    let sum = 0;
    const limitBytes = sizes.find((bytes) => (sum += bytes) > FILLED_TEXT_BYTES)!;
    const below = sizes.reduce((sum, bytes) => bytes < limitBytes ? sum + bytes : sum, 0);
    return new TextBudget(limitBytes, Math.floor((FILLED_TEXT_BYTES - below) / limitBytes));
  }

  /** The texts so far. */
  get texts(): Texts {
    return { bytes: this.#bytes, limitBytes: this.#limitBytes, truncated: this.#truncated };
  }

  /**
   * The actions of an entry, truncated if necessary. Actions with truncated texts have their source, and so
   * have those with a title that may be truncated in the end.
   */
  take<A>({ id, bytes }: Weighed, actions: readonly A[]): readonly A[] {
    const weight = bytes + ITEM_BYTES * countItems(actions);
    const sourceAt = (action: number): TextSource => ({ entry: id, action, bytes });
    if (this.#hasRoom(bytes, weight)) {
      this.#bytes += weight;
      if (!actions.some(hasLongTitle)) return actions;
      return actions.map((action, i) => hasLongTitle(action) ? { ...action, source: sourceAt(i) } : action);
    }
    this.#bytes += Math.min(bytes, TRUNCATED_UNITS);
    return actions.map((action, i) => {
      const short = truncateAction(action as Members);
      if (short !== action) this.#truncated.add(subjectOf(action as Members, id));
      return short === action && !hasLongTitle(action) ? action : { ...short as A, source: sourceAt(i) };
    });
  }

  #hasRoom(bytes: number, weight: number): boolean {
    const isWithin = this.#bytes + weight <= OBJECT_TEXT_BYTES;
    // The number of items is unknown until the actions are decoded.
    if (this.#limitBytes === Infinity && !isWithin) this.#limitBytes = bytes;
    if (this.#limitBytes === Infinity) return true;
    if (bytes === this.#limitBytes && this.#ties > 0) {
      this.#ties--;
      return true;
    }
    return bytes < this.#limitBytes && isWithin;
  }
}

/** Whether a further entry leaves the texts within their budget, or truncated as they are. */
export function hasRoom({ bytes, limitBytes }: Texts, more: number): boolean {
  return limitBytes !== Infinity || bytes + more <= OBJECT_TEXT_BYTES;
}

/**
 * Truncates a text to `units`. The result is empty only for an empty text, and blank only for a blank one.
 */
export function truncateText(text: string, units: number = TRUNCATED_UNITS): string {
  if (text.length <= units) return text;
  const blanks = BLANKS.exec(text)?.[0].length ?? 0;
  const start = blanks < units || blanks === text.length ? 0 : blanks;
  // Copied, since a slice would keep the whole text in memory.
  return JSON.parse(JSON.stringify(text.slice(start, start + units).toWellFormed()));
}

/** The members of an action. */
interface Members {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Truncations by the name of the member. Versions of a text in a state are truncated by themselves. */
const TRUNCATIONS: ReadonlyMap<string, (member: unknown) => unknown> = new Map([
  ...["body", "description", "summary"].map((name) =>
    [name, (text: unknown) => typeof text === "string" ? truncateText(text) : text] as const
  ),
  ["embeds", (embeds) => Array.isArray(embeds) ? truncateEmbeds(embeds) : embeds],
  ["location", (location) => hasPath(location) ? truncatePath(location) : location],
]);

/**
 * Truncates the texts of an action, or of a part of a state, its embeds and the path of its location; returns
 * the part itself if nothing is too long.
 */
export function truncateTexts<P extends object>(part: P): P {
  const changes: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(part)) {
    const short = TRUNCATIONS.get(name)?.(member) ?? member;
    if (short !== member) changes[name] = short;
  }
  return Object.keys(changes).length === 0 ? part : { ...part, ...changes };
}

/**
 * Truncates an action; returns the action itself if nothing is too long. Titles, labels and assignees stay:
 * later actions replace them, and permissions depend on them.
 */
function truncateAction(action: Members): Members {
  const { type, resolves, labels } = action;
  const short = truncateTexts(action);
  const isLong = Array.isArray(resolves) && resolves.length > TRUNCATED_EMBEDS;
  const isLabelled = type.startsWith("review") && Array.isArray(labels) && labels.length > 0;
  if (!isLong && !isLabelled) return short;
  return { ...short, ...isLong && { resolves: [] }, ...isLabelled && { labels: [] } };
}

/** The first embeds, without long ones. */
function truncateEmbeds<E extends Embed>(embeds: readonly E[]): readonly E[] {
  const short = embeds.slice(0, TRUNCATED_EMBEDS).filter(({ name, content }) =>
    name.length <= TRUNCATED_UNITS && content.length <= TRUNCATED_UNITS
  );
  return short.length === embeds.length ? embeds : short;
}

/** The first texts, without long ones. */
export function truncateTags<T extends string>(texts: readonly T[]): readonly T[] {
  const short = texts.slice(0, TRUNCATED_TAGS).filter(({ length }) => length <= TRUNCATED_UNITS);
  return short.length === texts.length ? texts : short;
}

/**
 * Truncates the path of a code location, and appends a checksum of the whole path, so that locations stay
 * distinct. Returns the location itself if its path is short.
 */
function truncatePath<L extends { readonly path: string }>(location: L): L {
  const { path } = location;
  if (path.length <= TRUNCATED_UNITS) return location;
  let sum = 0;
  for (let i = 0; i < path.length; i++) sum = (Math.imul(sum, 31) + path.charCodeAt(i)) | 0;
  return { ...location, path: `${truncateText(path)}…${(sum >>> 0).toString(16)}` };
}

/** Number of items in the lists that {@link truncateAction} truncates. */
function countItems(actions: readonly unknown[]): number {
  let count = 0;
  for (const { type, embeds, resolves, labels } of actions as readonly Members[]) {
    if (Array.isArray(embeds)) count += embeds.length;
    if (Array.isArray(resolves)) count += resolves.length;
    if (Array.isArray(labels) && type.startsWith("review")) count += labels.length;
  }
  return count;
}

function hasLongTitle(action: unknown): boolean {
  const { title } = action as Members;
  return typeof title === "string" && title.length > TRUNCATED_TITLE_UNITS;
}

function hasPath(location: unknown): location is { readonly path: string } {
  return typeof location === "object" && location !== null && "path" in location &&
    typeof location.path === "string";
}

/** The comment, revision or review that an action of the entry `id` refers to. */
function subjectOf(action: Members, id: Oid): Oid {
  if (!/\.(?:edit|react)$/.test(action.type)) return id;
  return (action["comment"] ?? action["id"] ?? action["review"] ?? action["revision"]) as Oid;
}
