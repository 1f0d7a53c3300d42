/**
 * A writable bare repository of a home. New objects are written as loose objects. As in git, each file is
 * synced to the disk before it is renamed to its final name.
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

/** A repository of a home that can also be written. */
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

  /** @throws {RangeError} when an object exceeds `OBJECT_LIMITS`. */
  async writeObjects(objects: readonly GitObject[]): Promise<readonly Oid[]> {
    await this.#objects.write(this.#missing(objects));
    return objects.map(oidOf);
  }

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
   * Sets the mtime of an existing object to now, because `git gc` removes old unreferenced objects. Returns
   * whether the object exists and its mtime was set.
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
   * Returns the `user` in the configuration of the repository. `radicle-node` writes the name of its node
   * into this configuration when it creates a repository.
   */
  committer(): Committer | undefined {
    return readCommitter(this.#fileSystem, this.#path);
  }
}

/** Maximum size of the configuration file, in bytes. Real files have some hundred bytes. */
export const MAX_CONFIG_BYTES = 64 * 1024;

/** Returns name and address of `user`; `undefined` unless the configuration has both. */
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
 * Maximum number of objects that are written together. Their files are open at the same time, and are synced
 * to the disk together.
 */
export const MAX_OPEN_DRAFTS = 32;

/**
 * Maximum number of times that an object is written, if `git gc --prune=now` removes the object as garbage
 * each time.
 */
export const MAX_WRITES = 5;

/** Permissions of the file of an object. The file is read-only, because objects never change. */
const OBJECT_MODE = 0o444;

export interface Writing {
  readonly fileSystem: WritableFileSystem;
  readonly deflate: Deflate;
}

interface Placed {
  readonly draft: DraftFile;
  readonly path: string;
}

/** Writes loose objects into one `objects` directory. */
export class LooseWriter {
  readonly #directory: string;
  readonly #writing: Writing;

  /** @param directory Path of the `objects` directory. */
  constructor(directory: string, writing: Writing) {
    this.#directory = directory;
    this.#writing = writing;
  }

  /**
   * Writes the objects whose files do not exist. Existing files are left unchanged.
   *
   * @throws {WriteError} Some of the objects may already be written then.
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
   * Writes a few objects, and returns the objects whose files were removed during the write. Adds the
   * directories that must be synced to `changed`.
   */
  async #writeSome(objects: readonly [Oid, GitObject][], changed: Set<string>): Promise<[Oid, GitObject][]> {
    const { fileSystem } = this.#writing;
    const placed: Placed[] = [];
    try {
      for (const [oid, object] of objects) placed.push(this.#draft(oid, object, changed));
      // All syncs must have ended before any of the files is closed.
      for (const result of await Promise.allSettled(placed.map(({ draft }) => draft.sync()))) {
        if (result.status === "rejected") throw result.reason;
      }
      for (const { draft, path } of placed) draft.place(path);
    } finally {
      for (const { draft } of placed) draft.discard();
    }
    return objects.filter(([oid]) => fileSystem.stat(loosePath(this.#directory, oid)) === undefined);
  }

  /**
   * Writes a temporary file into the folder of the object. `git gc` may remove this folder while it is empty.
   */
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
