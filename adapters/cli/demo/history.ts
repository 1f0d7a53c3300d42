/**
 * Commits of the demo: files laid on files, without a work tree. Equal steps give equal commit ids, whoever
 * runs them.
 */
import type { Person } from "../../../src/git/commit.ts";
import { encodeCommit } from "../../../src/git/encode_commit.ts";
import { ObjectBatch } from "../../../src/git/encode_object.ts";
import { encodeTree } from "../../../src/git/encode_tree.ts";
import { MODE, type TreeEntry } from "../../../src/git/tree.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { WritableRepository } from "../../../src/ports/storage.ts";
import type { Clock } from "./clock.ts";

/** The author of commits, and hours and minutes east of Greenwich (`+0200`). */
export interface Author extends Person {
  readonly zone: string;
}

/** A file: its text or bytes, and its mode unless it is a plain file. */
export type File = string | Uint8Array | { readonly text: string; readonly mode: number };

/** Changes of a commit by path: new content, or `null` for a file that goes. */
export type Changes = Readonly<Record<string, File | null>>;

/** A commit and the files of it, by path. */
export interface Snapshot {
  readonly oid: Oid;
  readonly files: ReadonlyMap<string, File>;
}

const encoder = new TextEncoder();

/** A program, which may be run. */
export const program = (text: string): File => ({ text, mode: MODE.blobExecutable });
/** A symbolic link to a path. */
export const link = (text: string): File => ({ text, mode: MODE.link });

/** The history of one repository in the making: nothing is stored before {@link History.write}. */
export class History {
  readonly #clock: Clock;
  #batch = new ObjectBatch();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Commits changes on top of a commit, or as the first one. */
  commit(author: Author, on: Snapshot | undefined, message: string, changes: Changes): Snapshot {
    const files = new Map(on?.files);
    for (const [path, file] of Object.entries(changes)) {
      if (file === null) files.delete(path);
      else files.set(path, file);
    }
    return this.#put(author, files, message, on === undefined ? [] : [on.oid]);
  }

  /** Merges what a side branch has changed since it began at `base`. */
  merge(author: Author, on: Snapshot, side: Snapshot, base: Snapshot, message: string): Snapshot {
    const files = new Map(on.files);
    for (const path of new Set([...side.files.keys(), ...base.files.keys()])) {
      const file = side.files.get(path);
      if (file === base.files.get(path)) continue;
      if (file === undefined) files.delete(path);
      else files.set(path, file);
    }
    return this.#put(author, files, message, [on.oid, side.oid]);
  }

  /** An annotated tag of a commit. */
  tag({ name, email, zone }: Author, { oid }: Snapshot, tag: string, message: string): Oid {
    const tagger = `${name} <${email}> ${this.#clock.nowSeconds} ${zone}`;
    const lines = [`object ${oid}`, "type commit", `tag ${tag}`, `tagger ${tagger}`, "", message, ""];
    return this.#batch.add("tag", encoder.encode(lines.join("\n")));
  }

  /** Stores what was made since the last time. */
  async write(repository: WritableRepository): Promise<void> {
    await repository.writeObjects(this.#batch.objects);
    this.#batch = new ObjectBatch();
  }

  #put(
    { name, email, zone }: Author,
    files: ReadonlyMap<string, File>,
    message: string,
    parents: readonly Oid[],
  ): Snapshot {
    const tree = this.#putFolder([...files]);
    const { nowSeconds: timeSeconds } = this.#clock;
    const draft = { tree, parents, author: { name, email }, timeSeconds, zone, message };
    return { oid: this.#batch.add("commit", encodeCommit(draft)), files };
  }

  /** Paths are relative to the folder. */
  #putFolder(files: readonly (readonly [path: string, file: File])[]): Oid {
    const byName = Map.groupBy(files, ([path]) => path.split("/", 1)[0]!);
    const entries = [...byName].map(([name, inside]): TreeEntry => {
      const [[path, file]] = inside as [readonly [string, File]];
      const entry = path === name ? this.#putFile(file) : {
        mode: MODE.tree,
        oid: this.#putFolder(inside.map(([path, file]) => [path.slice(name.length + 1), file])),
      };
      return { ...entry, name: encoder.encode(name) };
    });
    return this.#batch.add("tree", encodeTree(entries));
  }

  #putFile(file: File): { mode: number; oid: Oid } {
    if (file instanceof Uint8Array) return { mode: MODE.blob, oid: this.#batch.add("blob", file) };
    const { text, mode } = typeof file === "string" ? { text: file, mode: MODE.blob } : file;
    return { mode, oid: this.#batch.add("blob", encoder.encode(text)) };
  }
}
