/** One bare repository of a home. */
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { FileSystem } from "../../ports/file_system.ts";
import type {
  Awaitable,
  BatchLimits,
  GitObject,
  ObjectHeader,
  ReadLimits,
  Ref,
  Repository,
} from "../../ports/storage.ts";
import { readBatch } from "../batch.ts";
import { Objects } from "./objects.ts";
import { Refs } from "./refs.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whether the directory has what git demands of a repository. */
export function isRepository(fileSystem: FileSystem, path: string): boolean {
  return fileSystem.stat(path + "/HEAD")?.kind === "file" &&
    fileSystem.stat(path + "/objects")?.kind === "directory" &&
    fileSystem.stat(path + "/refs")?.kind === "directory";
}

/** A repository that answers at once, as a rule. */
export class HomeRepository implements Repository {
  readonly rid: RepoId;
  readonly #refs: Refs;
  readonly #objects: Objects;

  /** @param path Path of the repository. */
  constructor(rid: RepoId, path: string, surroundings: Surroundings) {
    this.rid = rid;
    this.#refs = new Refs(path, surroundings);
    this.#objects = new Objects(path + "/objects", surroundings);
  }

  ref(name: string): Awaitable<Ref | undefined> {
    return this.#refs.ref(name);
  }

  refs(prefix: string): Awaitable<Ref[]> {
    return this.#refs.refs(prefix);
  }

  /** The references, told without any pause: for those who change them, or know that they are few. */
  get refsNow(): { ref(name: string): Ref | undefined; refs(prefix: string): Ref[] } {
    return {
      ref: (name) => this.#refs.refNow(name),
      refs: (prefix) => this.#refs.refsNow(prefix),
    };
  }

  header(oid: Oid): ObjectHeader | undefined {
    return this.#objects.header(oid);
  }

  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined> {
    return this.#objects.object(oid, limits);
  }

  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<(GitObject | undefined)[]> {
    return readBatch((oid) => this.#objects.object(oid, limits), oids, limits);
  }

  objectsVersion(): number {
    return this.#objects.version();
  }

  /** Path of a file that holds an object, a pack perhaps. */
  objectFile(oid: Oid): string | undefined {
    return this.#objects.file(oid);
  }

  /** Has packs that came or went noticed when the next object is read. */
  refresh(): void {
    this.#objects.refreshLater();
  }

  /** Memory that the indexes of its packs take, in bytes, about. */
  get memoryBytes(): number {
    return this.#objects.memoryBytes;
  }

  /** Gives up all handles; the repository can still be used. */
  close(): void {
    this.#objects.close();
  }
}
