/** The contents that a comparison looks into: those of the blobs that differ, as far as they are small enough. */
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { countLines } from "./lines.ts";
import type { Change } from "./tree_comparison.ts";

/** Contents by blob id; `undefined` stands for a blob that is not looked into and hence shown like a binary one. */
export type BlobContents = ReadonlyMap<Oid, Uint8Array | undefined>;

/** Bytes of a blob that is looked into. */
export const MAX_BLOB_BYTES = 16 * 1024 * 1024;
/** Bytes of all blobs that are looked into for one diff; what comes later in the order of paths and does not fit is left out. */
export const MAX_DIFF_BYTES = 128 * 1024 * 1024;
/**
 * Lines of a blob that is looked into. The time to compare two texts grows faster than their lines: two of this length with nothing in common take
 * about two seconds.
 */
export const MAX_BLOB_LINES = 2 ** 18;
/** Lines of all blobs that are looked into for one diff, as each may become an object of some hundred bytes. */
export const MAX_DIFF_LINES = 2 ** 20;

/** Blobs read at a time. */
const BLOBS_PER_READ = 64;

/** Bytes at the start of a blob in which a zero byte makes it binary, as in git. */
const BINARY_PROBE_BYTES = 8000;

/**
 * Reads the blobs of the changes.
 *
 * @throws {DamagedError} when one is missing or no blob.
 */
export async function readBlobContents(
  repository: Repository,
  changes: readonly Change[],
): Promise<BlobContents> {
  const oids = [...blobsOf(changes)];
  const contents = new Map<Oid, Uint8Array | undefined>();
  const budget = new LineBudget();
  let leftBytes = MAX_DIFF_BYTES;
  for (let start = 0; start < oids.length; start += BLOBS_PER_READ) {
    const batch = oids.slice(start, start + BLOBS_PER_READ);
    const headers = await Promise.all(batch.map((oid) => repository.header(oid)));
    const wanted = batch.filter((oid, i) => {
      const header = headers[i];
      if (header?.kind !== "blob") throw new DamagedError(`Blob ${oid} is missing or no blob`);
      contents.set(oid, undefined);
      if (header.size > Math.min(MAX_BLOB_BYTES, leftBytes)) return false;
      leftBytes -= header.size;
      return true;
    });
    const objects = await repository.objects(wanted);
    wanted.forEach((oid, i) => {
      const bytes = objects[i]?.bytes;
      if (bytes === undefined) throw new DamagedError(`Blob ${oid} is missing`);
      if (budget.take(bytes)) contents.set(oid, bytes);
    });
  }
  return contents;
}

/** Grants lines to texts. It counts them only where there may be too many: no text has more lines than bytes. */
class LineBudget {
  #left = MAX_DIFF_LINES;
  #uncounted: Uint8Array[] = [];
  #uncountedBytes = 0;

  /** Whether there is room for a text; then it is taken. */
  take(text: Uint8Array): boolean {
    if (text.length <= MAX_BLOB_LINES && this.#uncountedBytes + text.length <= this.#left) {
      this.#uncounted.push(text);
      this.#uncountedBytes += text.length;
      return true;
    }
    for (const earlier of this.#uncounted) this.#left -= linesOf(earlier, MAX_BLOB_LINES);
    this.#uncounted = [];
    this.#uncountedBytes = 0;
    const limit = Math.min(MAX_BLOB_LINES, this.#left);
    const lines = linesOf(text, limit);
    if (lines > limit) return false;
    this.#left -= lines;
    return true;
  }
}

/** Lines of a text as far as they are compared, which those of binary blobs are not. */
function linesOf(text: Uint8Array, limit: number): number {
  return isBinary(text) ? 0 : countLines(text, limit);
}

/** The blobs on both sides of the changes, each once. Submodules have none. */
export function blobsOf(changes: readonly Change[]): Set<Oid> {
  const oids = new Set<Oid>();
  for (const change of changes) {
    for (const side of [change.old, change.new]) {
      if (side !== undefined && side.mode !== "commit") oids.add(side.oid);
    }
  }
  return oids;
}

/** The contents on both sides of the changes alone. */
export function contentsOf(changes: readonly Change[], contents: BlobContents): BlobContents {
  return new Map([...blobsOf(changes)].map((oid) => [oid, contents.get(oid)]));
}

/** Whether a blob is binary, of which no lines are shown. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}
