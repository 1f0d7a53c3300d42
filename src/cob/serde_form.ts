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
        return this.#structure(Object.entries(shape.entries!), value, shape.type === "strict_object");
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
    const variants = flatten(shape.options as readonly Shape[]);
    const [tag, rest] = splitTag(key, value);
    const names = isOutermost
      ? this.#options.names ?? []
      : variants.map((variant) => variant.entries![key]!.literal as string);
    const name = typeof tag === "number" ? names[tag] : tag;
    const variant = variants.find(({ entries }) => entries![key]!.literal === name) ?? misshapen();
    const members = Object.entries(variant.entries!).filter(([member]) => member !== key);
    // Of an object that names a variant without members all others are ignored.
    const content = members.length === 0 && !Array.isArray(rest) ? {} : rest;
    return { [key]: name, ...this.#structure(members, content, false) };
  }

  #structure(
    members: readonly (readonly [string, Shape])[],
    value: unknown,
    isStrict: boolean,
  ): Record<string, unknown> {
    const plain: Record<string, unknown> = {};
    if (Array.isArray(value)) {
      if (value.length > members.length) misshapen();
      members.forEach(([name, shape], i) => {
        if (i < value.length) plain[name] = this.form(shape, value[i]);
        else if (!hasDefault(shape)) misshapen();
      });
      return plain;
    }
    const shapes = new Map(members);
    for (const [name, member] of pairs(value)) {
      if (member === undefined) continue;
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

/** The tag of a variant, and what there is besides. */
function splitTag(key: string, value: unknown): [tag: unknown, rest: unknown] {
  if (Array.isArray(value)) return value.length === 0 ? misshapen() : [value[0], value.slice(1)];
  const all = pairs(value);
  const tags = all.filter(([name]) => name === key);
  return tags.length === 1
    ? [tags[0]![1], new StoredMembers(all.filter(([name]) => name !== key))]
    : misshapen();
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
