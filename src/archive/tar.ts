/** Entries as a tar archive (POSIX.1-2001, pax), with the modes and times of `git archive`. */
import { packTar, type TarEntry } from "modern-tar";
import type { EntryKind } from "../git/tree.ts";
import type { Oid } from "../ids/oid.ts";
import type { ArchiveEntry } from "./entries.ts";
import { decodeName } from "./names.ts";

/** Bytes at the end of an archive, all zero. */
const END_BYTES = 1024;
/** The length of an archive is a multiple of it. */
const RECORD_BYTES = 10_240;

/** Bytes of the header of an entry. */
const HEADER_BYTES = 512;
/** Size from which on entries are packed together and sent, in bytes: each alone would cost more. */
const BATCH_BYTES = 32 * 1024;

/** Modes of entries; those of files lack the bit 2 for others, as with git's `tar.umask`. */
const MODES: Readonly<Record<EntryKind, number>> = {
  tree: 0o775,
  commit: 0o775,
  blob: 0o664,
  blobExecutable: 0o775,
  link: 0o777,
};

/** Of what an archive is made, beside its entries. */
export interface ArchiveOrigin {
  /** The commit, which the archive names in a comment; `undefined` for a tree. */
  readonly commit: Oid | undefined;
  /** Time of all entries, seconds since the Unix epoch. */
  readonly timeSeconds: number;
}

/** A tar archive in pieces. */
export async function* tarPieces(
  entries: AsyncIterable<ArchiveEntry>,
  origin: ArchiveOrigin,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let batch: TarEntry[] = [];
  let [batchBytes, length] = [0, 0];
  const pack = async () => {
    const packed = await packTar(batch);
    // `packTar` makes a whole archive of each batch; its end mark is cut off.
    const piece = packed.subarray(0, packed.length - END_BYTES);
    [batch, batchBytes] = [[], 0];
    length += piece.length;
    return piece;
  };
  for await (const entry of tarEntries(entries, origin)) {
    batch.push(entry);
    const { name, linkname = "", size } = entry.header;
    batchBytes += HEADER_BYTES + name.length + linkname.length + size;
    if (batchBytes >= BATCH_BYTES) yield await pack();
  }
  yield await pack();
  const end = length + END_BYTES;
  yield new Uint8Array(END_BYTES + (RECORD_BYTES - end % RECORD_BYTES) % RECORD_BYTES);
}

async function* tarEntries(
  entries: AsyncIterable<ArchiveEntry>,
  { commit, timeSeconds }: ArchiveOrigin,
): AsyncGenerator<TarEntry, void> {
  const common = { mtime: new Date(Math.max(timeSeconds, 0) * 1000), uname: "root", gname: "root" };
  if (commit !== undefined) {
    const body = new TextEncoder().encode(`52 comment=${commit}\n`);
    const header = { name: "pax_global_header", size: body.length, mode: 0o666 };
    yield { header: { ...common, ...header, type: "pax-global-header" }, body };
  }
  for await (const { path, kind, bytes } of entries) {
    const header = { ...common, name: path, mode: MODES[kind], size: 0 };
    if (kind === "tree" || kind === "commit") {
      yield { header: { ...header, type: "directory" } };
    } else if (kind === "link") {
      yield { header: { ...header, type: "symlink", linkname: decodeName(bytes) } };
    } else {
      yield { header: { ...header, type: "file", size: bytes.length }, body: bytes };
    }
  }
}
