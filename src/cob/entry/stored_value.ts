/** Reads arrays and objects of stored JSON, and the properties of valibot schemas that decoding needs. */
import { JsonNode } from "../../text/json_index.ts";
import type { Steps } from "../../scheduling/task.ts";

/** Thrown for a JSON value that the Radicle programs do not accept. `toPlainForm` catches it. */
export class Misshapen extends Error {}

export function misshapen(): never {
  throw new Misshapen();
}

export function isList(value: unknown): value is JsonNode {
  return value instanceof JsonNode && value.kind === "array";
}

export function itemsOf(value: unknown): Iterable<JsonNode> {
  return isList(value) ? value.children() : misshapen();
}

/**
 * Returns all items as an array.
 *
 * @throws {Misshapen} when there are more than `count` items.
 */
export function atMost<T>(items: Iterable<T>, count: number): readonly T[] {
  const found: T[] = [];
  for (const item of items) if (found.push(item) > count) misshapen();
  return found;
}

/** Yields the name and value of each property of an object. Properties with duplicate names are included. */
export function* pairsOf(value: unknown): Generator<readonly [name: JsonNode, value: JsonNode]> {
  if (!(value instanceof JsonNode) || value.kind !== "object") return misshapen();
  let name: JsonNode | undefined;
  for (const child of value.children()) {
    if (name === undefined) name = child;
    else {
      yield [name, child];
      name = undefined;
    }
  }
}

/**
 * Returns the name and value of the only property of an object.
 *
 * @throws {Misshapen} when `value` is not an object with exactly one property.
 */
export function* onlyPair(value: unknown): Steps<readonly [string, JsonNode]> {
  const [pair] = atMost(pairsOf(value), 1);
  return pair === undefined ? misshapen() : [yield* pair[0].string(), pair[1]];
}

export function isEmptyObject(value: unknown): boolean {
  return value instanceof JsonNode && value.kind === "object" && pairsOf(value).next().done === true;
}

/** The properties of a valibot schema that decoding reads. */
export interface Shape {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly options?: readonly Shape[] | readonly string[];
  readonly key?: string;
  readonly item?: Shape;
  readonly items?: readonly Shape[];
  readonly wrapped?: Shape;
  readonly literal?: unknown;
  /** Value that the schema uses when the property is absent. */
  readonly default?: unknown;
  readonly pipe?: readonly { readonly type: string; readonly metadata?: Readonly<Record<string, unknown>> }[];
}

/** Schemas of an object's properties by name, in the order of the schema. */
export type Members = ReadonlyMap<string, Shape>;

/** Cache of {@link membersOf}. Schemas are constants, so the cache never becomes outdated. */
const MEMBERS = new WeakMap<Shape, Members>();
const VARIANTS = new WeakMap<Shape, ReadonlyMap<string, Members>>();

/**
 * Metadata of a property that is optional in an object but required in an array (an `Option` without a
 * default in Rust).
 */
export const POSITIONAL = { isPositional: true };

/** Returns the schema of a property if it is an array schema, or `undefined` for other properties. */
export function listIn(shape: Shape): Shape | undefined {
  const inner = shape.type === "optional" ? shape.wrapped! : shape;
  return inner.type === "array" ? inner : undefined;
}

export function membersOf(shape: Shape): Members {
  let members = MEMBERS.get(shape);
  if (members === undefined) MEMBERS.set(shape, members = new Map(Object.entries(shape.entries!)));
  return members;
}

/**
 * Returns the schemas of the properties of each variant, by the name of the variant. The tag, which contains
 * the name, is left out.
 */
export function variantsOf(shape: Shape): ReadonlyMap<string, Members> {
  let variants = VARIANTS.get(shape);
  if (variants === undefined) VARIANTS.set(shape, variants = readVariants(shape));
  return variants;
}

/** Checks whether a property may be left out, even if the object is stored as an array. */
export function hasDefault({ type, pipe }: Shape): boolean {
  return (type === "nullish" || type === "optional") && !pipe?.some(({ metadata }) => metadata?.isPositional);
}

function readVariants({ key, options }: Shape): ReadonlyMap<string, Members> {
  return new Map(
    flatten(options as readonly Shape[]).map(({ entries }) => {
      const { [key!]: tag, ...members } = entries!;
      return [tag!.literal as string, new Map(Object.entries(members))];
    }),
  );
}

function flatten(options: readonly Shape[]): readonly Shape[] {
  return options.flatMap((option) =>
    option.type === "variant" ? flatten(option.options as readonly Shape[]) : [option]
  );
}
