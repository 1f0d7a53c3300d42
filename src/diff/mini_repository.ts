/**
 * A bare repository in libgit2's memory file system with nothing in it but what differs: two flat trees whose file names are the numbers of the
 * changes. So it neither matters how deep the real folders are nor which bytes their names have, and the patch says which change it means.
 */
import { joinBytes } from "../bytes/join.ts";
import { encodeObjectHeader, hashObject } from "../git/encode_object.ts";
import { MODE } from "../git/tree.ts";
import { type Oid, oidToBytes } from "../ids/oid.ts";
import type { ObjectKind } from "../ports/storage.ts";
import type { BlobContents } from "./blob_contents.ts";
import type { Change, FileSide } from "./tree_comparison.ts";
import type { MemoryFileSystem } from "./wasm_git.ts";

/** Where the repository lies. */
export const MINI_REPOSITORY = "/r";

/** Digits of a number that stands for a path, enough for all changes of a diff. As names are equally long, they sort as numbers do. */
export const NAME_DIGITS = 6;

/**
 * Pairs of an old and an added file that are compared in search of renames and copies. Below it, each added file is compared with up to
 * {@link MAX_RENAME_SOURCES} others, as by default in libgit2, above it with fewer.
 */
export const MAX_RENAME_PAIRS = 2_000_000;
/** Files that an added one is compared with, at most. */
export const MAX_RENAME_SOURCES = 1000;

/** Two trees to be compared. */
export interface TreePair {
  readonly old: Oid;
  readonly new: Oid;
}

const encoder = new TextEncoder();

/** The repository of one instance, filled for a comparison and emptied after it. */
export class MiniRepository {
  readonly #files: MemoryFileSystem;
  readonly #folders = new Set<string>();
  readonly #written = new Set<string>();
  #renameSources = 0;

  constructor(files: MemoryFileSystem) {
    this.#files = files;
    for (const folder of ["", "/objects", "/refs"]) files.mkdir(MINI_REPOSITORY + folder);
    files.writeFile(`${MINI_REPOSITORY}/HEAD`, "ref: refs/heads/main\n");
    this.#configure(MAX_RENAME_SOURCES);
  }

  /** Writes everything that a comparison needs. */
  fill(changes: readonly Change[], contents: BlobContents): TreePair {
    const added = changes.filter((change) => change.old === undefined).length;
    this.#configure(Math.min(MAX_RENAME_SOURCES, Math.floor(MAX_RENAME_PAIRS / Math.max(added, 1))));
    const ids = new Map<Oid, Oid>();
    for (const [oid, bytes] of contents) {
      if (bytes === undefined) {
        ids.set(oid, this.#write("blob", standIn(oid)));
      } else {
        this.#write("blob", bytes, oid);
      }
    }
    const tree = (side: "old" | "new") =>
      this.#write("tree", flatTree(changes.map((change) => change[side]), ids));
    return { old: tree("old"), new: tree("new") };
  }

  /** Takes everything away again. */
  clear(): void {
    for (const path of this.#written) this.#files.unlink(path);
    this.#written.clear();
  }

  #configure(renameSources: number): void {
    if (this.#renameSources === renameSources) return;
    this.#renameSources = renameSources;
    this.#files.writeFile(
      `${MINI_REPOSITORY}/config`,
      `[core]\nrepositoryformatversion = 0\nbare = true\n[diff]\nrenameLimit = ${renameSources}\n`,
    );
  }

  #write(kind: ObjectKind, body: Uint8Array, known?: Oid): Oid {
    const oid = known ?? hashObject(kind, body);
    const folder = `${MINI_REPOSITORY}/objects/${oid.slice(0, 2)}`;
    const path = `${folder}/${oid.slice(2)}`;
    if (this.#written.has(path)) return oid;
    if (!this.#folders.has(folder)) this.#files.mkdir(folder);
    this.#folders.add(folder);
    this.#files.writeFile(path, storeZlib(joinBytes([encodeObjectHeader(kind, body.length), body])), {
      canOwn: true,
    });
    this.#written.add(path);
    return oid;
  }
}

/**
 * What takes the place of a blob that is not looked into: binary to libgit2, equal for equal blobs, and without a line in common for others.
 */
function standIn(oid: Oid): Uint8Array {
  return encoder.encode(`\0${oid}`);
}

function flatTree(sides: readonly (FileSide | undefined)[], ids: ReadonlyMap<Oid, Oid>): Uint8Array {
  const entries: Uint8Array[] = [];
  sides.forEach((side, number) => {
    if (side === undefined) return;
    const name = String(number).padStart(NAME_DIGITS, "0");
    entries.push(encoder.encode(`${MODE[side.mode].toString(8)} ${name}\0`));
    entries.push(oidToBytes(ids.get(side.oid) ?? side.oid));
  });
  return joinBytes(entries);
}

/** Bytes in one stored block of RFC 1951. */
const MAX_BLOCK_BYTES = 0xffff;

/** A zlib stream (RFC 1950) of stored blocks: read once, right away, it is not worth compressing. */
function storeZlib(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / MAX_BLOCK_BYTES));
  const stored = new Uint8Array(2 + 5 * blocks + bytes.length + 4);
  const view = new DataView(stored.buffer);
  view.setUint16(0, 0x7801);
  let to = 2;
  for (let from = 0, block = 1; block <= blocks; block++) {
    const content = bytes.subarray(from, from + MAX_BLOCK_BYTES);
    stored[to] = block === blocks ? 1 : 0;
    view.setUint16(to + 1, content.length, true);
    view.setUint16(to + 3, ~content.length, true);
    stored.set(content, to + 5);
    from += content.length;
    to += 5 + content.length;
  }
  view.setUint32(to, adler32(bytes));
  return stored;
}

/** Bytes summed up before taking remainders: the sums then stay below 2^30, where engines have integers. */
const ADLER_CHUNK_BYTES = 2048;

/** The checksum of RFC 1950, section 8.2. */
function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + ADLER_CHUNK_BYTES, bytes.length);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b * 0x10000 + a;
}
