/** Comparisons as finished JSON: what a worker is there for, and what is done in this process where there is none. */
import { Blobs, blobsOf } from "../diff/blob_contents.ts";
import type { DiffFile } from "../diff/diff_object.ts";
import { type Pause, planDiff, type PlannedFile } from "../diff/diff_plan.ts";
import { compareFile } from "../diff/file_content.ts";
import { TRUNCATED_CONTENT } from "../diff/hunks.ts";
import type { Libgit2Calls } from "../diff/libgit2.ts";
import { isOnlyMoved, toDiffFile } from "../diff/planned_file.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { FileBatch, Made, MadeDiff } from "../ports/workers.ts";
import { MAX_SHOWN_BYTES, toDiffFileView, toTruncatedFileView } from "../views/blob.ts";
import { afterFiles, beforeFile, fileJson } from "../views/diff.ts";
import { decodeFiles, encodeFiles } from "./file_batch.ts";
import { JsonBytes } from "./json_bytes.ts";

/** Bytes of blobs above which a part of `files` ends. */
export const FILES_PART_BYTES = 4 * 2 ** 20;
/** Bytes of JSON above which the first part of a diff ends: a client waits for it, and it is held until the client reads. */
export const FIRST_PART_BYTES = 2 ** 20;
/** Bytes of JSON above which another part ends. */
export const PART_BYTES = 4 * 2 ** 20;
/** Time after which a part ends with the present file, in milliseconds. */
export const PART_LIMIT_MS = 1000;
/** Bytes of both sides of files compared in one part, and how many files. */
export const [BATCH_BYTES, BATCH_FILES] = [4 * 2 ** 20, 256];
/** Bytes of the JSON of one file. What is longer is left out, and that is marked. */
export const MAX_FILE_JSON_BYTES = 64 * 2 ** 20;

/** Where a part ends. */
export interface PartLimits {
  readonly jsonBytes: number;
  readonly ms: number;
}

/** The first part of a diff that is made by a worker. */
export const FIRST_PART: PartLimits = { jsonBytes: FIRST_PART_BYTES, ms: PART_LIMIT_MS };
/** Each other part. */
export const PART: PartLimits = { jsonBytes: PART_BYTES, ms: PART_LIMIT_MS };

/** What makes diffs. */
export interface DiffTools {
  readonly libgit2: Libgit2Calls;
  readonly repository: Repository;
  /** Called between files. */
  readonly pause?: Pause | undefined;
}

/**
 * The diff between two trees; without an old tree all files were added. Of a long one the beginning, and what is still to be compared.
 *
 * @throws {TooLargeError} when trees or files are too many or too large.
 * @throws {DamagedError} when a tree or a blob is missing or broken.
 */
export async function makeDiff(
  tools: DiffTools,
  oldTree: Oid | undefined,
  newTree: Oid,
  limits: PartLimits = { jsonBytes: Infinity, ms: Infinity },
): Promise<MadeDiff> {
  const { files, blobs } = await planDiff(tools.libgit2, tools.repository, oldTree, newTree);
  const part = new Part(tools, blobs);
  const shown = await part.show(files, limits);
  const left = files.slice(shown);
  const stats = { filesChanged: files.length, ...part.counts };
  const touched = [...blobs.oids];
  const touchedBytes = touched.reduce((sum, oid) => sum + (blobs.sizeOf(oid) ?? 0), 0);
  if (left.length === 0) part.json.write(afterFiles(part.last, stats));
  return {
    json: part.json.toBytes(),
    touched,
    touchedBytes,
    stats,
    last: part.last,
    rest: toBatches(left, shown, blobs, part.last),
  };
}

/**
 * A part of a diff: the files of a batch. Where it ends early, `rest` is what is left of the batch.
 *
 * @throws {DamagedError} when a blob is missing or broken.
 */
export async function makePart(
  tools: DiffTools,
  batch: FileBatch,
  limits: PartLimits = PART,
): Promise<MadeDiff> {
  const files = decodeFiles(batch);
  const blobs = await Blobs.of(tools.repository, files);
  const part = new Part(tools, blobs, batch.last);
  const shown = await part.show(files, limits);
  const left = files.slice(shown);
  return {
    json: part.json.toBytes(),
    touched: [],
    touchedBytes: 0,
    stats: { filesChanged: shown, ...part.counts },
    last: part.last,
    rest: left.length === 0 ? [] : [encodeFiles(left, batch.start + shown, part.last)],
  };
}

/** Cuts files into batches of limited size. */
function toBatches(
  files: readonly PlannedFile[],
  start: number,
  blobs: Blobs,
  last: FileBatch["last"],
): FileBatch[] {
  return [...groupsOf(files, blobs)].map((group) => {
    const batch = encodeFiles(group, start, last);
    start += group.length;
    last = group.at(-1)!.kind;
    return batch;
  });
}

