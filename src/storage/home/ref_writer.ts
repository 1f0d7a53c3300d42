/**
 * Writes references, each as one file, under the lock that git uses. Git and other programs may therefore
 * write references, and create and remove folders of references, at the same time.
 */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { WritableFileSystem } from "../../ports/file_system.ts";
import type { Ref, RefChange } from "../../ports/storage.ts";
import { WriteError } from "../../ports/write_error.ts";
import { checkRefPlace, foldersOf } from "../ref_names.ts";
import { DraftFile } from "./draft_file.ts";
import { type Held, LockFiles, REF_MODE } from "./lock_files.ts";

/**
 * Timeout for a lock of another process, in milliseconds. Programs hold a lock only for a few file system
 * calls.
 */
export const LOCK_LIMIT_MS = 5000;

/**
 * First delay between two attempts, in milliseconds. Each further delay is twice as long, up to
 * {@link MAX_PAUSE_MS}.
 */
const FIRST_PAUSE_MS = 1;

/** Maximum delay between two attempts, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** Maximum number of times that a folder is created again after git has removed it because it was empty. */
export const MAX_FOLDER_LOSSES = 100;

export type Pause = (ms: number) => Promise<void>;

/**
 * Returns a random time between half of a delay and the whole delay, so that two processes do not collide
 * repeatedly.
 */
const jitter = (ms: number): number => ms * (0.5 + Math.random() / 2);

/**
 * Repeats an attempt that needs the lock of a reference, until the attempt succeeds.
 *
 * @param lock Path of the lock file.
 * @param attempt Returns the result of `LockFiles.hold`.
 * @throws {WriteError} with the reason `busy` when another process holds the lock for longer than
 *   {@link LOCK_LIMIT_MS}. The lock of another program is never removed. If that program has crashed, an
 *   operator must remove the lock, as with git.
 */
export async function waitForLock<T>(lock: string, attempt: () => Promise<Held<T>>, wait: Pause): Promise<T> {
  let waitedMs = 0;
  let losses = 0;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const done = await attempt();
    if (typeof done === "object") return done.value;
    if (done === undefined) {
      if (++losses > MAX_FOLDER_LOSSES) {
        throw new WriteError("busy", `The folder of ${lock} is removed as soon as it is created`);
      }
      continue;
    }
    if (waitedMs >= LOCK_LIMIT_MS) {
      const what = done === "exists" ? "holds or has left behind" : "prevents others from locking";
      throw new WriteError("busy", `Another process ${what} ${lock}`);
    }
    const ms = jitter(pauseMs);
    waitedMs += ms;
    await wait(ms);
  }
}

/** Reads the current values of references. */
export interface RefReader {
  ref(name: string): Ref | undefined;
  refs(prefix: string): readonly Ref[];
}

/** Writes the references of one repository. */
export class RefWriter {
  readonly #path: string;
  readonly #reader: RefReader;
  readonly #fileSystem: WritableFileSystem;
  readonly #pause: Pause;
  readonly #locks: LockFiles;

  /** @param path Path of the repository. */
  constructor(path: string, reader: RefReader, fileSystem: WritableFileSystem, pause: Pause) {
    this.#path = path;
    this.#reader = reader;
    this.#fileSystem = fileSystem;
    this.#pause = pause;
    this.#locks = new LockFiles(path, fileSystem);
  }

