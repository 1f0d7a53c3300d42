/** Archives in the form of the recordings: names, modes, sizes and types of entries, and the comment. */
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";

/** An archive without the content of its files. */
export interface ArchiveListing {
  /** Name, mode, size and, for tar, the letter of the type. */
  readonly entries: readonly (readonly (string | number)[])[];
  readonly comment: string | null;
}

/** Media types of archives. */
export const ARCHIVE_TYPES: ReadonlySet<string> = new Set([
  "application/gzip",
  "application/x-tar",
  "application/zip",
]);

const BLOCK = 512;

/** Lists an archive of one of {@link ARCHIVE_TYPES}. */
export function listArchive(bytes: Uint8Array, type: string): ArchiveListing {
  const buffer = Buffer.from(bytes);
  if (type === "application/zip") return listZip(buffer);
  return listTar(type === "application/gzip" ? gunzipSync(buffer) : buffer);
}

/** Reads ustar headers and the pax headers before them. */
function listTar(tar: Buffer): ArchiveListing {
  const entries: (string | number)[][] = [];
  let comment: string | null = null;
  let pax = new Map<string, string>();
  for (let at = 0; tar.subarray(at, at + BLOCK).some((byte) => byte !== 0);) {
    const field = (start: number, length: number) => {
      const bytes = tar.subarray(at + start, at + start + length);
      const end = bytes.indexOf(0);
      return bytes.subarray(0, end < 0 ? length : end).toString("utf8");
    };
    const size = parseInt(field(124, 12), 8);
    const type = field(156, 1) || "0";
    const content = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (type === "g") comment = paxRecords(content).get("comment") ?? null;
    else if (type === "x") pax = paxRecords(content);
    else {
      const prefix = field(345, 155);
      const name = pax.get("path") ?? (prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`);
      entries.push([name, parseInt(field(100, 8), 8), size, type]);
      pax = new Map();
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return { entries, comment };
}

/** Records of a pax header: length, blank, name, `=`, value, line feed. */
function paxRecords(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(0x20, at);
    const end = at + parseInt(bytes.subarray(at, blank).toString());
    const [name = "", ...value] = bytes.subarray(blank + 1, end - 1).toString("utf8").split("=");
    records.set(name, value.join("="));
    at = end;
  }
  return records;
}

/** Reads the central directory. */
function listZip(zip: Buffer): ArchiveListing {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const entries: (string | number)[][] = [];
  for (let at = zip.readUInt32LE(end + 16); at < end;) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) =>
      zip.readUInt16LE(at + place)
    );
    const name = zip.subarray(at + 46, at + 46 + nameLength!).toString("utf8");
    entries.push([name, zip.readUInt32LE(at + 38) >>> 16, zip.readUInt32LE(at + 24)]);
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  return { entries, comment: zip.subarray(end + 22).toString("utf8") };
}
