/**
 * Converts JSON values that the Radicle programs accept to a single representation, which valibot schemas
 * then check. The Radicle programs decode JSON with code that Rust's serde derives. This code accepts an
 * array of the property values instead of an object, and a number or an object around the content for a
 * variant. A schema must list the properties in the order of the Radicle programs.
 */
import type { JsonNode } from "../../text/json_index.ts";
import type { Steps } from "../../scheduling/task.ts";
import {
  atMost,
  hasDefault,
  isEmptyObject,
  isList,
  itemsOf,
  listIn,
  type Members,
  membersOf,
  Misshapen,
  misshapen,
  onlyPair,
  pairsOf,
  type Shape,
  variantsOf,
} from "./stored_value.ts";
import { openNode } from "./stored_json.ts";
import * as v from "valibot";

export interface FormOptions {
  /** Schema of object ids. `readOid` converts values with this schema. */
  readonly oid?: v.GenericSchema;
  /**
   * Converts an object id by the rules of a generation of Radicle programs. Returns `undefined` for any other
   * text.
   */
  readOid?(text: string): string | undefined;
  /**
   * Names of the action types by their number. Absent if the Radicle programs do not accept numbers as action
   * types.
   */
  readonly names?: readonly string[];
  /** Alternative names of properties that the Radicle programs accept, with the name in the schema. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/** A converted value. It consists of plain objects in which each known property occurs at most once. */
export interface PlainForm {
  readonly value: unknown;
  /**
   * Arrays that are direct properties of `value`, by the name of the property. Their items are checked. In
   * `value`, these arrays are empty.
   */
  readonly lists: ReadonlyMap<string, CheckedList>;
}

export interface CheckedList {
  readonly schema: v.GenericSchema;
  /** The output of the item schema for each item. */
  readonly items: unknown[];
}

/** Number of UTF-16 units of array items after which the conversion yields. */
const STEP_UNITS = 32_768;
/** Number of values after which the conversion yields. */
const STEP_VALUES = 64;

/**
 * Types of schemas for which serde accepts several JSON representations. Scalars have only one
 * representation.
 */
const COMPOUND: ReadonlySet<string> = new Set([
  ...["variant", "object", "strict_object", "array", "strict_tuple"],
  ...["nullish", "optional", "picklist", "literal", "union"],
]);

/** Converts `value` as `schema` describes it. Returns `undefined` if the Radicle programs refuse `value`. */
export function* toPlainForm(
  schema: v.GenericSchema,
  value: JsonNode,
  options: FormOptions = {},
): Steps<PlainForm | undefined> {
  try {
    const former = new Former(options);
    return { value: yield* former.form(schema as unknown as Shape, value, true), lists: former.lists };
  } catch (error) {
    if (error instanceof Misshapen) return undefined;
    throw error;
  }
}

class Former {
  readonly #options: FormOptions;
  readonly lists = new Map<string, CheckedList>();
  #values = 0;

  constructor(options: FormOptions) {
    this.#options = options;
  }

