/** JSON of views, kept for as long as what it tells stays the same: what is viewed, and what the nodes in it are called. */
import { LruMap } from "../cache/lru_map.ts";
import type { NodeId } from "../ids/nid.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { AliasOf } from "./author.ts";

/** Length of all texts that are kept, in UTF-16 units, which take a byte each, or two in texts with characters beyond Latin-1. */
export const KEPT_TEXT_UNITS = 12 * 2 ** 20;

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

  /** @param capacity Length of all texts. */
  constructor(capacity: number = KEPT_TEXT_UNITS) {
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
    const known = subjects.map((subject) => {
      const kept = this.#texts.get(subject);
      // Without names, to see of which nodes it shows one: a question to a database for each node would cost more.
      const text = kept?.besides === besides(subject) && kept !== undefined
        ? kept
        : this.#make(subject, view, besides(subject), NO_NAMES);
      for (const node of text.nodes) nodes.add(node);
      return text;
    });
    const aliases = nodes.size === 0 ? NO_NAMES : await names.aliases([...nodes]);
    return subjects.map((subject, i) => {
      const { nodes, names, text } = known[i]!;
      return nodes.every((node, n) => aliases.get(node) === names[n])
        ? text
        : this.#make(subject, view, besides(subject), aliases).text;
    });
  }

  #make<T extends object>(
    subject: T,
    view: ToView<T>,
    besides: unknown,
    aliases: ReadonlyMap<NodeId, string>,
  ): KeptText {
    const names = new Map<NodeId, string | undefined>();
    const text = JSON.stringify(view(subject, (node) => {
      const name = aliases.get(node);
      names.set(node, name);
      return name;
    }));
    const kept = { besides, nodes: [...names.keys()], names: [...names.values()], text };
    this.#texts.set(subject, kept);
    return kept;
  }
}

const NO_NAMES: ReadonlyMap<NodeId, string> = new Map();
