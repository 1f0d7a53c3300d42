/** Schemas of values in responses (specification, 2.1), and functions that create schemas of responses. */
import * as v from "valibot";
import type { Did as DidText, NodeId as NodeIdText } from "../ids/nid.ts";
import type { Oid as OidText } from "../ids/oid.ts";
import type { RepoId as RepoIdText } from "../ids/rid.ts";

/** Type of a schema whose input and output have the same type. */
export type Shown<T> = v.GenericSchema<T, T>;

/** Creates a schema of a text whose TypeScript type is more precise than its pattern. */
function formatted<T extends string>(pattern: RegExp, description: string): Shown<T> {
  return v.pipe(v.string(), v.regex(pattern), v.description(description)) as unknown as Shown<T>;
}

/** Creates a schema of an array. Its type is read-only, because responses contain cached arrays. */
export function list<T>(item: Shown<T>): Shown<readonly T[]> {
  return v.array(item) as unknown as Shown<readonly T[]>;
}

export function pair<A, B>(first: Shown<A>, second: Shown<B>): Shown<readonly [A, B]> {
  return v.strictTuple([first, second]) as unknown as Shown<readonly [A, B]>;
}

/** Creates a schema of an object with arbitrary member names, whose values match one schema. */
export function table<T>(value: Shown<T>): Shown<Readonly<Record<string, T>>> {
  return v.record(v.string(), value) as unknown as Shown<Readonly<Record<string, T>>>;
}

/** Schema of a member that is either true or missing. */
export const Mark = v.exactOptional(v.literal(true));

export const AnyObject: Shown<Readonly<Record<string, unknown>>> = v.record(v.string(), v.unknown());

export const RepoId = formatted<RepoIdText>(/^rad:z[1-9A-HJ-NP-Za-km-z]+$/, "Repository id.");
export const NodeId = formatted<NodeIdText>(/^z6Mk[1-9A-HJ-NP-Za-km-z]+$/, "Node id: an Ed25519 public key.");
export const Did = formatted<DidText>(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]+$/, "DID of a node.");
/** Schema of a git object id. Issues and patches also have such ids. */
export const Oid = formatted<OidText>(
  /^[0-9a-f]{40}$/,
  "Git object id; also of issues, patches and their parts.",
);
/** Schema of a time in seconds since the Unix epoch. */
export const Time: Shown<number> = v.pipe(
  v.number(),
  v.integer(),
  v.description("Seconds since the Unix epoch."),
);
export const Count: Shown<number> = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Creates a reference to a schema that has a name in the OpenAPI document, with a description for this place.
 */
export function described<T>(schema: Shown<T>, description: string): Shown<T> {
  return v.pipe(v.lazy(() => schema), v.description(description));
}
