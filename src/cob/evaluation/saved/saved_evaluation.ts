/**
 * The JSON form of an evaluation: one line, that is decoded to an equal evaluation; and valibot schemas of
 * saved states. Maps are lists of pairs, sets are lists, and null stands for `undefined`.
 */
import * as v from "valibot";
import { isOid, type Oid } from "../../../ids/oid.ts";
import type { Evaluation } from "../evaluation.ts";
import type { Did, NodeId } from "../../../ids/nid.ts";
import { Embed } from "../../entry/entry.ts";
import { Text } from "../../entry/fields.ts";
import { CodeLocation } from "../../issue/code_location.ts";
import { type Issue, IssueState } from "../../issue/issue.ts";
import type { TextSource } from "../../op.ts";
import type { Patch } from "../../patch/patch_state.ts";
import { Verdict } from "../../patch/review.ts";

/** Canonical node ids, by their letters alone. */
const NID = /^z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;
const DID_PREFIX = "did:key:";

/** A full object id. */
export const SavedOid = v.custom<Oid>((value) => typeof value === "string" && isOid(value));
/** A node id. */
export const SavedNid = v.custom<NodeId>((value) => typeof value === "string" && NID.test(value));
/** A whole number, from 0 on. */
export const SavedCount = v.pipe(v.number(), v.integer(), v.minValue(0));

const SavedDid = v.custom<Did>((value) =>
  typeof value === "string" && value.startsWith(DID_PREFIX) && NID.test(value.slice(DID_PREFIX.length))
);
const Seconds = v.pipe(v.number(), v.integer());

/** A member that is there, but may be `undefined`. */
function orUndefined<T>(form: v.GenericSchema<unknown, T>) {
  return v.pipe(v.nullable(form), v.transform((value): T | undefined => value ?? undefined));
}

/** A map; a repeated key is refused. */
export function mapOf<K, V>(key: v.GenericSchema<unknown, K>, value: v.GenericSchema<unknown, V>) {
  return v.pipe(
    v.array(v.strictTuple([key, value])),
    v.check((pairs) => new Set(pairs.map(([key]) => key)).size === pairs.length, "Expected each key once"),
    v.transform((pairs): Map<K, V> => new Map(pairs as [K, V][])),
  );
}

/** A set of object ids. */
export const OidSet = v.pipe(v.array(SavedOid), v.transform((ids): ReadonlySet<Oid> => new Set(ids)));

const Source: v.GenericSchema<unknown, TextSource> = v.strictObject({
  entry: SavedOid,
  action: SavedCount,
  bytes: SavedCount,
});
const source = v.exactOptional(Source);

const version = { author: SavedNid, timeSeconds: Seconds, embeds: v.array(Embed), source };
const Edit = v.strictObject({ ...version, body: Text });
const Summary = v.strictObject({ ...version, body: v.nullable(Text) });
const Reactions = v.array(Text);

const Comment = v.strictObject({
  id: SavedOid,
  author: SavedNid,
  replyTo: orUndefined(SavedOid),
  location: orUndefined(CodeLocation),
  edits: v.tupleWithRest([Edit], Edit),
  reactions: Reactions,
  isResolved: v.boolean(),
});
const Thread = v.strictObject({
  comments: mapOf(SavedOid, v.nullable(Comment)),
  timeline: v.array(SavedOid),
});

const object = {
  id: SavedOid,
  author: SavedNid,
  timeSeconds: Seconds,
  title: Text,
  titleSource: source,
  labels: v.array(Text),
  truncated: v.exactOptional(OidSet),
};

/** The form of an issue. */
export const SavedIssue: v.GenericSchema<unknown, Issue> = v.strictObject({
  ...object,
  state: IssueState,
  assignees: v.array(SavedDid),
  thread: Thread,
});

