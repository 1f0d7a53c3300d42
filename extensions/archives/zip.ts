/** Writes entries as a zip archive (APPNOTE 6.3), with the same attributes as `git archive`. */
import { type Task, TooLargeError } from "../../src/mod.ts";
import { deflate } from "./deflate.ts";
import type { ArchiveEntry, ArchiveSize } from "./entries.ts";
import type { ArchiveOrigin } from "./tar.ts";
import { Pieces } from "./pieces.ts";

/** Maximum number of entries in a zip archive without the ZIP64 extensions. */
export const MAX_ZIP_ENTRIES = 65_535;
/**
 * Maximum total size of the files in a zip archive, in bytes. With this limit, an archive including its
 * headers stays below 4 GiB.
 */
export const MAX_ZIP_BYTES = 3.5 * 2 ** 30;
/**
 * Maximum size of the directory at the end of the archive, in bytes. The directory is in memory until all
 * files are sent.
 */
export const MAX_ZIP_DIRECTORY_BYTES = 32 * 2 ** 20;

const encoder = new TextEncoder();

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** Lowest version of the zip format that supports folders and compressed files. */
const VERSION = 20;
/** Value of "version made by" for entries with a Unix mode. */
const MADE_BY_UNIX = 3 << 8 | VERSION;
/** Flag for a name in UTF-8. Other names do not have this flag, as in archives of git. */
const UTF8 = 1 << 11;
const DEFLATED = 8;
/** Size of a directory entry without its path, in bytes. */
const CENTRAL_BYTES = 46;
const TIME_FIELD_BYTES = 9;
/** Number of bytes for one step of a checksum, which takes less than a millisecond. */
const BYTES_AT_ONCE = 256 * 1024;
const FOLDER = 0x10;
/**
 * Identifier of the extra field for the modification time (Info-ZIP), in seconds as a signed 32-bit number.
 * The standard fields have a precision of two seconds.
 */
const TIME_FIELD = 0x5455;
const MAX_FIELD_SECONDS = 2 ** 31 - 1;
/** First and last year that the standard date field can store. */
const FIRST_YEAR = 1980;
const LAST_YEAR = 2099;

/**
 * Refuses archives that the zip format cannot store.
 *
 * @param folder Path of the folder around all entries; empty if there is no such folder.
 * @returns Size of the directory at the end of the archive, in bytes.
 * @throws {TooLargeError} when {@link MAX_ZIP_ENTRIES}, {@link MAX_ZIP_BYTES} or
 *   {@link MAX_ZIP_DIRECTORY_BYTES} is exceeded.
 */
export function checkZipSize({ entries, bytes, pathBytes }: ArchiveSize, folder: string): number {
  // The folder around all entries counts as one more entry.
  if (entries + 1 > MAX_ZIP_ENTRIES) {
    throw new TooLargeError(`The archive has more than ${MAX_ZIP_ENTRIES} entries: zip cannot hold them`);
  }
  if (bytes > MAX_ZIP_BYTES) {
    throw new TooLargeError(`The archive has more than ${MAX_ZIP_BYTES} bytes: zip cannot hold them`);
  }
  const folderBytes = encoder.encode(folder).length;
  const directoryBytes = pathBytes + (entries + 1) * (CENTRAL_BYTES + TIME_FIELD_BYTES + folderBytes);
  if (directoryBytes > MAX_ZIP_DIRECTORY_BYTES) {
    throw new TooLargeError(
      `The paths of the archive have more than ${MAX_ZIP_DIRECTORY_BYTES} bytes in zip`,
    );
  }
  return directoryBytes;
}

export async function* zipPieces(
  entries: AsyncIterable<ArchiveEntry>,
  { commit, timeSeconds }: ArchiveOrigin,
  task: Task,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const pieces = new Pieces();
  const records = new Pieces();
  const directory: Uint8Array<ArrayBuffer>[] = [];
  const seconds = Math.max(Number(timeSeconds), 0);
  const [date, time] = dosTime(seconds);
  // The flag 1 means that only the modification time follows.
  const extra = seconds > MAX_FIELD_SECONDS
    ? record()
    : record([2, TIME_FIELD], [2, 5], [1, 1], [4, seconds]);
  let count = 0;
  let offset = 0;
  for await (const { path: name, kind, bytes } of entries) {
    const packed = await deflate(bytes, task);
    const isPacked = packed.length < bytes.length;
    const content = isPacked ? packed : bytes;
    const common = record(
      ...[[2, VERSION], [2, isUtf8(name) ? UTF8 : 0], [2, isPacked ? DEFLATED : 0], [2, time], [
        2,
        date,
      ]] as const,
      ...[[4, await checksum(bytes, task)], [4, content.length], [4, bytes.length]] as const,
      ...[[2, name.length], [2, extra.length]] as const,
    );
    const isFolder = kind === "tree" || kind === "commit";
    const mode = kind === "link" ? 0o120777 : kind === "blobExecutable" ? 0o100755 : 0;
    const attributes = isFolder ? FOLDER : mode * 2 ** 16;
    records.add(
      record([4, CENTRAL], [2, mode === 0 ? VERSION : MADE_BY_UNIX]),
      common,
      // The entry has no comment, is on the first disk, and is not marked as text.
      record([2, 0], [2, 0], [2, 0], [4, attributes], [4, offset]),
      name,
      extra,
    );
    if (records.isFull) directory.push(records.take());
    const local = record([4, LOCAL]);
    pieces.add(local, common, name, extra, content);
    count++;
    offset += local.length + common.length + name.length + extra.length + content.length;
    if (pieces.isFull) yield pieces.take();
    await task.yield();
  }
  yield pieces.take();
  directory.push(records.take());
  yield* directory;
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0);
  const comment = encoder.encode(commit ?? "");
  pieces.add(
    record([4, END], [2, 0], [2, 0], [2, count], [2, count], [4, directoryBytes], [4, offset]),
    record([2, comment.length]),
    comment,
  );
  yield pieces.take();
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strictUtf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Encodes numbers with the given lengths in bytes, the lowest byte first. */
function record(...fields: readonly (readonly [bytes: number, value: number])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [length]) => sum + length, 0));
  let at = 0;
  for (const [length, value] of fields) {
    for (let i = 0, left = value; i < length; i++, left = Math.floor(left / 256)) bytes[at++] = left;
  }
  return bytes;
}

/** CRC-32 remainders of all bytes, with the bits in reverse order (APPNOTE 4.4.7). */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder & 1) * 0xedb88320 ^ remainder >>> 1;
  return remainder;
});

async function checksum(bytes: Uint8Array, task: Task): Promise<number> {
  let sum = -1;
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + BYTES_AT_ONCE, bytes.length);
    for (; at < end; at++) sum = REMAINDERS[(sum ^ bytes[at]!) & 0xff]! ^ sum >>> 8;
    await task.yield();
  }
  return ~sum >>> 0;
}

/**
 * Returns the nearest date and time that zip can store (APPNOTE 4.4.6), in UTC so that the time zone of the
 * host does not matter.
 */
function dosTime(timeSeconds: number): readonly [date: number, time: number] {
  const first = Date.UTC(FIRST_YEAR, 0, 1);
  const last = Date.UTC(LAST_YEAR, 11, 31);
  const time = new Date(Math.min(Math.max(timeSeconds * 1000, first), last));
  return [
    time.getUTCFullYear() - FIRST_YEAR << 9 | time.getUTCMonth() + 1 << 5 | time.getUTCDate(),
    time.getUTCHours() << 11 | time.getUTCMinutes() << 5 | time.getUTCSeconds() >> 1,
  ];
}
