/**
 * A bare repository in the memory of libgit2, with two flat trees of the differing files. Each file has the
 * index of its change as its name, so that long or unusual paths do not matter.
 */
import { joinBytes } from "../../bytes/bytes.ts";
import { hashObject } from "../../git/encode.ts";
import { MODE } from "../../git/tree.ts";
import { type Oid, oidToBytes } from "../../ids/oid.ts";
import type { ObjectKind } from "../../ports/storage.ts";
import type { BlobContents } from "../blobs.ts";
import { encodePack, type PackedObject } from "./scratch_pack.ts";
import type { Change, FileSide } from "../tree_comparison.ts";
import type { MemoryFileSystem } from "./wasm_git.ts";

/** Path of the repository in the memory file system of libgit2. */
export const SCRATCH_REPOSITORY = "/r";

/**
 * Number of digits in the name of a file. All names have the same length, so that files are sorted by index.
 */
export const NAME_DIGITS = 6;

/**
 * Maximum number of pairs of an old and an added file that are compared to find renames and copies. With more
 * pairs, each added file is compared with fewer than {@link MAX_RENAME_SOURCES} files.
 */
export const MAX_RENAME_PAIRS = 2_000_000;
/** Maximum number of files with which an added file is compared. libgit2 has the same default. */
export const MAX_RENAME_SOURCES = 1000;

export interface TreePair {
  readonly old: Oid;
  readonly new: Oid;
}

/** Output of a comparison: only the names of the files that differ, or also their lines. */
export type Shown = "names" | "lines";

/** Returns the maximum number of old files that libgit2 compares with each of `added` added files. */
export function renameSourcesOf(added: number): number {
  return Math.min(MAX_RENAME_SOURCES, Math.floor(MAX_RENAME_PAIRS / Math.max(added, 1)));
}

const encoder = new TextEncoder();

/** The repository of one libgit2 instance. It is filled before each comparison, and emptied afterwards. */
export class ScratchRepository {
  readonly #files: MemoryFileSystem;
  #written: readonly string[] = [];
  #packs = 0;
  #renameSources = 0;
  #shown: Shown | undefined;

  constructor(files: MemoryFileSystem) {
    this.#files = files;
    for (const folder of ["", "/info", "/objects", "/objects/pack", "/refs"]) {
      files.mkdir(SCRATCH_REPOSITORY + folder);
    }
    files.writeFile(`${SCRATCH_REPOSITORY}/HEAD`, "ref: refs/heads/main\n");
    this.#configure(MAX_RENAME_SOURCES);
  }

  /** Writes the objects and the configuration for a comparison. */
  fill(changes: readonly Change[], contents: BlobContents, shown: Shown): TreePair {
    this.#show(shown);
    this.#configure(renameSourcesOf(changes.filter(({ old }) => old === undefined).length));
    const objects = new Map<Oid, PackedObject>();
    const put = (kind: ObjectKind, body: Uint8Array, oid = hashObject(kind, body)): Oid => {
      objects.set(oid, { kind, body });
      return oid;
    };
    const ids = new Map<Oid, Oid>();
    for (const [oid, bytes] of contents) {
      if (bytes === undefined) ids.set(oid, put("blob", standIn(oid)));
      else put("blob", bytes, oid);
    }
    const tree = (side: "old" | "new") => put("tree", flatTree(changes.map((change) => change[side]), ids));
    const trees = { old: tree("old"), new: tree("new") };
    const { pack, index } = encodePack(objects);
    const name = `${SCRATCH_REPOSITORY}/objects/pack/pack-${String(this.#packs++).padStart(40, "0")}`;
    this.#written = [`${name}.pack`, `${name}.idx`];
    this.#files.writeFile(`${name}.pack`, pack, { canOwn: true });
    this.#files.writeFile(`${name}.idx`, index, { canOwn: true });
    return trees;
  }

  clear(): void {
    for (const path of this.#written) this.#files.unlink(path);
    this.#written = [];
  }

  /**
   * Writes the attributes of files. For names only, the attribute `-diff` keeps libgit2 from reading files to
   * detect text.
   */
  #show(shown: Shown): void {
    if (this.#shown === shown) return;
    this.#shown = shown;
    this.#files.writeFile(`${SCRATCH_REPOSITORY}/info/attributes`, shown === "names" ? "* -diff\n" : "");
  }

  #configure(renameSources: number): void {
    if (this.#renameSources === renameSources) return;
    this.#renameSources = renameSources;
    this.#files.writeFile(
      `${SCRATCH_REPOSITORY}/config`,
      `[core]\nrepositoryformatversion = 0\nbare = true\n[diff]\nrenameLimit = ${renameSources}\n`,
    );
  }
}

/**
 * Returns the replacement for a blob whose content is not compared. libgit2 treats the replacement as binary,
 * and as similar only to the replacement of the same blob.
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
