/**
 * The forms in which the real programs take a value apart from the one that they write (Rust's serde, as derived for its types): a structure as
 * an array of its members in their order, a variant as an object around it or by its number. A schema says which members there are, in
 * the order of the real programs; {@link toPlainForm} brings a stored value into the form that the schema then checks.
 */
import type * as v from "valibot";
import { StoredMembers } from "./stored_json.ts";

/** How values are brought into their plain form. */
export interface FormOptions {
  /** The schema of object ids, whose values {@link readOid} reads. */
  readonly oid?: v.GenericSchema;
  /** An object id as the generation reads it; `undefined` when it is none. */
  readOid?(text: string): string | undefined;
  /** Types of actions by their number, where the real programs take those numbers. */
  readonly names?: readonly string[];
}

/** Thrown inside this module alone: the value has none of the forms. */
class Misshapen extends Error {}

/** The parts of valibot's schemas that matter here. */
interface Shape {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly options?: readonly Shape[] | readonly string[];
  readonly key?: string;
  readonly item?: Shape;
  readonly items?: readonly Shape[];
  readonly wrapped?: Shape;
  readonly literal?: unknown;
  readonly pipe?: readonly { readonly type: string; readonly metadata?: Readonly<Record<string, unknown>> }[];
}

/** Schemas of members by name, in their order. */
type Members = ReadonlyMap<string, Shape>;

/** What is known of schemas, which are there for good. */
const MEMBERS = new WeakMap<Shape, Members>();
const VARIANTS = new WeakMap<Shape, ReadonlyMap<string, Members>>();

/** Metadata of a member that may be missing from an object, but not from an array (an `Option` without a default). */
export const POSITIONAL = { isPositional: true };

/** The value in its plain form: plain objects with known members, each once. `undefined` when it has no form that the real programs take. */
export function toPlainForm(schema: v.GenericSchema, value: unknown, options: FormOptions = {}): unknown {
  try {
    return new Former(options).form(schema as unknown as Shape, value, true);
  } catch (error) {
    if (error instanceof Misshapen) return undefined;
    throw error;
  }
}

class Former {
  readonly #options: FormOptions;

  constructor(options: FormOptions) {
    this.#options = options;
  }

  form(shape: Shape, value: unknown, isOutermost = false): unknown {
    if (shape === this.#options.oid as unknown) return this.#oid(value);
    switch (shape.type) {
      case "variant":
        return this.#tagged(shape, value, isOutermost);
      case "object":
      case "strict_object":
        return this.#structure(membersOf(shape), value, shape.type === "strict_object");
      case "array":
        return items(value).map((item) => this.form(shape.item!, item));
      case "strict_tuple":
        return items(value).map((item, i) => this.form(shape.items![i] ?? misshapen(), item));
      case "nullish":
        return value === null ? null : this.form(shape.wrapped!, value);
      case "optional":
        return this.form(shape.wrapped!, value);
      case "picklist":
      case "literal":
      case "union":
        return this.#choice(shape, value);
      default:
        return typeof value === "object" && value !== null ? misshapen() : value;
    }
  }

  #oid(value: unknown): string {
    return (typeof value === "string" ? this.#options.readOid?.(value) : undefined) ?? misshapen();
  }

  /** A variant with its name among its members; in an array the name comes first. */
  #tagged(shape: Shape, value: unknown, isOutermost: boolean): unknown {
    const key = shape.key!;
    const variants = variantsOf(shape);
    const tag = findTag(key, value);
    const names = isOutermost ? this.#options.names : [...variants.keys()];
    const name = typeof tag === "number" ? names?.[tag] : tag;
    const members = variants.get(name as string) ?? misshapen();
    // Of an object that names a variant without members all others are ignored.
    if (members.size === 0 && !Array.isArray(value)) return { [key]: name };
    return {
      [key]: name,
      ...this.#structure(members, Array.isArray(value) ? value.slice(1) : value, false, key),
    };
  }

  /** Members by their names, but for `tag`, the one that named the variant. Those that are not known are ignored, or refused if `isStrict`. */
  #structure(shapes: Members, value: unknown, isStrict: boolean, tag?: string): Record<string, unknown> {
    const plain: Record<string, unknown> = {};
    if (Array.isArray(value)) {
      if (value.length > shapes.size) misshapen();
      let i = 0;
      for (const [name, shape] of shapes) {
        if (i < value.length) plain[name] = this.form(shape, value[i++]);
        else if (!hasDefault(shape)) misshapen();
      }
      return plain;
    }
    for (const [name, member] of pairs(value)) {
      if (member === undefined || name === tag) continue;
      const shape = shapes.get(name);
      if (shape === undefined) {
        if (isStrict) misshapen();
        continue;
      }
      if (Object.hasOwn(plain, name)) misshapen();
      plain[name] = this.form(shape, member);
    }
    return plain;
  }

  /** A choice by its name; one without content may have nothing around it: `{"name": null}`. */
  #choice(shape: Shape, value: unknown): unknown {
    const [name, content] = typeof value === "string" ? [value, undefined] : onlyPair(value);
    const literals = shape.type === "picklist" ? shape.options as readonly string[] : [];
    const shapes = shape.type === "union" ? shape.options as readonly Shape[] : [shape];
    if (literals.includes(name) || shapes.some(({ literal }) => literal === name)) {
      if (content !== undefined && content !== null && !isEmptyObject(content)) misshapen();
      return name;
    }
    const member = shapes.find(({ entries }) => entries?.[name] !== undefined)?.entries?.[name];
    if (member === undefined || content === undefined) return misshapen();
    return { [name]: this.form(member, content) };
  }
}

function misshapen(): never {
  throw new Misshapen();
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : misshapen();
}

function pairs(value: unknown): readonly (readonly [string, unknown])[] {
  if (value instanceof StoredMembers) return value.pairs;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value) as [string, unknown][]
    : misshapen();
}

function onlyPair(value: unknown): readonly [string, unknown] {
  const all = pairs(value);
  return all.length === 1 ? all[0]! : misshapen();
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value) && pairs(value).length === 0;
}

/** The name of a variant, or its number. */
function findTag(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value[0];
  if (!(value instanceof StoredMembers)) return pairs(value).find(([name]) => name === key)?.[1];
  const tags = value.pairs.filter(([name]) => name === key);
  return tags.length === 1 ? tags[0]![1] : misshapen();
}

/** The members of a structure. */
function membersOf(shape: Shape): Members {
  const known = MEMBERS.get(shape);
  if (known !== undefined) return known;
  const members = new Map(Object.entries(shape.entries!));
  MEMBERS.set(shape, members);
  return members;
}

/** The members of each variant by its name, in order, without the one that names it. */
function variantsOf(shape: Shape): ReadonlyMap<string, Members> {
  const known = VARIANTS.get(shape);
  if (known !== undefined) return known;
  const key = shape.key!;
  const variants = new Map(
    flatten(shape.options as readonly Shape[]).map(({ entries }) => {
      const { [key]: tag, ...members } = entries!;
      return [tag!.literal as string, new Map(Object.entries(members))];
    }),
  );
  VARIANTS.set(shape, variants);
  return variants;
}

/** Whether a member may be missing from an array, too. */
function hasDefault({ type, pipe }: Shape): boolean {
  return (type === "nullish" || type === "optional") && !pipe?.some(({ metadata }) => metadata?.isPositional);
}

function flatten(options: readonly Shape[]): readonly Shape[] {
  return options.flatMap((option) =>
    option.type === "variant" ? flatten(option.options as readonly Shape[]) : [option]
  );
}
