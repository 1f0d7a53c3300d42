/**
 * The latest changes of all repositories, in one small object. A reader with many repositories reads this
 * object instead of all their manifests. Each publisher that takes the lease starts an empty list. It cannot
 * continue the list of its predecessor, which may have been killed after it put a manifest and before it put
 * this object.
 */
import * as v from "valibot";
import { DamagedError } from "../../../src/mod.ts";
import { RECENT_KEY } from "./keys.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { RidSchema, wholeNumber } from "./schemas.ts";
import { type Immutable, sealedDocument } from "./sealed_json.ts";

/** Maximum number of changes in the object. */
export const MAX_RECENT_CHANGES = 512;
/**
 * Maximum size of the object, in bytes. With {@link MAX_RECENT_CHANGES} changes, it has about 30,000 bytes.
 */
export const MAX_RECENT_BYTES = 2 ** 16;

const Change = v.strictTuple([RidSchema, wholeNumber(1, Number.MAX_SAFE_INTEGER)]);
/** A repository, and the number of its published state. */
export type RecentChange = Immutable<v.InferOutput<typeof Change>>;

const RecentSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  /** Number of the lease of the publisher that lists the changes. */
  lease: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  /**
   * Number of all changes that this publisher has listed, including changes that are no longer in the object.
   */
  told: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  /**
   * The last changes, the latest change at the end. Null stands for a change of a repository that is no
   * longer public.
   */
  changes: v.pipe(v.array(v.nullable(Change)), v.maxLength(MAX_RECENT_CHANGES)),
});
export type RecentChanges = Immutable<v.InferOutput<typeof RecentSchema>>;

export const RECENT = sealedDocument(RECENT_KEY, MAX_RECENT_BYTES, RecentSchema, ({ changes, told }) => {
  if (changes.length > told) throw new DamagedError("More changes are listed than counted");
});
