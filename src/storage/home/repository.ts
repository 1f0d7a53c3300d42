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
  StoredCommit,
} from "../../ports/storage.ts";
import { readBatch } from "../../git/objects.ts";
import { Objects } from "./objects.ts";
import { Refs, RefsVersion } from "./refs.ts";
import type { StorageContext } from "./storage_context.ts";

/** Whether the directory has the files that git requires of a repository. */
export function isRepository(fileSystem: FileSystem, path: string): boolean {
  return fileSystem.stat(path + "/HEAD")?.kind === "file" &&
    fileSystem.stat(path + "/objects")?.kind === "directory" &&
    fileSystem.stat(path + "/refs")?.kind === "directory";
}

/** A repository that usually answers synchronously. */
export class HomeRepository implements Repository {
  readonly rid: RepoId;
  readonly #refs: Refs;
  readonly #refsVersion: RefsVersion;
  readonly #objects: Objects;

  /** @param path Path of the repository. */
  constructor(rid: RepoId, path: string, context: StorageContext) {
    this.rid = rid;
    this.#refs = new Refs(path, context);
    this.#refsVersion = new RefsVersion(path, context);
    this.#objects = new Objects(path + "/objects", context);
  }

  ref(name: string): Awaitable<Ref | undefined> {
    return this.#refs.ref(name);
  }

  refs(prefix: string): Awaitable<readonly Ref[]> {
    return this.#refs.refs(prefix);
  }

  /** Synchronous reads of references, for writers, and where references are few. */
  get refsNow(): { ref(name: string): Ref | undefined; refs(prefix: string): readonly Ref[] } {
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

  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]> {
    return readBatch((oid) => this.#objects.object(oid, limits), oids, limits);
  }

  objectsVersion(): number {
    return this.#objects.version();
  }

  refsVersion(): Awaitable<number> {
    return this.#refsVersion.read();
  }

  /** Number of objects in packs: loose ones are few. */
  objectCount(): number {
    return this.#objects.count;
  }

  storedCommits(): Iterable<StoredCommit> {
    return this.#objects.commits();
  }

  /** Path of a file with the object: its own or a pack. */
  objectFile(oid: Oid): string | undefined {
    return this.#objects.file(oid);
  }

  /** Schedules a check for added and removed packs before the next read of an object. */
  refresh(): void {
    this.#objects.refreshLater();
  }

  /** Approximate memory of the packs' indexes and of metadata of folders, in bytes. */
  get memoryBytes(): number {
    return this.#objects.memoryBytes + this.#refsVersion.memoryBytes;
  }

  /** Closes all files; the repository can still be used. */
  close(): void {
    this.#objects.close();
  }
}
