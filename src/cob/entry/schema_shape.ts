/** Shapes of valibot schemas: the members of structures and variants, in the order of the real programs. */

/** The members of a valibot schema that are read here. */
export interface Shape {
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
export type Members = ReadonlyMap<string, Shape>;

/** Members by schema. Schemas are constants. */
const MEMBERS = new WeakMap<Shape, Members>();
const VARIANTS = new WeakMap<Shape, ReadonlyMap<string, Members>>();

/**
 * Metadata of a member that an object may omit, but an array may not (an `Option` without a default in Rust).
 */
export const POSITIONAL = { isPositional: true };

/** The array schema of a member; `undefined` for members of other types. */
export function listIn(shape: Shape): Shape | undefined {
  const inner = shape.type === "optional" ? shape.wrapped! : shape;
  return inner.type === "array" ? inner : undefined;
}

/** The members of a structure. */
export function membersOf(shape: Shape): Members {
  let members = MEMBERS.get(shape);
  if (members === undefined) MEMBERS.set(shape, members = new Map(Object.entries(shape.entries!)));
  return members;
}

/** The members of each variant by its name, in order, without the tag. */
export function variantsOf(shape: Shape): ReadonlyMap<string, Members> {
  let variants = VARIANTS.get(shape);
  if (variants === undefined) VARIANTS.set(shape, variants = readVariants(shape));
  return variants;
}

/** Whether an array may omit a member, too. */
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
