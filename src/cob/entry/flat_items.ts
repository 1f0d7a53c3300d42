/**
 * Reads the items of a long list without a generator, a node and a text for each of their members. Equal
 * texts at the same place of items in a row are one text, and equal items in a row are one object.
 */
import type { JsonNode } from "../../text/json_index.ts";
import { membersOf, type Shape } from "./schema_shape.ts";

/** Types of items with members. */
const STRUCTURES: ReadonlySet<string> = new Set(["object", "strict_object", "strict_tuple"]);

/** Forms of scalar members. */
export interface Scalars {
  /** Whether a schema is one of a scalar. */
  isScalar(shape: Shape): boolean;
  /** The plain form of a scalar. */
  scalar(shape: Shape, text: string): unknown;
}

/** Reads the items of one list, in their order. */
export class FlatItems {
  readonly #scalars: Scalars;
  /** Names of the members; `undefined` for a tuple. */
  readonly #names: readonly string[] | undefined;
  readonly #shapes: readonly Shape[];
  /** The item that was read last: its kind, its texts, and its plain form. */
  #kind = "";
  #texts: readonly string[] = [];
  #plain: object | undefined;

  private constructor(scalars: Scalars, names: readonly string[] | undefined, shapes: readonly Shape[]) {
    this.#scalars = scalars;
    this.#names = names;
    this.#shapes = shapes;
  }

  /** A reader of such items; `undefined` for items with other members than scalars. */
  static of(item: Shape, scalars: Scalars): FlatItems | undefined {
    if (!STRUCTURES.has(item.type)) return undefined;
    const members = item.type === "strict_tuple" ? undefined : membersOf(item);
    const shapes = members === undefined ? item.items ?? [] : [...members.values()];
    if (!shapes.every((shape) => scalars.isScalar(shape))) return undefined;
    return new FlatItems(scalars, members && [...members.keys()], shapes);
  }

  /**
   * The plain form of an item, the same object as the one before if the items are equal. Returns `undefined`
   * for an item that must be read otherwise: one with long texts, other values, or unusual members.
   */
  read(node: JsonNode): object | undefined {
    const { kind } = node;
    if (kind !== "array" && kind !== "object") return undefined;
    if (kind !== this.#kind) [this.#texts, this.#plain] = [[], undefined];
    const texts = node.shortTexts(2 * this.#shapes.length, this.#texts);
    if (texts === this.#texts && this.#plain !== undefined) return this.#plain;
    const plain = texts && (kind === "array" ? this.#fromArray(texts) : this.#fromObject(texts));
    this.#kind = kind;
    this.#texts = plain === undefined ? [] : texts!;
    this.#plain = plain;
    return plain;
  }

  #fromArray(texts: readonly string[]): object | undefined {
    if (texts.length !== this.#shapes.length) return undefined;
    const values = texts.map((text, i) => this.#scalars.scalar(this.#shapes[i]!, text));
    return this.#names === undefined
      ? values
      : Object.fromEntries(this.#names.map((name, i) => [name, values[i]]));
  }

  #fromObject(texts: readonly string[]): object | undefined {
    const plain: Record<string, unknown> = {};
    for (let i = 0; i < texts.length; i += 2) {
      const name = texts[i]!;
      const member = this.#names?.indexOf(name) ?? -1;
      if (member < 0 || Object.hasOwn(plain, name)) return undefined;
      plain[name] = this.#scalars.scalar(this.#shapes[member]!, texts[i + 1]!);
    }
    return plain;
  }
}
