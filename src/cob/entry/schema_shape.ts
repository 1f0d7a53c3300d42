/** Shapes of valibot schemas: the members of structures and variants, in the order of the real programs. */

/** The parts of valibot's schemas that matter here. */
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

/** What is known of schemas, which are there for good. */
const MEMBERS = new WeakMap<Shape, Members>();
const VARIANTS = new WeakMap<Shape, ReadonlyMap<string, Members>>();

/** Metadata of a member that may be missing from an object, but not from an array (an `Option` without a default). */
export const POSITIONAL = { isPositional: true };

/** The array that a member is, if it is one. */
export function listIn(shape: Shape): Shape | undefined {
  const inner = shape.type === "optional" ? shape.wrapped! : shape;
  return inner.type === "array" ? inner : undefined;
}

/** The members of a structure. */
export function membersOf(shape: Shape): Members {
  const known = MEMBERS.get(shape);
  if (known !== undefined) return known;
  const members = new Map(Object.entries(shape.entries!));
  MEMBERS.set(shape, members);
  return members;
}

/** The members of each variant by its name, in order, without the one that names it. */
export function variantsOf(shape: Shape): ReadonlyMap<string, Members> {
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
export function hasDefault({ type, pipe }: Shape): boolean {
  return (type === "nullish" || type === "optional") && !pipe?.some(({ metadata }) => metadata?.isPositional);
}

function flatten(options: readonly Shape[]): readonly Shape[] {
  return options.flatMap((option) =>
    option.type === "variant" ? flatten(option.options as readonly Shape[]) : [option]
  );
}
