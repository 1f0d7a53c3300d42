/** JSON of views, cached while its subject and the aliases of the nodes in it stay the same. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import type { NodeId } from "../ids/nid.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { Steps, Task } from "../scheduling/task.ts";
import { jsonSlices } from "../text/json_slices.ts";
import type { AliasOf } from "./node.ts";

/** Memory of a UTF-16 unit, in bytes. Texts within Latin-1 take half of that. */
const UNIT_BYTES = 2;

/** Largest share of the cache for one text. A longer text would evict all others. */
const LARGEST_SHARE = 1 / 4;

/** Texts of an object, in bytes, beyond which its view is made in pieces and not cached. */
export const STREAMED_TEXT_BYTES = 2 ** 20;

/** Views with this many values or more are made in pieces. */
export const MAX_VALUES_AT_ONCE = 16_384;

/** Approximate memory of a text without its units, and of a node in it, in bytes. */
const ENTRY_BYTES = 512;
const NODE_BYTES = 16;

/** A text, and its dependencies other than the subject. */
interface CachedText {
  readonly besides: unknown;
  readonly nodes: readonly NodeId[];
  /** Aliases of the nodes in the text. */
  readonly names: readonly (string | undefined)[];
  readonly text: string;
}

/** Makes a view of a subject. It must be pure. */
export type ToView<T> = (subject: T, aliasOf: AliasOf) => unknown;

/**
 * JSON cached by object identity, for all kinds of subjects. Each subject must always be shown in the same
 * way.
 */
export class CachedTexts {
  readonly #texts: LruMap<object, CachedText>;
  /** Length of the longest cached text, in UTF-16 units. */
  readonly #longest: number;

  constructor(memory: Memory = new Memory()) {
    this.#longest = memory.share("views") * LARGEST_SHARE / UNIT_BYTES;
    this.#texts = memory.map(
      "views",
      ({ text, nodes }) => ENTRY_BYTES + UNIT_BYTES * text.length + NODE_BYTES * nodes.length,
    );
  }

  /**
   * The JSON of views, in the order of the subjects, with the current aliases of all nodes from one query.
   *
   * @param subjects Values that never change, such as states of objects.
   * @param besides Returns the dependencies of a view other than its subject and the aliases. The view is
   *   made again when this value changes.
   */
  async of<T extends object>(
    names: Pick<RadicleNode, "aliases">,
    subjects: readonly T[],
    view: ToView<T>,
    task: Task,
    besides: (subject: T) => unknown = () => undefined,
  ): Promise<readonly string[]> {
    const nodes = new Set<NodeId>();
    const cached: CachedText[] = [];
    for (const subject of subjects) {
      const found = this.#texts.get(subject);
      // The first text has no aliases and only serves to find the nodes. One query for all aliases costs less
      // than one query for each node.
      const text = found?.besides === besides(subject) && found !== undefined
        ? found
        : await task.run(this.#make(subject, view, besides(subject), NO_NAMES));
      for (const node of text.nodes) nodes.add(node);
      cached.push(text);
      await task.yield();
    }
    const aliases = nodes.size === 0 ? NO_NAMES : await names.aliases([...nodes]);
    const texts: string[] = [];
    for (const [i, subject] of subjects.entries()) {
      const { nodes, names, text } = cached[i]!;
      const isSame = nodes.every((node, n) => aliases.get(node) === names[n]);
      const made = isSame ? undefined : task.run(this.#make(subject, view, besides(subject), aliases));
      texts.push(made === undefined ? text : (await made).text);
    }
    return texts;
  }

  /** The JSON of one view that is too long to be made at once, in pieces. It is not cached. */
  async *pieces<T extends object>(
    names: Pick<RadicleNode, "aliases">,
    subject: T,
    view: ToView<T>,
    task: Task,
  ): AsyncGenerator<string> {
    const nodes = new Set<NodeId>();
    view(subject, (node) => void nodes.add(node));
    const aliases = nodes.size === 0 ? NO_NAMES : await names.aliases([...nodes]);
    for (const piece of jsonSlices(view(subject, (node) => aliases.get(node)))) {
      yield piece;
      await task.yield();
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

/** Number of values in a value, including itself. Counting stops at `limit`. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) return 1;
  if (Array.isArray(value) && value.length >= limit) return limit;
  let count = 1;
  for (const member of Object.values(value)) {
    if (count >= limit) break;
    count += countValues(member, limit - count);
  }
  return count;
}

function* jsonInSteps(value: unknown): Steps<string> {
  const slices: string[] = [];
  for (const slice of jsonSlices(value)) {
    slices.push(slice);
    yield undefined;
  }
  return slices.join("");
}
