/**
 * Caches JSON texts of issues and patches. A cached text is valid as long as the issue or patch (the
 * subject), and the aliases of the nodes in the text, stay the same.
 */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import type { NodeId } from "../ids/nid.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { Steps, Task } from "../scheduling/task.ts";
import { jsonSlices } from "../text/json_slices.ts";
import type { AliasOf } from "./node.ts";

/** Memory of a UTF-16 unit, in bytes. Texts with only Latin-1 characters take half of this memory. */
const UNIT_BYTES = 2;

/** Maximum part of the cache for one text. A longer text would evict most other texts. */
const LARGEST_SHARE = 1 / 4;

/** Minimum size of the texts of an object whose JSON is created in pieces and not cached, in bytes. */
export const STREAMED_TEXT_BYTES = 2 ** 20;

/** Minimum number of JSON values in an object whose JSON is created in pieces. */
export const MAX_VALUES_AT_ONCE = 16_384;

/** Approximate memory of a cached text without its characters, in bytes. */
const ENTRY_BYTES = 512;
const NODE_BYTES = 16;

/** A cached text, with the data on which it depends in addition to its subject. */
interface CachedText {
  readonly besides: unknown;
  readonly nodes: readonly NodeId[];
  /** Aliases of the nodes in the text. */
  readonly names: readonly (string | undefined)[];
  readonly text: string;
}

/** Creates the JSON value of a subject. The function must be pure. */
export type ToView<T> = (subject: T, aliasOf: AliasOf) => unknown;

/**
 * Caches JSON texts by the identity of a JavaScript object. Each object must always be shown in the same way.
 */
export class CachedTexts {
  readonly #texts: LruMap<object, CachedText>;
  readonly #longest: number;

  constructor(memory: Memory = new Memory()) {
    this.#longest = memory.share("views") * LARGEST_SHARE / UNIT_BYTES;
    this.#texts = memory.map(
      "views",
      ({ text, nodes }) => ENTRY_BYTES + UNIT_BYTES * text.length + NODE_BYTES * nodes.length,
    );
  }

  /**
   * Returns the JSON texts of subjects, in the order of the subjects, with the current aliases of all nodes.
   * All aliases are read in one query.
   *
   * @param subjects Objects that never change, such as evaluated issues.
   * @param besides Returns the further data on which a text depends. The text is created again when this
   * value changes.
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
      // A text that is not cached is first created without aliases, only to find its nodes. One query then
      // reads all aliases, which takes less time than one query for each node.
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

  /**
   * Yields the JSON text of a subject in pieces. The text is too long to be created at once, and is not
   * cached.
   */
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

/** Counts a value and the values inside it. Stops counting at `limit`. */
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
