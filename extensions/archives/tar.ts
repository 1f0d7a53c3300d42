/** Writes entries as a tar archive (POSIX.1-2001, pax), with the same bytes as `git archive`. */
import { type EntryKind, type Integer, joinBytes, type Oid } from "../../src/mod.ts";
import type { ArchiveEntry } from "./entries.ts";
import { Pieces } from "./pieces.ts";

/** Block size in bytes. Headers and contents fill whole blocks. */
const BLOCK_BYTES = 512;
/**
 * The size of an archive in bytes is a multiple of this number. An archive ends with at least two blocks of
 * zeros.
 */
const RECORD_BYTES = 10_240;

/** Offset and length of each field of a header, in bytes. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  target: [157, 100],
  magic: [257, 6],
  version: [263, 2],
  ownerName: [265, 32],
  groupName: [297, 32],
  major: [329, 8],
  minor: [337, 8],
  prefix: [345, 155],
} as const;
type Field = keyof typeof FIELDS;

/**
 * Latest time in a header, in seconds since the Unix epoch. The field has eleven octal digits, which are
 * enough until the year 2242.
 */
const MAX_TIME_SECONDS = 8 ** 11 - 1;

const TYPE = { file: "0", link: "2", folder: "5", records: "x", recordsOfAll: "g" } as const;

/** Modes of entries. Other users cannot write to the files (bit 2 is not set), as with git's `tar.umask`. */
const MODES: Readonly<Record<EntryKind, number>> = {
  tree: 0o775,
  commit: 0o775,
  blob: 0o664,
  blobExecutable: 0o775,
  link: 0o777,
};
const RECORDS_MODE = 0o666;

const SLASH = 0x2f;
const NO_BYTES = new Uint8Array(0);
const encoder = new TextEncoder();

export interface ArchiveOrigin {
  /** Id of the commit, which the archive contains as a comment; `undefined` for an archive of a tree. */
  readonly commit: Oid | undefined;
  /** Time of all entries, in seconds since the Unix epoch. */
  readonly timeSeconds: Integer;
}

export async function* tarPieces(
  entries: AsyncIterable<ArchiveEntry>,
  { commit, timeSeconds }: ArchiveOrigin,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const pieces = new Pieces();
  let length = 0;
  const take = () => {
    const piece = pieces.take();
    length += piece.length;
    return piece;
  };
  const time = timeSeconds < 0 ? 0 : timeSeconds;
  const headerTime = time > MAX_TIME_SECONDS ? MAX_TIME_SECONDS : Number(time);
  const ofAll = [
    ...(commit === undefined ? [] : [record("comment", encoder.encode(commit))]),
    ...(time === headerTime ? [] : [record("mtime", encoder.encode(String(time)))]),
  ];
  if (ofAll.length > 0) {
    pieces.add(...recordBlocks(TYPE.recordsOfAll, "pax_global_header", ofAll, headerTime));
  }
  for await (const entry of entries) {
    pieces.add(...entryBlocks(entry, headerTime));
    if (pieces.isFull) yield take();
  }
  yield take();
  const end = 2 * BLOCK_BYTES;
  yield new Uint8Array(end + (RECORD_BYTES - (length + end) % RECORD_BYTES) % RECORD_BYTES);
}

/**
 * Returns the blocks of an entry. Values that do not fit into the header are in pax records before the
 * header.
 */
function entryBlocks({ path, oid, kind, bytes }: ArchiveEntry, time: number): readonly Uint8Array[] {
  const records: Uint8Array[] = [];
  const recordsName = `${oid}.paxheader`;
  let { name, prefix } = splitPath(path);
  if (name.length > FIELDS.name[1]) {
    records.push(record("path", path));
    name = encoder.encode(`${oid}.data`);
    prefix = NO_BYTES;
  }
  let target = kind === "link" ? bytes : NO_BYTES;
  if (target.length > FIELDS.target[1]) {
    records.push(record("linkpath", target));
    target = encoder.encode(`see ${recordsName}`);
  }
  const content = kind === "blob" || kind === "blobExecutable" ? bytes : NO_BYTES;
  const type = kind === "link" ? TYPE.link : kind === "tree" || kind === "commit" ? TYPE.folder : TYPE.file;
  return [
    ...(records.length > 0 ? recordBlocks(TYPE.records, recordsName, records, time) : []),
    header({ name, prefix, target, type, mode: MODES[kind], size: content.length, time }),
    content,
    padding(content.length),
  ];
}

function recordBlocks(type: string, name: string, records: readonly Uint8Array[], time: number) {
  const bytes = joinBytes(records);
  const parts = { name: encoder.encode(name), prefix: NO_BYTES, target: NO_BYTES };
  return [
    header({ ...parts, type, mode: RECORDS_MODE, size: bytes.length, time }),
    bytes,
    padding(bytes.length),
  ];
}

/**
 * Splits a path at a slash into the two path fields of a header. If the path does not fit into one field, the
 * first part is as long as possible.
 */
function splitPath(path: Uint8Array): { readonly name: Uint8Array; readonly prefix: Uint8Array } {
  if (path.length <= FIELDS.name[1]) return { name: path, prefix: NO_BYTES };
  // A path is not split at its last slash, which marks a folder.
  const last = Math.min(path.length - 2, FIELDS.prefix[1]);
  const slash = path.lastIndexOf(SLASH, last);
  return slash <= 0
    ? { name: path, prefix: NO_BYTES }
    : { name: path.subarray(slash + 1), prefix: path.subarray(0, slash) };
}

interface HeaderParts {
  readonly name: Uint8Array;
  readonly prefix: Uint8Array;
  readonly target: Uint8Array;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly time: number;
}

function header({ name, prefix, target, type, mode, size, time }: HeaderParts): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  const set = (field: Field, value: Uint8Array | string) =>
    block.set(typeof value === "string" ? encoder.encode(value) : value, FIELDS[field][0]);
  const setNumber = (field: Field, value: number) =>
    set(field, value.toString(8).padStart(FIELDS[field][1] - 1, "0"));
  set("name", name);
  setNumber("mode", mode);
  setNumber("owner", 0);
  setNumber("group", 0);
  setNumber("size", size);
  setNumber("time", time);
  set("checksum", " ".repeat(FIELDS.checksum[1]));
  set("type", type);
  set("target", target);
  set("magic", "ustar");
  set("version", "00");
  set("ownerName", "root");
  set("groupName", "root");
  setNumber("major", 0);
  setNumber("minor", 0);
  set("prefix", prefix);
  const sum = block.reduce((sum, byte) => sum + byte, 0);
  set("checksum", `${sum.toString(8).padStart(FIELDS.checksum[1] - 1, "0")}\0`);
  return block;
}

/**
 * Returns a pax record: the length of the whole record in bytes, a space, a keyword, an equals sign, the
 * value and a line feed.
 */
function record(keyword: string, value: Uint8Array): Uint8Array {
  const rest = ` ${keyword}=`.length + value.length + "\n".length;
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return joinBytes([encoder.encode(`${length} ${keyword}=`), value, encoder.encode("\n")]);
}

/** Returns the zeros that fill up the last block of a content. */
function padding(length: number): Uint8Array {
  return new Uint8Array((BLOCK_BYTES - length % BLOCK_BYTES) % BLOCK_BYTES);
}
