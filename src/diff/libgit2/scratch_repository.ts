/**
 * A bare repository in libgit2's memory file system, with two flat trees of the differing files. The number
 * of a change replaces its path, so depth and bytes of the real paths do not matter, and libgit2 prints the
 * number of each change.
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

/** Path of the repository. */
export const SCRATCH_REPOSITORY = "/r";

/** Digits of a number that replaces a path. All have the same length, so that they sort like numbers. */
export const NAME_DIGITS = 6;

/**
 * Most pairs of an old and an added file that are compared to find renames and copies. If there are more,
 * each added file is compared with fewer than {@link MAX_RENAME_SOURCES} files.
 */
export const MAX_RENAME_PAIRS = 2_000_000;
/** Most files that an added file is compared with: the default of libgit2. */
export const MAX_RENAME_SOURCES = 1000;

/** Two trees to be compared. */
export interface TreePair {
  readonly old: Oid;
  readonly new: Oid;
}

/** Output of a comparison: the names of files that differ, or their lines as well. */
export type Shown = "names" | "lines";

/** Most old files that libgit2 compares with each added file, when so many were added. */
export function renameSourcesOf(added: number): number {
  return Math.min(MAX_RENAME_SOURCES, Math.floor(MAX_RENAME_PAIRS / Math.max(added, 1)));
}

const encoder = new TextEncoder();

/** The repository of one instance, filled for a comparison and emptied after it. */
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

  /** Removes the files that {@link fill} wrote. */
  clear(): void {
    for (const path of this.#written) this.#files.unlink(path);
    this.#written = [];
  }

  /** Writes the attributes of files. Without them libgit2 reads each file only to see whether it is text. */
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
 * A replacement for a blob whose content is not compared: binary for libgit2, equal for equal blobs, and
 * without a line in common with the replacement of another blob.
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