  /**
   * Points a reference to an object by compare-and-swap. Resolves when the change has reached the disk. The
   * new file is synced before the lock is taken, so the lock is never held during a sync.
   *
   * @param name A valid name below `refs/`.
   * @param store Stores the objects. The objects must be durable when the returned promise resolves.
   * @returns Whether the reference had the expected target `from`, and was changed.
   * @throws {WriteError}
   * @throws {DamagedError} when the file of the reference is malformed.
   */
  async update(name: string, { from, to }: RefChange, store: () => Promise<void>): Promise<boolean> {
    if (!this.#is(name, from)) return false;
    const draft = this.#draft(to);
    const folders = new RefFolders(this.#fileSystem, this.#path, name);
    const lock = `${this.#path}/${name}.lock`;
    const attempt = () => {
      folders.make();
      return this.#locks.hold(lock, () => {
        if (!this.#is(name, from)) return false;
        this.#place(draft, name);
        return true;
      });
    };
    let isDone = false;
    try {
      // Both promises must be settled before the file is closed.
      for (const result of await Promise.allSettled([draft.sync(), store()])) {
        if (result.status === "rejected") throw result.reason;
      }
      isDone = await waitForLock(lock, attempt, this.#pause);
    } finally {
      draft.discard();
      if (!isDone) folders.unmake();
    }
    if (isDone) await folders.sync();
    return isDone;
  }

  /** Writes the temporary file into the `objects` directory, where `git gc` removes it after a crash. */
  #draft(oid: Oid): DraftFile {
    const directory = `${this.#path}/objects`;
    const draft = DraftFile.create(
      this.#fileSystem,
      directory,
      REF_MODE,
      new TextEncoder().encode(`${oid}\n`),
    );
    if (draft === undefined) throw new DamagedError(`There is no folder ${directory}`);
    return draft;
  }

  /**
   * Checks whether a reference points to an object. If `oid` is `undefined`, checks whether the reference
   * does not exist.
   */
  #is(name: string, oid: Oid | undefined): boolean {
    const ref = this.#reader.ref(name);
    if (ref !== undefined) return ref.oid !== undefined && ref.oid === oid;
    const kind = this.#fileSystem.stat(`${this.#path}/${name}`)?.kind;
    if (kind !== undefined && kind !== "directory") {
      throw new DamagedError(`The file of ${name} is not a reference`);
    }
    return oid === undefined;
  }

  #place(draft: DraftFile, name: string): void {
    checkRefPlace(this.#reader, name);
    const path = `${this.#path}/${name}`;
    if (this.#fileSystem.stat(path)?.kind === "directory") this.#removeEmpty(path);
    if (!this.#fileSystem.rename(draft.path, path)) {
      throw new WriteError("conflict", `${path} cannot become a file`);
    }
  }

  /** Removes empty folders, which git leaves behind when references are deleted. */
  #removeEmpty(path: string): void {
    for (const { name, kind } of this.#fileSystem.list(path) ?? []) {
      if (kind === "directory") this.#removeEmpty(`${path}/${name}`);
    }
    this.#fileSystem.remove(path);
  }
}

/** Creates and removes the folders of one reference. */
export class RefFolders {
  readonly #fileSystem: WritableFileSystem;
  /** Paths of the folders, from `refs` down to the folder of the file. */
  readonly #paths: readonly string[];
  readonly #made = new Set<string>();

  /**
   * @param path Path of the repository.
   * @param name Name of a reference below `refs/`.
   */
  constructor(fileSystem: WritableFileSystem, path: string, name: string) {
    this.#fileSystem = fileSystem;
    this.#paths = foldersOf(name).map((folder) => `${path}/${folder}`);
  }

  /**
   * Creates missing folders. Git may remove these folders while they are empty.
   *
   * @throws {WriteError} with the reason `conflict` when a reference has the name of a folder, or the folder
   *   is a symbolic link, which is never followed.
   */
  make(): void {
    for (const path of this.#paths) {
      const kind = this.#fileSystem.stat(path)?.kind;
      if (kind === "directory") continue;
      if (kind !== undefined) throw new WriteError("conflict", `${path} is not a folder`);
      if (this.#fileSystem.makeDirectory(path) === "made") this.#made.add(path);
    }
  }

  /** Removes the folders that {@link make} created and that are empty. */
  unmake(): void {
    for (const path of [...this.#paths].reverse()) if (this.#made.has(path)) this.#fileSystem.remove(path);
  }

  /** Resolves when the name of the reference and the created folders have reached the disk. */
  async sync(): Promise<void> {
    const changed = this.#paths.filter((_, i) =>
      i === this.#paths.length - 1 || this.#made.has(this.#paths[i + 1]!)
    );
    await Promise.all(changed.map((path) => this.#fileSystem.syncDirectory(path)));
  }
}
