/** JSON of views, cached for as long as its subject and the aliases of the nodes in it stay the same. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import type { NodeId } from "../ids/nid.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import { type Steps, TimeSlices } from "../async/time_slices.ts";
import type { AliasOf } from "./author.ts";
import { LaterValue } from "./whole_texts.ts";

/** Memory of a unit of UTF-16, in bytes; texts without characters beyond Latin-1 take half of that. */
const UNIT_BYTES = 2;

/** The largest share of the cache that one text may take: a longer one would take the place of all others. */
const LARGEST_SHARE = 1 / 4;

/** Texts of an object, in bytes, beyond which its view is not made at once. */
export const STREAMED_TEXT_BYTES = 2 ** 20;

/** Length of a piece of a long text, in units of UTF-16, about. */
const PIECE_UNITS = 64 * 1024;

/** Items of an array that are written at once, if they are small together. */
const SLICE_ITEMS = 256;
/** Values that are small together, a text counting one more for so many characters. */
const [SMALL_COST, COST_UNITS] = [1024, 64];

/** Values in a view from which on its text is made in pieces. */
export const MAX_VALUES_AT_ONCE = 16_384;

/** Memory of a text besides its units, and of a node in it, in bytes, about. */
const ENTRY_BYTES = 512;
const NODE_BYTES = 16;

/** A text, and what it depends on besides its subject. */
interface CachedText {
  readonly besides: unknown;
  readonly nodes: readonly NodeId[];
  /** Aliases of the nodes in the text. */
  readonly names: readonly (string | undefined)[];
  readonly text: string;
}

/** Makes a view of something; it is pure. */
export type ToView<T> = (subject: T, aliasOf: AliasOf) => unknown;

/**
 * JSON cached by object identity, of all kinds of subjects together. A subject of one kind is always shown in
 * one way.
 */
export class CachedTexts {
  readonly #texts: LruMap<object, CachedText>;
  /** Length of the longest text that is cached, in units of UTF-16. */
  readonly #longest: number;