/** JSON of files, one after the other. */
class Part {
  readonly json = new JsonBytes();
  /** Lines of files that were neither moved nor copied. */
  readonly counts = { insertions: 0, deletions: 0 };
  /** Kind of the last file that was written, in this part or before it. */
  last: FileBatch["last"];
  readonly #tools: DiffTools;
  readonly #blobs: Blobs;

  constructor(tools: DiffTools, blobs: Blobs, last?: FileBatch["last"]) {
    this.#tools = tools;
    this.#blobs = blobs;
    this.last = last;
  }

  /** Writes files until the limits are reached; tells how many. */
  async show(files: readonly PlannedFile[], { jsonBytes, ms }: PartLimits): Promise<number> {
    const start = performance.now();
    let shown = 0;
    for (const group of groupsOf(files, this.#blobs)) {
      const contents = new Map<Oid, Uint8Array>();
      for await (const read of this.#blobs.read(blobsOf(group.filter((file) => !isOnlyMoved(file))))) {
        for (const [oid, bytes] of read) contents.set(oid, bytes);
      }
      for (const file of group) {
        const pausing = this.#tools.pause?.();
        if (pausing !== undefined) await pausing;
        this.#write(file, toDiffFile(file, await compareFile(this.#tools.libgit2, file, contents)));
        shown++;
        if (this.json.length >= jsonBytes || performance.now() - start >= ms) return shown;
      }
    }
    return shown;
  }

  #write({ kind }: PlannedFile, file: DiffFile): void {
    this.json.write(beforeFile(this.last, kind));
    this.last = kind;
    const { additions, deletions, mayBeTooLong } = measure(file);
    if (kind === "added" || kind === "deleted" || kind === "modified") {
      this.counts.insertions += additions;
      this.counts.deletions += deletions;
    }
    const start = mayBeTooLong ? this.json.mark() : undefined;
    for (const piece of fileJson(file)) {
      this.json.write(piece);
      if (start === undefined || this.json.length - start.bytes <= MAX_FILE_JSON_BYTES) continue;
      if (!("diff" in file)) continue;
      this.json.returnTo(start);
      const { stats, eof } = file.diff;
      this.json.write(JSON.stringify({ ...file, diff: { ...TRUNCATED_CONTENT, stats, eof } }));
      return;
    }
  }
}

/** Characters of JSON that a character of a line becomes at most, and those that a line has beside its text, about. */
const [MAX_CHARACTER_LENGTH, LINE_OVERHEAD] = [6, 100];

/** The lines of a file that were added and deleted, and whether its JSON may have more than {@link MAX_FILE_JSON_BYTES}. */
function measure(file: DiffFile): { additions: number; deletions: number; mayBeTooLong: boolean } {
  let [additions, deletions, length] = [0, 0, 0];
  for (const { lines } of "diff" in file ? file.diff.hunks : []) {
    for (const { line, type } of lines) {
      if (type === "addition") additions++;
      else if (type === "deletion") deletions++;
      length += MAX_CHARACTER_LENGTH * line.length + LINE_OVERHEAD;
    }
  }
  return { additions, deletions, mayBeTooLong: length > MAX_FILE_JSON_BYTES };
}

/** Files whose contents are held at the same time. */
function* groupsOf(files: readonly PlannedFile[], blobs: Blobs): Generator<PlannedFile[]> {
  let group: PlannedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const size = blobs.bytesOf(file);
    if (group.length > 0 && (bytes + size > BATCH_BYTES || group.length === BATCH_FILES)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(file);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

/**
 * Members of `files`, of the first of these blobs: at least of one, and of no more once {@link FILES_PART_BYTES} were read. What is damaged is left out,
 * what is too large is marked.
 */
export async function makeFiles(repository: Repository, oids: readonly Oid[]): Promise<Made> {
  const json = new JsonBytes();
  let bytes = 0;
  let next = 0;
  while (next < oids.length && bytes <= FILES_PART_BYTES) {
    const oid = oids[next++]!;
    const header = await repository.header(oid);
    if (header?.kind !== "blob") continue;
    const isTooLarge = header.size > MAX_SHOWN_BYTES;
    const blob = isTooLarge ? undefined : await repository.object(oid);
    if (blob === undefined && !isTooLarge) continue;
    bytes += blob?.bytes.length ?? 0;
    const view = blob === undefined ? toTruncatedFileView(oid) : toDiffFileView(oid, blob.bytes);
    json.write(`${json.length === 0 ? "" : ","}"${oid}":${JSON.stringify(view)}`);
  }
  return { json: json.toBytes(), left: oids.slice(next) };
}
