/**
 * The latest changes of all repositories, in one small object: who has many repositories reads it in place of
 * all their manifests. Each publisher that takes the lease begins it anew, since the one before may have been
 * killed between the put of a manifest and that of this object.
 */
import * as v from "valibot";
import { DamagedError } from "../../errors.ts";
import type { RepoId } from "../../ids/rid.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { RidSchema, wholeNumber } from "./schemas.ts";
import { decodeSealed, encodeSealed } from "./sealed_json.ts";

/** Most changes that are in the object. */
export const MAX_RECENT_CHANGES = 512;
/** Most bytes of the object; of {@link MAX_RECENT_CHANGES} it has some 30,000. */
export const MAX_RECENT_BYTES = 2 ** 16;

/** A repository, and the number of the state that was put. */
export type RecentChange = readonly [rid: RepoId, stateNumber: number];

/** The latest changes. */
export interface RecentChanges {
  readonly format: typeof PUBLISHED_FORMAT;
  /** Number of the lease of the publisher that tells of them. */
  readonly lease: number;
  /** Changes of which this publisher has told, with those that are not in the object any more. */
  readonly told: number;
  /** The last ones; the latest is the last. Null in place of a repository that is not public any more. */
  readonly changes: readonly (RecentChange | null)[];
}

const Schema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  lease: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  told: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  changes: v.pipe(
    v.array(v.nullable(v.strictTuple([RidSchema, wholeNumber(1, Number.MAX_SAFE_INTEGER)]))),
    v.maxLength(MAX_RECENT_CHANGES),
  ),
});

/** Encodes the latest changes. */
export function encodeRecentChanges(recent: RecentChanges): Uint8Array<ArrayBuffer> {
  return encodeSealed(recent);
}

/**
 * Decodes the latest changes.
 *
 * @throws {DamagedError} when they are damaged or of another version.
 */
export function decodeRecentChanges(bytes: Uint8Array): RecentChanges {
  const recent = decodeSealed(bytes, Schema, MAX_RECENT_BYTES) as RecentChanges;
  if (recent.changes.length > recent.told) throw new DamagedError("There are more changes than were told");
  return recent;
}
