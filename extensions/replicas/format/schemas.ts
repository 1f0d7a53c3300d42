/** Schemas of values that several published documents have. */
import * as v from "valibot";
import {
  isOid,
  type NodeId,
  type Oid,
  type RepoId,
  type RepositoryListing,
  tryParseNid,
  tryParseRid,
} from "../../../src/mod.ts";

/** Most bytes of an object in the bucket that is read by ranges. */
export const MAX_FILE_BYTES = 2 ** 32 - 1;

/** A whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): v.GenericSchema<number> {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
}

/** A git object id. */
export const OidSchema: v.GenericSchema<Oid> = v.custom<Oid>(
  (value) => typeof value === "string" && isOid(value),
);

/** A repository id in its canonical form. */
export const RidSchema: v.GenericSchema<RepoId> = v.custom<RepoId>(
  (value) => typeof value === "string" && value.length < 100 && tryParseRid(value) === value,
);

/** A node id in its canonical form. */
export const NidSchema: v.GenericSchema<NodeId> = v.custom<NodeId>(
  (value) => typeof value === "string" && value.length < 100 && tryParseNid(value) === value,
);

/** A text of 1 to `limit` UTF-16 units. */
export function shortText(limit: number): v.GenericSchema<string> {
  return v.pipe(v.string(), v.minLength(1), v.maxLength(limit));
}

/** A short digest, made by `digestOf`. */
export const DigestSchema: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

/** A SHA-256 in hexadecimal digits. */
export const Sha256Schema: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** Milliseconds since the epoch. */
export const TimeMsSchema: v.GenericSchema<number> = wholeNumber(0, 2 ** 50);

/** Most characters of an identity document in a listing. */
export const MAX_LISTED_DOCUMENT_LENGTH = 2 ** 13;

const Count = wholeNumber(0, 2 ** 32);
/** A listing of a repository. */
export const ListingSchema: v.GenericSchema<RepositoryListing> = v.strictObject({
  document: shortText(MAX_LISTED_DOCUMENT_LENGTH),
  isProject: v.boolean(),
  head: v.nullable(OidSchema),
  issues: v.strictObject({ open: Count, closed: Count }),
  patches: v.strictObject({ open: Count, draft: Count, archived: Count, merged: Count }),
  evaluation: shortText(100),
});

/** Bytes as base64. */
export const Base64: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
);
