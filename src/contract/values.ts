/** Values that answers are made of (2.1), and helpers to describe answers. */
import * as v from "valibot";
import type { Did as DidText, NodeId as NodeIdText } from "../ids/nid.ts";
import type { Oid as OidText } from "../ids/oid.ts";
import type { RepoId as RepoIdText } from "../ids/rid.ts";

/** A schema whose input and output are the same: that of an answer. */
export type Shown<T> = v.GenericSchema<T, T>;

/** A text of a form that the type says more of than the pattern. */
function formatted<T extends string>(pattern: RegExp, description: string): Shown<T> {
  return v.pipe(v.string(), v.regex(pattern), v.description(description)) as unknown as Shown<T>;
}

/** An array. Views hand out cached arrays, which must not be changed. */
export function list<T>(item: Shown<T>): Shown<readonly T[]> {
  return v.array(item) as unknown as Shown<readonly T[]>;
}

/** Two items in an order. */
export function pair<A, B>(first: Shown<A>, second: Shown<B>): Shown<readonly [A, B]> {
  return v.strictTuple([first, second]) as unknown as Shown<readonly [A, B]>;
}

/** Values of one schema by names that are not known beforehand. */
export function table<T>(value: Shown<T>): Shown<Readonly<Record<string, T>>> {
  return v.record(v.string(), value) as unknown as Shown<Readonly<Record<string, T>>>;
}

/** A member that is there only when it is true. */
export const Mark = v.exactOptional(v.literal(true));

/** Object of unknown members. */
export const AnyObject: Shown<Readonly<Record<string, unknown>>> = v.record(v.string(), v.unknown());

/** Repository id. */
export const RepoId = formatted<RepoIdText>(/^rad:z[1-9A-HJ-NP-Za-km-z]+$/, "Repository id.");
/** Node id. */
export const NodeId = formatted<NodeIdText>(/^z6Mk[1-9A-HJ-NP-Za-km-z]+$/, "Node id: an Ed25519 public key.");
/** DID of a node. */
export const Did = formatted<DidText>(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]+$/, "DID of a node.");
/** Git object id; also of issues and patches. */
export const Oid = formatted<OidText>(
  /^[0-9a-f]{40}$/,
  "Git object id; also of issues, patches and their parts.",
);
/** Time in seconds. */
export const Time: Shown<number> = v.pipe(
  v.number(),
  v.integer(),
  v.description("Seconds since the Unix epoch."),
);
/** Number of things. */
export const Count: Shown<number> = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A schema that has a name of its own, with a description of what it is here. */
export function described<T>(schema: Shown<T>, description: string): Shown<T> {
  return v.pipe(v.lazy(() => schema), v.description(description));
}
