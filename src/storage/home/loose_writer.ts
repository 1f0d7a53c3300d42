/**
 * Writer of loose objects: one zlib stream per file, synced to the disk before it is renamed to its final
 * name, as in git.
 */
import { encodeObjectHeader } from "../../git/encode.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Deflate } from "../../ports/deflate.ts";
import type { WritableFileSystem } from "../../ports/file_system.ts";
import type { GitObject } from "../../ports/storage.ts";
import { WriteError } from "../../ports/write_error.ts";
import { DraftFile } from "./draft_file.ts";
import { loosePath } from "./loose.ts";

/** Objects written together: this many files are open, and the disk is waited for once. */
export const MAX_OPEN_DRAFTS = 32;

/**
 * Maximum number of times an object is written again after `git gc --prune=now` has removed it as garbage.
 */
export const MAX_WRITES = 5;

/** Permissions of an object's file: read-only, because objects never change. */
const OBJECT_MODE = 0o444;

/** Dependencies of a {@link LooseWriter}. */
export interface Writing {
  readonly fileSystem: WritableFileSystem;
  readonly deflate: Deflate;
}

/** A temporary file and its final name. */
interface Placed {
  readonly draft: DraftFile;
  readonly path: string;
}

/** The writer of one `objects` directory. */
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
   * Writes a few objects and returns those that were lost meanwhile. Adds the directories that must be synced
   * to `changed`.
   */
  async #writeSome(objects: readonly [Oid, GitObject][], changed: Set<string>): Promise<[Oid, GitObject][]> {
    const { fileSystem } = this.#writing;
    const placed: Placed[] = [];
    try {
      for (const [oid, object] of objects) placed.push(this.#draft(oid, object, changed));
      // All syncs have ended before any file is closed.
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
