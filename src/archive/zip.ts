/** Entries as a zip archive (APPNOTE 6.3), with the attributes of `git archive`. */
import { Zip, ZipPassThrough } from "fflate";
import { joinBytes } from "../bytes/join.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { TooLargeError } from "../errors.ts";
import type { ArchiveEntry, ArchiveSize } from "./entries.ts";
import type { ArchiveOrigin } from "./tar.ts";

/** Most entries of a zip archive without the extensions of ZIP64. */
export const MAX_ZIP_ENTRIES = 65_535;
/** Most bytes of files in a zip archive: with its headers, it stays below 4 GiB. */
export const MAX_ZIP_BYTES = 3.5 * 2 ** 30;

/** "Version made by" of entries with a Unix mode. */
const UNIX = 3;
const DEFLATED = 8;
/** Bytes whose checksum is computed in one go: below a millisecond. */
const BYTES_AT_ONCE = 256 * 1024;
/** Attribute of folders. */
const FOLDER = 0x10;
/** Field with the time in seconds, which zip's own times lack (Info-ZIP). */
const TIME_FIELD = 0x5455;
/** The times that zip can tell, in years. */
const [FIRST_YEAR, LAST_YEAR] = [1980, 2099];

/**
 * Refuses archives that zip cannot hold.
 *
 * @throws {TooLargeError} beyond {@link MAX_ZIP_ENTRIES} or {@link MAX_ZIP_BYTES}.
 */
export function checkZipSize({ entries, bytes }: ArchiveSize): void {
  // One for the folder around all of them.
  if (entries + 1 > MAX_ZIP_ENTRIES) {
    throw new TooLargeError(`The archive has more than ${MAX_ZIP_ENTRIES} entries: zip cannot hold them`);
  }
  if (bytes > MAX_ZIP_BYTES) {
    throw new TooLargeError(`The archive has more than ${MAX_ZIP_BYTES} bytes: zip cannot hold them`);
  }
}

/** A zip archive in pieces, one for each entry. */
export async function* zipPieces(
  entries: AsyncIterable<ArchiveEntry>,
  { commit, timeSeconds }: ArchiveOrigin,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let made: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    made.push(chunk);
  });
  const take = () => {
    const piece = joinBytes(made);
    made = [];
    return piece;
  };
  const slices = new TimeSlices();
  const time = dateOf(timeSeconds);
  for await (const { path, kind, bytes } of entries) {
    const packed = bytes.length === 0 ? undefined : await deflate(bytes);
    const file = new PackedFile(path, packed);
    file.mtime = time;
    file.extra = { [TIME_FIELD]: timeField(timeSeconds) };
    if (kind === "tree" || kind === "commit") file.attrs = FOLDER;
    else if (kind === "link" || kind === "blobExecutable") {
      file.os = UNIX;
      file.attrs = (kind === "link" ? 0o120777 : 0o100755) * 2 ** 16;
    }
    zip.add(file);
    for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
      file.push(bytes.subarray(at, at + BYTES_AT_ONCE), at + BYTES_AT_ONCE >= bytes.length);
      await slices.next();
    }
    if (bytes.length === 0) file.push(bytes, true);
    yield take();
  }
  zip.end();
  yield withComment(take(), commit ?? "");
}

/** A file that is packed already; what is pushed only counts for its size and checksum. */
class PackedFile extends ZipPassThrough {
  readonly #packed: Uint8Array<ArrayBuffer> | undefined;

  constructor(path: string, packed: Uint8Array<ArrayBuffer> | undefined) {
    super(path);
    this.#packed = packed;
    if (packed !== undefined) this.compression = DEFLATED;
  }

  protected override process(chunk: Uint8Array, isLast: boolean): void {
    if (isLast) this.ondata(null, this.#packed ?? chunk as Uint8Array<ArrayBuffer>, true);
  }
}

/** Packed by the runtime, mostly in another thread. */
async function deflate(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const packed = source.pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** The archive's end with a comment: it is the last record, and ends with the comment's length. */
function withComment(end: Uint8Array<ArrayBuffer>, comment: string): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(comment);
  new DataView(end.buffer, end.byteOffset).setUint16(end.length - 2, text.length, true);
  return joinBytes([end, text]);
}

function timeField(timeSeconds: number): Uint8Array {
  const field = new DataView(new ArrayBuffer(5));
  // The time of the last change is there, and no other.
  field.setUint8(0, 1);
  field.setUint32(1, Math.max(timeSeconds, 0), true);
  return new Uint8Array(field.buffer);
}

/** The nearest time that zip can tell. */
function dateOf(timeSeconds: number): Date {
  const first = new Date(FIRST_YEAR, 0, 1).getTime();
  const last = new Date(LAST_YEAR, 11, 31).getTime();
  return new Date(Math.min(Math.max(timeSeconds * 1000, first), last));
}
