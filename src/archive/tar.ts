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

/** A tar archive in pieces, one or more for each entry. */
export async function* tarPieces(
  entries: AsyncIterable<ArchiveEntry>,
  { commit, timeSeconds }: ArchiveOrigin,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const common = { mtime: new Date(Math.max(timeSeconds, 0) * 1000), uname: "root", gname: "root" };
  let length = 0;
  const pack = async (entry: TarEntry) => {
    const packed = await packTar([entry]);
    // `packTar` makes a whole archive of each entry; its end mark is cut off.
    const piece = packed.subarray(0, packed.length - END_BYTES);
    length += piece.length;
    return piece;
  };
  if (commit !== undefined) {
    const body = new TextEncoder().encode(`52 comment=${commit}\n`);
    const header = { name: "pax_global_header", type: "pax-global-header", size: body.length, mode: 0o666 };
    yield await pack({ header: { ...common, ...header, type: "pax-global-header" }, body });
  }
  for await (const { path, kind, bytes } of entries) {
    const header = { ...common, name: path, mode: MODES[kind], size: 0 };
    if (kind === "tree" || kind === "commit") {
      yield await pack({ header: { ...header, type: "directory" } });
    } else if (kind === "link") {
      yield await pack({
        header: { ...header, type: "symlink", linkname: decodeName(bytes) },
      });
    } else {
      yield await pack({ header: { ...header, type: "file", size: bytes.length }, body: bytes });
    }
  }
  const end = length + END_BYTES;
  yield new Uint8Array(END_BYTES + (RECORD_BYTES - end % RECORD_BYTES) % RECORD_BYTES);
}