  constructor(memory: Memory = new Memory()) {
    this.#longest = memory.share("views") * LARGEST_SHARE / UNIT_BYTES;
    this.#texts = memory.map(
      "views",
      ({ text, nodes }) => ENTRY_BYTES + UNIT_BYTES * text.length + NODE_BYTES * nodes.length,
    );
  }

  /**
   * The JSON of views, in the order of what is viewed, with the names of all nodes as they are now, looked up
   * all at once.
   *
   * @param subjects What never changes, such as states of objects.
   * @param besides What a view depends on besides its subject and the names: another value, another view.
   */
  async of<T extends object>(
    names: Pick<RadicleNode, "aliases">,
    subjects: readonly T[],
    view: ToView<T>,
    besides: (subject: T) => unknown = () => undefined,
  ): Promise<readonly string[]> {
    const nodes = new Set<NodeId>();
    const slices = new TimeSlices();
    const cached: CachedText[] = [];
    for (const subject of subjects) {
      const found = this.#texts.get(subject);
      // Without names, to see of which nodes it shows one: a question to a database for each node would cost
      // more.
      const text = found?.besides === besides(subject) && found !== undefined
        ? found
        : await slices.do(this.#make(subject, view, besides(subject), NO_NAMES));
      for (const node of text.nodes) nodes.add(node);
      cached.push(text);
      await slices.next();
    }
    const aliases = nodes.size === 0 ? NO_NAMES : await names.aliases([...nodes]);
    const texts: string[] = [];
    for (const [i, subject] of subjects.entries()) {
      const { nodes, names, text } = cached[i]!;
      const isSame = nodes.every((node, n) => aliases.get(node) === names[n]);
      const made = isSame ? undefined : slices.do(this.#make(subject, view, besides(subject), aliases));
      texts.push(made === undefined ? text : (await made).text);
    }
    return texts;
  }

  /**
   * The JSON of one view that is too long to be made at once, in pieces. It is not cached. Only here may a
   * view have values that are read later.
   */
  async *pieces<T extends object>(
    names: Pick<RadicleNode, "aliases">,
    subject: T,
    view: ToView<T>,
  ): AsyncGenerator<string> {
    const nodes = new Set<NodeId>();
    view(subject, (node) => void nodes.add(node));
    const aliases = nodes.size === 0 ? NO_NAMES : await names.aliases([...nodes]);
    const slices = new TimeSlices();
    for (const piece of gatheredPieces(view(subject, (node) => aliases.get(node)))) {
      if (typeof piece === "string") yield piece;
      else {
        for (const part of gatheredPieces(await piece.read())) {
          if (typeof part === "string") yield part;
          await slices.next();
        }
      }
      await slices.next();
    }
  }

  *#make<T extends object>(
    subject: T,
    view: ToView<T>,
    besides: unknown,
    aliases: ReadonlyMap<NodeId, string>,
  ): Steps<CachedText> {
    const names = new Map<NodeId, string | undefined>();
    const value = view(subject, (node) => {
      const name = aliases.get(node);
      names.set(node, name);
      return name;
    });
    const text = countValues(value, MAX_VALUES_AT_ONCE) < MAX_VALUES_AT_ONCE
      ? JSON.stringify(value)
      : yield* jsonInSteps(value);
    const made = { besides, nodes: [...names.keys()], names: [...names.values()], text };
    if (text.length <= this.#longest) this.#texts.set(subject, made);
    return made;
  }
}

const NO_NAMES: ReadonlyMap<NodeId, string> = new Map();

/** Number of values in a value, itself included; stops counting at `limit`. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value) && value.length >= limit) return limit;
  let count = 1;
  for (const member of membersOf(value)) {
    if (count >= limit) break;
    count += countValues(member, limit - count);
  }
  return count;
}

function* jsonInSteps(value: unknown): Steps<string> {
  const pieces: string[] = [];
  for (const piece of gatheredPieces(value)) {
    if (typeof piece === "string") pieces.push(piece);
    yield undefined;
  }
  return pieces.join("");
}

/** The JSON of a value in pieces of some length, and values that are read later in the place of theirs. */
function* gatheredPieces(value: unknown): Generator<string | LaterValue> {
  let gathered = "";
  for (const piece of jsonPiecesOf(value)) {
    if (typeof piece !== "string") {
      if (gathered !== "") yield gathered;
      yield piece;
      gathered = "";
      continue;
    }
    gathered += piece;
    if (gathered.length < PIECE_UNITS) continue;
    yield gathered;
    gathered = "";
  }
  if (gathered !== "") yield gathered;
}

/** The JSON of a value in pieces, of which each is a part of a text, or a few small values. */
function* jsonPiecesOf(value: unknown): Generator<string | LaterValue> {
  if (value instanceof LaterValue) yield value;
  else if (typeof value === "string") yield* textPieces(value);
  else if (typeof value !== "object" || value === null || isSmall(value)) {
    yield JSON.stringify(value) ?? "null";
  } else if (Array.isArray(value)) {
    let before = "[";
    for (let start = 0; start < value.length; start += SLICE_ITEMS) {
      const slice = value.slice(start, start + SLICE_ITEMS);
      if (isSmall(slice)) yield before + JSON.stringify(slice).slice(1, -1);
      else {
        for (const item of slice) {
          yield before;
          yield* jsonPiecesOf(item);
          before = ",";
        }
      }
      before = ",";
    }
    yield value.length === 0 ? "[]" : "]";
  } else {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    yield "{";
    for (const [i, [name, member]] of members.entries()) {
      yield `${i > 0 ? "," : ""}${JSON.stringify(name)}:`;
      yield* jsonPiecesOf(member);
    }
    yield "}";
  }
}

/** The JSON of a text in pieces; no piece ends between two halves of a surrogate pair. */
function* textPieces(text: string): Generator<string> {
  if (text.length <= PIECE_UNITS) return yield JSON.stringify(text);
  yield '"';
  for (let start = 0; start < text.length;) {
    const isSplit = (text.charCodeAt(start + PIECE_UNITS - 1) & 0xfc00) === 0xd800;
    const end = start + PIECE_UNITS - (isSplit ? 1 : 0);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

function isSmall(value: unknown): boolean {
  return costOf(value, SMALL_COST) < SMALL_COST;
}

/** One for each value, and for so many characters of a text; no more than `limit` is counted. */
function costOf(value: unknown, limit: number): number {
  if (typeof value === "string") return 1 + value.length / COST_UNITS;
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof LaterValue || Array.isArray(value) && value.length >= limit) return limit;
  let cost = 1;
  for (const member of membersOf(value)) {
    if (cost >= limit) break;
    cost += costOf(member, limit - cost);
  }
  return cost;
}

function membersOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value);
}
