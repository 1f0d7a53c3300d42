/**
 * A writable bare repository of a home. A loose object is one zlib stream per file, synced to the disk before
 * it is renamed to its final name, as in git.
 */
import { encodeObjectHeader, oidOf } from "../../git/encode.ts";
import { OBJECT_LIMITS } from "../../git/objects.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { FileSystem, WritableFileSystem } from "../../ports/file_system.ts";
import type { Committer, GitObject, RefChange, WritableRepository } from "../../ports/storage.ts";
import { checkRefChange } from "../ref_names.ts";
import { type Pause, RefWriter } from "./ref_writer.ts";
import { HomeRepository } from "./repository.ts";
import type { StorageContext } from "./storage_context.ts";
import { parseConfig } from "../../git/config.ts";
import type { Deflate } from "../../ports/compression.ts";
import { WriteError } from "../../ports/write_error.ts";
import { DraftFile } from "./draft_file.ts";
import { loosePath } from "./loose.ts";

/** A repository that reads synchronously and writes to the disk. */
export class WritableHomeRepository extends HomeRepository implements WritableRepository {
  readonly #objects: LooseWriter;
  readonly #refs: RefWriter;
  readonly #fileSystem: WritableFileSystem;
  readonly #path: string;

  /** @param path Path of the repository. */
  constructor(
    rid: RepoId,
    path: string,
    context: StorageContext,
    writing: Writing & { readonly pause: Pause },
  ) {
    super(rid, path, context);
    this.#fileSystem = writing.fileSystem;
    this.#path = path;
    this.#objects = new LooseWriter(path + "/objects", writing);
    this.#refs = new RefWriter(path, this.refsNow, writing.fileSystem, writing.pause);
  }

  /** Throws a `RangeError` for objects beyond `OBJECT_LIMITS`. */
  async writeObjects(objects: readonly GitObject[]): Promise<readonly Oid[]> {
    await this.#objects.write(this.#missing(objects));
    return objects.map(oidOf);
  }

  /** The objects that the repository lacks. */
  #missing(objects: readonly GitObject[]): Map<Oid, GitObject> {
    const missing = new Map<Oid, GitObject>();
    for (const object of objects) {
      if (object.bytes.length > OBJECT_LIMITS[object.kind]) {
        throw new RangeError(`An object of ${object.bytes.length} bytes is too large`);
      }
      const oid = oidOf(object);
      if (!this.#keep(oid)) missing.set(oid, object);
    }
    return missing;
  }

  /**
   * Sets the mtime of a present object to now, because `git gc` removes old unreferenced objects. Returns
   * whether the object is present and its mtime was set.
   */
  #keep(oid: Oid): boolean {
    const file = this.header(oid) === undefined ? undefined : this.objectFile(oid);
    return file !== undefined && this.#fileSystem.touch(file);
  }

  async updateRef(name: string, change: RefChange): Promise<boolean> {
    const missing = this.#missing(change.objects ?? []);
    checkRefChange((oid) => missing.has(oid) || this.header(oid) !== undefined, name, change);
    return await this.#refs.update(name, change, () => this.#objects.write(missing));
  }

  /**
   * The `user` of the repository's configuration: `radicle-node` writes the node there when it creates a
   * repository.
   */
  committer(): Committer | undefined {
    return readCommitter(this.#fileSystem, this.#path);
  }
}

/** Maximum size of the configuration, in bytes. Real ones have some hundred bytes. */
export const MAX_CONFIG_BYTES = 64 * 1024;

/** Name and address of `user`; `undefined` unless the configuration has both. */
export function readCommitter(fileSystem: FileSystem, repository: string): Committer | undefined {
  const path = `${repository}/config`;
  const file = fileSystem.stat(path);
  if (file?.kind !== "file" || file.size > MAX_CONFIG_BYTES) return undefined;
  const values = parseConfig(new TextDecoder().decode(fileSystem.read(path)));
  const name = values.get("user.name");
  const email = values.get("user.email");
  return name && email ? { name, email } : undefined;
}

