/**
 * The latest changes of all repositories, in one small object: who has many repositories reads it in place of
 * all their manifests. Each publisher that takes the lease begins it anew, since the one before may have been
 * killed between the put of a manifest and that of this object.
 */
import * as v from "valibot";
import { DamagedError } from "../../../src/errors.ts";
import { RECENT_KEY } from "./keys.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { RidSchema, wholeNumber } from "./schemas.ts";
import { type Immutable, sealedDocument } from "./sealed_json.ts";

/** Most changes that are in the object. */
export const MAX_RECENT_CHANGES = 512;
/** Most bytes of the object; of {@link MAX_RECENT_CHANGES} it has some 30,000. */
export const MAX_RECENT_BYTES = 2 ** 16;

const Change = v.strictTuple([RidSchema, wholeNumber(1, Number.MAX_SAFE_INTEGER)]);
/** A repository, and the number of the state that was put. */
export type RecentChange = Immutable<v.InferOutput<typeof Change>>;

const RecentSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  /** Number of the lease of the publisher that tells of them. */
  lease: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  /** Number of changes that this publisher has told, also of those that have left the object. */
  told: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  /** The last ones; the latest is the last. Null in place of a repository that is not public any more. */
  changes: v.pipe(v.array(v.nullable(Change)), v.maxLength(MAX_RECENT_CHANGES)),
});
/** The latest changes. */
export type RecentChanges = Immutable<v.InferOutput<typeof RecentSchema>>;

/** The document of the latest changes. */
export const RECENT = sealedDocument(RECENT_KEY, MAX_RECENT_BYTES, RecentSchema, ({ changes, told }) => {
  if (changes.length > told) throw new DamagedError("There are more changes than were told");
});
