/** Keeps the catalogue of a bucket: the ids of the repositories that have manifests. */
import { DamagedError } from "../errors.ts";
import { type RepoId, sortRids } from "../ids/rid.ts";
import type { Bucket } from "../ports/bucket.ts";
import {
  type Catalogue,
  decodeCatalogue,
  encodeCatalogue,
  MAX_CATALOGUE_BYTES,
} from "../published/catalogue.ts";
import { CATALOGUE_KEY } from "../published/keys.ts";
import { PUBLISHED_FORMAT } from "../published/manifest.ts";
import { ChangedMeanwhile, CHANGING, conditionOf } from "./published_manifest.ts";

/** Tries to change the catalogue while other publishers change it. */
const MAX_TRIES = 20;

/** Computes the ids of a catalogue from those that it has. */
type Edit = (before: ReadonlySet<RepoId>) => Promise<ReadonlySet<RepoId>>;

/** Adds ids to the catalogue, and removes others. Nothing is put when nothing changes. */
export async function updateCatalogue(
  bucket: Bucket,
  added: Iterable<RepoId>,
  removed: Iterable<RepoId>,
): Promise<void> {
  const gone = new Set(removed);
  await editCatalogue(
    bucket,
    (before) => Promise.resolve(new Set([...before, ...added].filter((rid) => !gone.has(rid)))),
  );
}

/**
 * Changes the catalogue.
 *
 * @param edit Called again when another publisher has changed the catalogue meanwhile.
 * @throws {BucketError}
 */
export async function editCatalogue(bucket: Bucket, edit: Edit): Promise<void> {
  for (let tries = 1;; tries++) {
    const object = await bucket.get(CATALOGUE_KEY, { limitBytes: MAX_CATALOGUE_BYTES });
    const found = object === "unchanged" ? undefined : object;
    const before = found && tryDecode(found.bytes);
    const earlier = new Set(before?.repositories);
    const repositories = await edit(earlier);
    if (before !== undefined && repositories.size === earlier.size) {
      if ([...repositories].every((rid) => earlier.has(rid))) return;
    }
    const bytes = encodeCatalogue({
      format: PUBLISHED_FORMAT,
      generation: (before?.generation ?? 0) + 1,
      repositories: sortRids([...repositories]),
    });
    try {
      const condition = await conditionOf(bucket, CATALOGUE_KEY, found?.etag);
      const options = { ...condition, contentType: "application/json", cacheControl: CHANGING };
      if (await bucket.put(CATALOGUE_KEY, bytes, options) !== "conflict") return;
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
    }
    if (tries === MAX_TRIES) throw new ChangedMeanwhile(CATALOGUE_KEY);
  }
}

function tryDecode(bytes: Uint8Array): Catalogue | undefined {
  try {
    return decodeCatalogue(bytes);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}