/**
 * Maximum number of objects written together: so many files are open, and one wait for the disk syncs them
 * all.
 */
export const MAX_OPEN_DRAFTS = 32;

/**
 * Maximum number of times an object is written again after `git gc --prune=now` has removed it as garbage.
 */
export const MAX_WRITES = 5;

/** Permissions of an object's file: read-only, because objects never change. */
const OBJECT_MODE = 0o444;

export interface Writing {
  readonly fileSystem: WritableFileSystem;
  readonly deflate: Deflate;
}

/** A temporary file and its final name. */
interface Placed {
  readonly draft: DraftFile;
  readonly path: string;
}

/** Writes loose objects into one `objects` directory. */
export class LooseWriter {
  readonly #directory: string;
  readonly #writing: Writing;

  /** @param directory Path of the directory. */
  constructor(directory: string, writing: Writing) {
    this.#directory = directory;
    this.#writing = writing;
  }

  /**
   * Writes the objects that are not present. Existing files are left as they are.
   *
   * @throws {WriteError} Some of the objects may have been written then.
   */
  async write(objects: ReadonlyMap<Oid, GitObject>): Promise<void> {
    const changed = new Set<string>();
    let rest = [...objects];
    for (let writes = 0; rest.length > 0; writes++) {
      if (writes === MAX_WRITES) {
        throw new WriteError(
          "busy",
          `Objects in ${this.#directory} keep being removed while they are written`,
        );
      }
      const lost: [Oid, GitObject][] = [];
      for (let at = 0; at < rest.length; at += MAX_OPEN_DRAFTS) {
        lost.push(...await this.#writeSome(rest.slice(at, at + MAX_OPEN_DRAFTS), changed));
      }
      rest = lost;
    }
    await Promise.all([...changed].map((path) => this.#writing.fileSystem.syncDirectory(path)));
  }

  /**
   * Writes a few objects and returns the objects that were lost meanwhile. Adds the directories that must be
   * synced to `changed`.
   */
  async #writeSome(objects: readonly [Oid, GitObject][], changed: Set<string>): Promise<[Oid, GitObject][]> {
    const { fileSystem } = this.#writing;
    const placed: Placed[] = [];
    try {
      for (const [oid, object] of objects) placed.push(this.#draft(oid, object, changed));
      // All syncs must have ended before any file is closed.
      for (const result of await Promise.allSettled(placed.map(({ draft }) => draft.sync()))) {
        if (result.status === "rejected") throw result.reason;
      }
      for (const { draft, path } of placed) draft.place(path);
    } finally {
      for (const { draft } of placed) draft.discard();
    }
    return objects.filter(([oid]) => fileSystem.stat(loosePath(this.#directory, oid)) === undefined);
  }

  /** Writes a temporary file in the object's folder, which `git gc` removes when it is empty. */
  #draft(oid: Oid, { kind, bytes }: GitObject, changed: Set<string>): Placed {
    const { fileSystem, deflate } = this.#writing;
    const header = encodeObjectHeader(kind, bytes.length);
    const content = new Uint8Array(header.length + bytes.length);
    content.set(header);
    content.set(bytes, header.length);
    const packed = deflate(content);

    const folder = `${this.#directory}/${oid.slice(0, 2)}`;
    for (let writes = 0; writes < MAX_WRITES; writes++) {
      const draft = DraftFile.create(fileSystem, folder, OBJECT_MODE, packed);
      if (draft !== undefined) {
        changed.add(folder);
        return { draft, path: loosePath(this.#directory, oid) };
      }
      const made = fileSystem.makeDirectory(folder);
      if (made === undefined) break;
      if (made === "made") changed.add(this.#directory);
    }
    throw new WriteError("busy", `The folder ${folder} is removed while objects are written to it`);
  }
}
