/** The blobs of a diff. All sizes are known before any content is read. */
import { DamagedError } from "../errors.ts";
import { MAX_BLOB_BYTES } from "../git/objects.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { Budget } from "./budget.ts";
import type { FileSide } from "./tree_comparison.ts";

/**
 * Contents by blob id; `undefined` for a content that is not compared. A blob without content is similar only
 * to a blob with the same id.
 */
export type BlobContents = ReadonlyMap<Oid, Uint8Array | undefined>;

/** Number of files that are processed between two possible pauses. */
export const STEP_FILES = 1024;
/** Maximum number of blobs that are read in one batch. */
const BLOBS_PER_READ = 64;
/** Approximate maximum size of a batch of blobs, in bytes. */
const BYTES_PER_READ = 4 * 2 ** 20;

/**
 * Number of bytes at the start of a blob that are searched for a zero byte. If one is found, the blob is
 * binary, as in git.
 */
const BINARY_PROBE_BYTES = 8000;

export interface Sides {
  readonly old?: FileSide | undefined;
  readonly new?: FileSide | undefined;
}

export class Blobs {
  /** Size of each blob, in bytes. */
  readonly sizes: ReadonlyMap<Oid, number>;
  readonly #repository: Repository;
  readonly #budget: Budget;

  constructor(
    repository: Repository,
    sizes: ReadonlyMap<Oid, number>,
    budget: Budget = new Budget(),
  ) {
    this.#repository = repository;
    this.sizes = sizes;
    this.#budget = budget;
  }

  /**
   * Reads the sizes of the blobs of files.
   *
   * @throws {DamagedError} when an object is missing or not a blob.
   * @throws {OverBudgetError} when there are more files, or a larger blob, than the budget allows.
   */
  static async of(
    repository: Repository,
    files: readonly Sides[],
    budget: Budget = new Budget(),
  ): Promise<Blobs> {
    budget.check("files", files.length);
    const found = new Set<Oid>();
    for (let at = 0; at < files.length; at += STEP_FILES) {
      await budget.yield();
      blobsOf(files.slice(at, at + STEP_FILES), found);
    }
    const oids = [...found];
    const sizes = new Map<Oid, number>();
    while (sizes.size < oids.length) {
      const at = sizes.size;
      const first = repository.header(oids[at]!);
      const headers = first instanceof Promise
        ? await Promise.all([
          first,
          ...oids.slice(at + 1, at + BLOBS_PER_READ).map(async (oid) => await repository.header(oid)),
        ])
        : [first];
      for (const [i, header] of headers.entries()) {
        const oid = oids[at + i]!;
        if (header?.kind !== "blob") throw new DamagedError(`Object ${oid} is missing or not a blob`);
        budget.check("blobBytes", header.size);
        sizes.set(oid, header.size);
      }
      const pause = budget.yield();
      if (pause !== undefined) await pause;
    }
    return new Blobs(repository, sizes, budget);
  }

  /**
   * Returns the size of a blob in bytes; `undefined` when the blob is too large to be compared, or not in the
   * diff.
   */
  sizeOf(oid: Oid): number | undefined {
    const size = this.sizes.get(oid);
    return size !== undefined && size <= MAX_BLOB_BYTES ? size : undefined;
  }

  /** Returns the total size of blobs in bytes. A blob that is too large to be compared counts as 0. */
  bytesIn(oids: Iterable<Oid>): number {
    let bytes = 0;
    for (const oid of oids) bytes += this.sizeOf(oid) ?? 0;
    return bytes;
  }

  /**
   * Returns the size of both sides of a file in bytes. A side that is too large to be compared counts as 0.
   */
  bytesOf({ old, new: now }: Sides): number {
    return (old === undefined ? 0 : this.sizeOf(old.oid) ?? 0) +
      (now === undefined ? 0 : this.sizeOf(now.oid) ?? 0);
  }

  /** Returns the total of {@link bytesOf} for files, in bytes. */
  bytesOfAll(files: readonly Sides[]): number {
    let bytes = 0;
    for (const file of files) bytes += this.bytesOf(file);
    return bytes;
  }

  /**
   * Yields the contents of blobs in batches of a few megabytes. Skips blobs that are too large to be
   * compared.
   *
   * @throws {DamagedError} when a blob is missing.
   * @throws {OverBudgetError} when the budget has no pauses left.
   */
  async *read(oids: Iterable<Oid>): AsyncGenerator<readonly (readonly [Oid, Uint8Array])[]> {
    let wanted: Oid[] = [];
    let bytes = 0;
    for (const oid of oids) {
      const size = this.sizeOf(oid);
      if (size === undefined) continue;
      wanted.push(oid);
      bytes += size;
      if (wanted.length < BLOBS_PER_READ && bytes < BYTES_PER_READ) continue;
      yield await this.#read(wanted);
      wanted = [];
      bytes = 0;
    }
    if (wanted.length > 0) yield await this.#read(wanted);
  }

  async #read(oids: readonly Oid[]): Promise<readonly (readonly [Oid, Uint8Array])[]> {
    await this.#budget.yield();
    const objects = await this.#repository.objects(oids);
    const read: [Oid, Uint8Array][] = [];
    for (const [i, oid] of oids.entries()) {
      const bytes = objects[i]?.bytes;
      if (bytes === undefined) throw new DamagedError(`Blob ${oid} is missing`);
      this.#budget.readBytes += bytes.length;
      read.push([oid, bytes]);
    }
    return read;
  }
}

/**
 * Returns the ids of the blobs on both sides of files. Submodules have no blob.
 *
 * @param oids Set to which the ids are added; a new set by default.
 */
export function blobsOf(files: readonly Sides[], oids: Set<Oid> = new Set()): Set<Oid> {
  for (const { old, new: now } of files) {
    if (old !== undefined && old.mode !== "commit") oids.add(old.oid);
    if (now !== undefined && now.mode !== "commit") oids.add(now.oid);
  }
  return oids;
}

/** Returns only the contents of the given files. */
export function contentsOf(files: readonly Sides[], contents: BlobContents): BlobContents {
  return new Map([...blobsOf(files)].map((oid) => [oid, contents.get(oid)]));
}

/** Checks whether a blob is binary, so that a diff shows no lines. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}
