/** Publishes derived data of a repository, which are results that take replicas a long time to compute. */
import { type Bucket, BucketError } from "../bucket/bucket.ts";
import type { DerivedData, DerivedFile, DerivedRoot, Repository } from "../../../src/mod.ts";
import { derivedDataOf, inlineOf } from "../format/derived.ts";
import { contentKey } from "../format/keys.ts";
import {
  type Manifest,
  MAX_DERIVED_BYTES,
  MAX_DERIVED_FILES,
  MAX_DERIVED_NAMES,
  type PublishedDerived,
  type PublishedDerivedFile,
} from "../format/manifest.ts";
import { NoLongerPublic, type ObjectSender } from "./object_sender.ts";
import type { PublicationOptions } from "./publication_options.ts";

/**
 * Maximum size of a file that is stored inside the manifest, in bytes. Files are stored there until
 * {@link INLINE_BYTES} are used.
 */
export const INLINE_FILE_BYTES = 4096;
/** Maximum total size of the files inside a manifest, in bytes. */
const INLINE_BYTES = 2 ** 15;

/**
 * Computes derived data, and sends new files. Data that cannot be computed is left out. Readers then compute
 * it when they need it.
 *
 * @param repository The repository with exactly the references that are published.
 * @param before The published manifest.
 * @throws {BucketError}
 */
export async function publishDerived(
  { derive, bucket, task, log, signal }: PublicationOptions,
  sender: ObjectSender,
  repository: Repository,
  before: Manifest | undefined,
): Promise<PublishedDerived> {
  if (derive === undefined) return { names: [], files: [] };
  const { rid } = repository;
  const files = new Map(before?.derived.files.map((file) => [file.digest, file]));
  let inlineBytes = [...files.values()].reduce(
    (sum, { bytes, inline }) => sum + (inline === undefined ? 0 : bytes),
    0,
  );
  const write = async ({ digest, bytes }: DerivedFile) => {
    if (files.has(digest)) return;
    if (bytes.length <= INLINE_FILE_BYTES && inlineBytes + bytes.length <= INLINE_BYTES) {
      inlineBytes += bytes.length;
      files.set(digest, { digest, bytes: bytes.length, inline: inlineOf(bytes) });
      return;
    }
    await sender.send(contentKey(rid, "derived", digest), new Uint8Array(bytes));
    files.set(digest, { digest, bytes: bytes.length });
  };
  let roots: readonly DerivedRoot[] = [];
  try {
    roots = await derive(repository, before && earlierData(bucket, before), write, task);
  } catch (error) {
    if (error instanceof BucketError || error instanceof NoLongerPublic || signal?.aborted) throw error;
    log("warn", `Cannot derive data of ${rid}`, error);
  }
  return toPublished(roots, files);
}

/**
 * Returns the roots (files with a name) with all files that they need, within the limits of a manifest. A
 * root is left out if one of these files is missing.
 */
function toPublished(
  roots: readonly DerivedRoot[],
  files: ReadonlyMap<string, PublishedDerivedFile>,
): PublishedDerived {
  const names: { name: string; digest: string }[] = [];
  const used = new Map<string, PublishedDerivedFile>();
  for (const { name, digest, files: needed } of roots) {
    const found = needed.map((file) => files.get(file.digest)).filter((file) => file !== undefined);
    const isWhole = found.length === needed.length && found.some((file) => file.digest === digest);
    const isWithin = names.length < MAX_DERIVED_NAMES && used.size + found.length <= MAX_DERIVED_FILES &&
      found.every(({ bytes }) => bytes <= MAX_DERIVED_BYTES);
    if (!isWhole || !isWithin) continue;
    names.push({ name, digest });
    for (const file of found) used.set(file.digest, file);
  }
  return { names, files: [...used.values()] };
}

function earlierData(bucket: Bucket, before: Manifest): DerivedData {
  return derivedDataOf(() => before, async (key, { bytes }) => {
    const object = await bucket.get(key, { limitBytes: bytes });
    return typeof object === "object" ? object.bytes : undefined;
  });
}
