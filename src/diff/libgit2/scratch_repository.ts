/**
 * A bare repository in libgit2's memory file system with nothing in it but what differs: two flat trees whose
 * file names are the numbers of the changes. So it neither matters how deep the real folders are nor which
 * bytes their names have, and the patch says which change it means.
 */
import { joinBytes } from "../../bytes/join.ts";
import { hashObject } from "../../git/encode_object.ts";
import { MODE } from "../../git/tree.ts";
import { type Oid, oidToBytes } from "../../ids/oid.ts";
import type { ObjectKind } from "../../ports/storage.ts";
import type { BlobContents } from "../blobs.ts";
import { encodePack, type PackedObject } from "./scratch_pack.ts";
import type { Change, FileSide } from "../tree_comparison.ts";
import type { MemoryFileSystem } from "./wasm_git.ts";

/** Path of the repository. */
export const SCRATCH_REPOSITORY = "/r";

/**
 * Digits of a number that stands for a path, enough for all changes of a diff. As names are equally long,
 * they sort as numbers do.
 */
export const NAME_DIGITS = 6;

/**
 * Pairs of an old and an added file that are compared in search of renames and copies. Below it, each added
 * file is compared with up to {@link MAX_RENAME_SOURCES} others, as by default in libgit2, above it with
 * fewer.
 */
export const MAX_RENAME_PAIRS = 2_000_000;
/** Files that an added one is compared with, at most. */
export const MAX_RENAME_SOURCES = 1000;

/** Two trees to be compared. */
export interface TreePair {
  readonly old: Oid;
  readonly new: Oid;
}

/** Output of a comparison: only the names of files that differ, or their lines, too. */
export type Shown = "names" | "lines";

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

  /** Writes everything that a comparison needs. */
  fill(changes: readonly Change[], contents: BlobContents, shown: Shown): TreePair {
    this.#show(shown);
    const added = changes.filter((change) => change.old === undefined).length;
    this.#configure(Math.min(MAX_RENAME_SOURCES, Math.floor(MAX_RENAME_PAIRS / Math.max(added, 1))));
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

  /** Takes everything away again. */
  clear(): void {
    for (const path of this.#written) this.#files.unlink(path);
    this.#written = [];
  }

  /** Without attributes libgit2 reads each file that it names, only to see whether it is text. */
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
 * Stands in for a blob whose content is not compared. It is binary to libgit2, equal for equal blobs, and has
 * no line in common with any other stand-in.
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