  *form(shape: Shape, stored: JsonNode, isOutermost = false): Steps<unknown> {
    if (shape.wrapped !== undefined) {
      const isNull = shape.type === "nullish" && stored.kind === "literal" && stored.token === "null";
      return isNull ? null : yield* this.form(shape.wrapped, stored);
    }
    const value = yield* openNode(stored);
    if (!COMPOUND.has(shape.type)) return this.#scalar(shape, value);
    switch (shape.type) {
      case "variant":
        return yield* this.#tagged(shape, value, isOutermost);
      case "object":
      case "strict_object":
        return yield* this.#structure(membersOf(shape), value, {
          isStrict: shape.type === "strict_object",
          isOutermost,
        });
      case "array":
        return yield* this.#items(value, shape.item!);
      case "strict_tuple": {
        const { items = [] } = shape;
        const members = atMost(itemsOf(value), items.length);
        const tuple: unknown[] = [];
        for (const [i, item] of members.entries()) tuple.push(yield* this.form(items[i]!, item));
        return tuple;
      }
      default:
        return yield* this.#choice(shape, value);
    }
  }

  #scalar(shape: Shape, value: unknown): unknown {
    if (shape === this.#options.oid as unknown) {
      return (typeof value === "string" ? this.#options.readOid?.(value) : undefined) ?? misshapen();
    }
    return typeof value === "object" && value !== null ? misshapen() : value;
  }

  #isStep(): boolean {
    return ++this.#values % STEP_VALUES === 0;
  }

  *#items(value: unknown, shape: Shape): Steps<unknown[]> {
    const items: unknown[] = [];
    for (const item of itemsOf(value)) {
      if (this.#isStep()) yield undefined;
      items.push(yield* this.form(shape, item));
    }
    return items;
  }

  /**
   * Converts an array that is a direct property of the outermost value, and checks each item. If consecutive
   * items are equal, only the first of them is checked.
   */
  *#outerList(name: string, shape: Shape, stored: JsonNode): Steps<unknown> {
    const list = listIn(shape)!;
    const item = list.item!;
    const items: unknown[] = [];
    let before: JsonNode | undefined;
    let units = 0;
    for (const value of itemsOf(stored)) {
      if (before !== undefined && value.isLike(before)) {
        items.push(items.at(-1));
      } else {
        // Simple texts are converted without a generator, because a million generators would take most of the
        // time.
        const text = COMPOUND.has(item.type) ? undefined : value.shortText();
        const plain = text === undefined ? yield* this.form(item, value) : this.#scalar(item, text);
        items.push(checked(item, plain));
        units += unitsOf(plain);
        before = value;
      }
      if (!this.#isStep() && units < STEP_UNITS) continue;
      units = 0;
      yield undefined;
    }
    this.lists.set(name, { schema: list as unknown as v.GenericSchema, items });
    return [];
  }

  /**
   * Converts a variant whose tag (the name of the variant) is one of its properties. If the variant is stored
   * as an array, the tag is the first item.
   */
  *#tagged(shape: Shape, value: unknown, isOutermost: boolean): Steps<unknown> {
    const key = shape.key!;
    const variants = variantsOf(shape);
    const tag = yield* this.#findTag(key, value);
    const names = isOutermost ? this.#options.names : [...variants.keys()];
    const name = typeof tag === "number" ? names?.[tag] : tag;
    const members = variants.get(name as string) ?? misshapen();
    // For a variant without properties, all properties except the tag are ignored.
    if (members.size === 0 && !isList(value)) return { [key]: name };
    return {
      [key]: name,
      ...yield* this.#structure(members, value, { tag: key, isStrict: false, isOutermost }),
    };
  }

  /** Returns the tag of a variant, which is a name or a number, or `undefined` if the variant has no tag. */
  *#findTag(key: string, value: unknown): Steps<unknown> {
    if (isList(value)) {
      for (const first of itemsOf(value)) return yield* openNode(first);
      return undefined;
    }
    let tag: JsonNode | undefined;
    for (const [name, member] of pairsOf(value)) {
      if (this.#isStep()) yield undefined;
      if ((name.shortText() ?? (yield* name.string())) !== key) continue;
      if (tag !== undefined) misshapen();
      tag = member;
    }
    return tag && (yield* openNode(tag));
  }

  /**
   * Converts the properties of an object or an array, without the property `tag`. Unknown properties are
   * refused if `isStrict` is set, and ignored otherwise.
   */
  *#structure(
    shapes: Members,
    value: unknown,
    { tag, isStrict, isOutermost }: {
      readonly tag?: string;
      readonly isStrict: boolean;
      readonly isOutermost: boolean;
    },
  ): Steps<Record<string, unknown>> {
    const form = (name: string, shape: Shape, stored: JsonNode) =>
      isOutermost && listIn(shape) !== undefined
        ? this.#outerList(name, shape, stored)
        : this.form(shape, stored);
    const plain: Record<string, unknown> = {};
    if (isList(value)) {
      const tags = tag === undefined ? 0 : 1;
      const members = atMost(itemsOf(value), shapes.size + tags).slice(tags);
      let i = 0;
      for (const [name, shape] of shapes) {
        if (i < members.length) plain[name] = yield* form(name, shape, members[i++]!);
        else if (!hasDefault(shape)) misshapen();
      }
      return plain;
    }
    for (const [stored, member] of pairsOf(value)) {
      if (this.#isStep()) yield undefined;
      const spelled = stored.shortText() ?? (yield* stored.string());
      const { aliases } = this.#options;
      const alias = aliases && among(aliases.keys(), spelled);
      const name = alias === undefined ? among(shapes.keys(), spelled) : aliases!.get(alias)!;
      if (spelled === tag) continue;
      const shape = name === undefined ? undefined : shapes.get(name);
      if (name === undefined || shape === undefined) {
        if (isStrict || !spelled.isWellFormed()) misshapen();
        continue;
      }
      if (Object.hasOwn(plain, name)) misshapen();
      plain[name] = yield* form(name, shape, member);
    }
    return plain;
  }

  /**
   * Converts an enum value that is stored as its name, or as an object with its name and content. If it has
   * no content, the object may contain null: `{"name": null}`.
   */
  *#choice(shape: Shape, value: unknown): Steps<unknown> {
    const [name, stored] = typeof value === "string" ? [value, undefined] : yield* onlyPair(value);
    const content = stored && (yield* openNode(stored));
    const literals = shape.type === "picklist" ? shape.options as readonly string[] : [];
    const shapes = shape.type === "union" ? shape.options as readonly Shape[] : [shape];
    if (literals.includes(name) || shapes.some(({ literal }) => literal === name)) {
      if (content !== undefined && content !== null && !isEmptyObject(content)) misshapen();
      return name;
    }
    const member = shapes.find(({ entries }) => entries?.[name] !== undefined)?.entries?.[name];
    if (member === undefined || stored === undefined) return misshapen();
    return { [name]: yield* this.form(member, stored) };
  }
}

/**
 * Searches for a name in a short list by comparison. In V8, a lookup in a map would intern each name, which
 * takes 35 ms when the table of interned names grows to a million.
 */
function among(known: Iterable<string>, name: string): string | undefined {
  for (const one of known) if (one === name) return one;
  return undefined;
}

function checked(item: Shape, plain: unknown): unknown {
  const { success, output } = v.safeParse(item as unknown as v.GenericSchema, plain, { abortEarly: true });
  return success ? output : misshapen();
}

/**
 * Returns the number of UTF-16 units in a converted value. Recursive, so the value must not be deeply nested.
 */
function unitsOf(plain: unknown): number {
  if (typeof plain === "string") return plain.length;
  if (typeof plain !== "object" || plain === null) return 0;
  let sum = 0;
  for (const name in plain) sum += unitsOf((plain as Record<string, unknown>)[name]);
  return sum;
}