const Review = v.strictObject({
  id: SavedOid,
  author: SavedNid,
  timeSeconds: Seconds,
  verdict: Verdict,
  labels: v.array(Text),
  summary: v.tupleWithRest([Summary], Summary),
  reactions: Reactions,
  comments: Thread,
});
const Revision = v.strictObject({
  id: SavedOid,
  author: SavedNid,
  timeSeconds: Seconds,
  base: SavedOid,
  oid: SavedOid,
  resolves: v.array(v.strictTuple([SavedOid, SavedOid])),
  description: v.tupleWithRest([Edit], Edit),
  reactions: mapOf(
    v.string(),
    v.strictObject({ location: orUndefined(CodeLocation), reactions: Reactions, source }),
  ),
  discussion: Thread,
  reviews: mapOf(SavedNid, v.nullable(Review)),
});
const MergedPair = v.strictTuple([SavedOid, SavedOid]);

/** The form of a patch. */
export const SavedPatch: v.GenericSchema<unknown, Patch> = v.strictObject({
  ...object,
  target: v.union([v.literal("delegates"), v.strictObject({ branch: Text })]),
  state: v.variant("status", [
    v.strictObject({ status: v.picklist(["draft", "archived"]) }),
    v.strictObject({ status: v.literal("open"), conflicts: v.array(MergedPair) }),
    v.strictObject({ status: v.literal("merged"), revision: SavedOid, commit: SavedOid }),
  ]),
  assignees: v.array(SavedNid),
  merges: mapOf(
    SavedNid,
    v.strictObject({ revision: SavedOid, commit: SavedOid, timeSeconds: Seconds }),
  ),
  revisions: mapOf(SavedOid, v.nullable(Revision)),
  reviews: mapOf(SavedOid, v.nullable(v.strictObject({ revision: SavedOid, author: SavedNid }))),
  timeline: v.array(SavedOid),
});

/** An evaluation with the object and the references that it is of. */
export interface SavedEvaluation<S> {
  readonly id: Oid;
  /** Targets of the object's references, ascending. */
  readonly targets: readonly Oid[];
  readonly evaluation: Evaluation<S>;
}

/** Decodes the line of an evaluation; `undefined` when it is none. */
export type DecodeEvaluation<S> = (line: string) => SavedEvaluation<S> | undefined;

/** Encodes an evaluation as a line of JSON that begins with {@link lineStart}. */
export function encodeEvaluation<S>({ id, targets, evaluation }: SavedEvaluation<S>): string {
  const { texts: { limitBytes, ...texts }, ...rest } = evaluation;
  // Only a number can be without a limit.
  const limit = limitBytes === Infinity ? null : limitBytes;
  return JSON.stringify({ id, targets, ...rest, texts: { ...texts, limitBytes: limit } }, toPlain);
}

/** The beginning of the line of an object. */
export function lineStart(id: Oid): string {
  return `{"id":"${id}",`;
}

/** A decoder of evaluations with states of this form. */
export function evaluationDecoder<S>(state: v.GenericSchema<unknown, S>): DecodeEvaluation<S> {
  const form = v.strictObject({
    id: SavedOid,
    targets: v.array(SavedOid),
    state,
    tips: v.array(SavedOid),
    reachable: v.array(SavedOid),
    size: SavedCount,
    texts: v.strictObject({
      bytes: SavedCount,
      truncated: OidSet,
      limitBytes: v.pipe(v.nullable(SavedCount), v.transform((limit) => limit ?? Infinity)),
    }),
    isWhole: v.boolean(),
    isComplete: v.boolean(),
    heads: mapOf(v.string(), v.pipe(v.nullable(SavedOid), v.transform((oid) => oid ?? undefined))),
  });
  return (line) => {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return undefined;
    }
    const result = v.safeParse(form, value, { abortEarly: true });
    if (!result.success) return undefined;
    const { id, targets, ...evaluation } = result.output;
    return { id, targets, evaluation };
  };
}

function toPlain(_name: string, value: unknown): unknown {
  if (value === undefined) return null;
  return value instanceof Map || value instanceof Set ? [...value] : value;
}
