/** Schemas of values that occur in several published documents. */
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

/** Maximum size of an object in the bucket that is read by ranges, in bytes. */
export const MAX_FILE_BYTES = 2 ** 32 - 1;

/** Returns the schema of a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): v.GenericSchema<number> {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
}

/** Schema of a git object id. */
export const OidSchema: v.GenericSchema<Oid> = v.custom<Oid>(
  (value) => typeof value === "string" && isOid(value),
);

/** Schema of a repository id in its canonical form. */
export const RidSchema: v.GenericSchema<RepoId> = v.custom<RepoId>(
  (value) => typeof value === "string" && value.length < 100 && tryParseRid(value) === value,
);

/** Schema of a node id in its canonical form. */
export const NidSchema: v.GenericSchema<NodeId> = v.custom<NodeId>(
  (value) => typeof value === "string" && value.length < 100 && tryParseNid(value) === value,
);

/** Returns the schema of a text of 1 to `limit` UTF-16 code units. */
export function shortText(limit: number): v.GenericSchema<string> {
  return v.pipe(v.string(), v.minLength(1), v.maxLength(limit));
}

/** Schema of a short digest from `digestOf`. */
export const DigestSchema: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

/** Schema of a SHA-256 in hexadecimal digits. */
export const Sha256Schema: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** Schema of a time in milliseconds since the epoch. */
export const TimeMsSchema: v.GenericSchema<number> = wholeNumber(0, 2 ** 50);

/** Maximum length of an identity document in a listing, in characters. */
export const MAX_LISTED_DOCUMENT_LENGTH = 2 ** 13;

const Count = wholeNumber(0, 2 ** 32);
/** Schema of the listing of a repository. */
export const ListingSchema: v.GenericSchema<RepositoryListing> = v.strictObject({
  document: shortText(MAX_LISTED_DOCUMENT_LENGTH),
  isProject: v.boolean(),
  head: v.nullable(OidSchema),
  issues: v.strictObject({ open: Count, closed: Count }),
  patches: v.strictObject({ open: Count, draft: Count, archived: Count, merged: Count }),
  evaluation: shortText(100),
});

/** Schema of bytes in base64. */
export const Base64: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
);
