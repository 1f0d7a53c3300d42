/** JSON of views, kept for as long as what it tells stays the same: what is viewed, and what the nodes in it are called. */
import { LruMap } from "../cache/lru_map.ts";
import type { NodeId } from "../ids/nid.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import { type Steps, Turns } from "../time/turns.ts";
import type { AliasOf } from "./author.ts";

/** Length of all texts that are kept, in UTF-16 units, which take a byte each, or two in texts with characters beyond Latin-1. */
export const KEPT_TEXT_UNITS = 12 * 2 ** 20;

/** Texts of an object, in bytes, beyond which its view is not made at once. */
export const STREAMED_TEXT_BYTES = 2 ** 20;

/** Length of a piece of a long text, in the same units, about. */
const PIECE_UNITS = 64 * 1024;

/** Items of an array that are written at once, if they are small together. */
const SLICE_ITEMS = 256;
/** Values that are small together, a text counting one more for so many characters. */
const [SMALL_COST, COST_UNITS] = [1024, 64];

/** Values in a view from which on its text is made in pieces. */
export const MAX_VALUES_AT_ONCE = 16_384;

/** What a text takes besides, about, in the same units. */
const ENTRY_UNITS = 256;

/** A text, and what it depends on besides its subject. */
interface KeptText {
  readonly besides: unknown;
  readonly nodes: readonly NodeId[];
  /** What the nodes are called in the text. */
  readonly names: readonly (string | undefined)[];
  readonly text: string;
}

/** Makes a view of something; it is pure. */
export type ToView<T> = (subject: T, aliasOf: AliasOf) => unknown;

/** Texts by the very things that they show, of all kinds together. A thing of one kind is always shown in one way. */
export class KeptTexts {
  readonly #texts: LruMap<object, KeptText>;
  /** Length of the longest text that is kept. */
  readonly #longest: number;

  /** @param capacity Length of all texts. */
  constructor(capacity: number = KEPT_TEXT_UNITS) {
    this.#longest = capacity / 4;
    this.#texts = new LruMap(capacity, ({ text, nodes }) => ENTRY_UNITS + text.length + 8 * nodes.length);
  }

  /**
   * The JSON of views, in the order of what is viewed, with the names of all nodes as they are now, looked up all at once.
   *
   * @param subjects What never changes, such as states of objects.
   * @param besides What a view depends on besides its subject and the names: another value, another view.
   */
  async of<T extends object>(
    names: Pick<RadicleNode, "aliases">,
    subjects: readonly T[],
    view: ToView<T>,
    besides: (subject: T) => unknown = () => undefined,
  ): Promise<string[]> {
    const nodes = new Set<NodeId>();
    const turns = new Turns();
    const known: KeptText[] = [];
    for (const subject of subjects) {
      const kept = this.#texts.get(subject);
      // Without names, to see of which nodes it shows one: a question to a database for each node would cost more.
      const text = kept?.besides === besides(subject) && kept !== undefined
        ? kept
        : await turns.do(this.#make(subject, view, besides(subject), NO_NAMES));
      for (const node of text.nodes) nodes.add(node);
      known.push(text);
      await turns.next();
    }
    const aliases = nodes.size === 0 ? NO_NAMES : await names.aliases([...nodes]);
    const texts: string[] = [];
    for (const [i, subject] of subjects.entries()) {
      const { nodes, names, text } = known[i]!;
      const isSame = nodes.every((node, n) => aliases.get(node) === names[n]);
      const made = isSame ? undefined : turns.do(this.#make(subject, view, besides(subject), aliases));
      texts.push(made === undefined ? text : (await made).text);
    }
    return texts;
  }

  /** The JSON of one view that is too long to be made at once, in pieces. It is not kept. */
  async *pieces<T extends object>(
    names: Pick<RadicleNode, "aliases">,
    subject: T,
    view: ToView<T>,
  ): AsyncGenerator<string> {
    const nodes = new Set<NodeId>();
    view(subject, (node) => void nodes.add(node));
    const aliases = nodes.size === 0 ? NO_NAMES : await names.aliases([...nodes]);
    const turns = new Turns();
    for (const piece of gatheredPieces(view(subject, (node) => aliases.get(node)))) {
      yield piece;
      await turns.next();
    }
  }

  *#make<T extends object>(
    subject: T,
    view: ToView<T>,
    besides: unknown,
    aliases: ReadonlyMap<NodeId, string>,
  ): Steps<KeptText> {
    const names = new Map<NodeId, string | undefined>();
    const value = view(subject, (node) => {
      const name = aliases.get(node);
      names.set(node, name);
      return name;
    });
    const text = countValues(value, MAX_VALUES_AT_ONCE) < MAX_VALUES_AT_ONCE
      ? JSON.stringify(value)
      : yield* jsonInSteps(value);
    const kept = { besides, nodes: [...names.keys()], names: [...names.values()], text };
    // A long one would take the place of all others.
    if (text.length <= this.#longest) this.#texts.set(subject, kept);
    return kept;
  }
}

const NO_NAMES: ReadonlyMap<NodeId, string> = new Map();

/** How many values a value holds, itself included; no more than `limit` are counted. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const name in value) {
    if (count >= limit) break;
    count += countValues((value as Record<string, unknown>)[name], limit - count);
  }
  return count;
}

function* jsonInSteps(value: unknown): Steps<string> {
  const pieces: string[] = [];
  for (const piece of gatheredPieces(value)) {
    pieces.push(piece);
    yield undefined;
  }
  return pieces.join("");
}

/** The JSON of a value in pieces of some length. */
function* gatheredPieces(value: unknown): Generator<string> {
  let gathered = "";
  for (const piece of jsonPiecesOf(value)) {
    gathered += piece;
    if (gathered.length < PIECE_UNITS) continue;
    yield gathered;
    gathered = "";
  }
  yield gathered;
}

/** The JSON of a value in pieces, of which each is a text of the value or less, or a few small values. */
function* jsonPiecesOf(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null || isSmall(value)) {
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

function isSmall(value: unknown): boolean {
  return costOf(value, SMALL_COST) < SMALL_COST;
}

/** One for each value, and for so many characters of a text; no more than `limit` is counted. */
function costOf(value: unknown, limit: number): number {
  if (typeof value === "string") return 1 + value.length / COST_UNITS;
  if (typeof value !== "object" || value === null) return 1;
  let cost = 1;
  for (const name in value) {
    if (cost >= limit) break;
    cost += costOf((value as Record<string, unknown>)[name], limit - cost);
  }
  return cost;
}
