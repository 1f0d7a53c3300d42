/** Tells by the metadata of folders whether references of a repository may have changed. */
import { Freshness } from "../../cache/file_freshness.ts";
import type { Steps } from "../../scheduling/task.ts";
import type { StorageContext } from "./storage_context.ts";

/** Approximate memory of a folder's path and metadata, in bytes. */
const FOLDER_BYTES = 400;

/** Folders checked in one step: below a millisecond. */
const FOLDERS_AT_ONCE = 64;

/** Folders of references at one point in time. */
interface Folders {
  readonly version: number;
  readonly paths: readonly string[];
  /** In the order of the paths. */
  readonly freshness: readonly Freshness[];
}

/** Version numbers are never used twice, also when a repository is opened again. */
let lastVersion = 0;

/**
 * The version of a repository's references. It changes with any folder of references: this service, git and
 * all Radicle programs replace a reference's file. The repository's own folder counts, too: `HEAD` and
 * `packed-refs` are replaced in it.
 */
export class RefsVersion {
  readonly #path: string;
  readonly #context: StorageContext;
  #folders: Folders | undefined;

  /** @param path Path of the repository. */
  constructor(path: string, context: StorageContext) {
    this.#path = path;
    this.#context = context;
  }

  /** Approximate memory of the folders' metadata, in bytes. */
  get memoryBytes(): number {
    return FOLDER_BYTES * (this.#folders?.paths.length ?? 0);
  }

  /** The present version: a new one also when a folder changed so recently that a change may be hidden. */
  *read(): Steps<number> {
    const folders = this.#folders;
    if (folders !== undefined && (yield* this.#holds(folders))) return folders.version;
    return (this.#folders = yield* this.#walk()).version;
  }

  *#holds({ paths, freshness }: Folders): Steps<boolean> {
    const { fileSystem } = this.#context;
    for (let i = 0; i < paths.length; i++) {
      if (i % FOLDERS_AT_ONCE === FOLDERS_AT_ONCE - 1) yield;
      if (!freshness[i]!.holds(fileSystem.stat(paths[i]!))) return false;
    }
    return true;
  }

  *#walk(): Steps<Folders> {
    const { fileSystem, now, refFiles } = this.#context;
    const version = ++lastVersion;
    const paths = [this.#path];
    const startMs = now();
    const freshness = [new Freshness(fileSystem.stat(this.#path), startMs)];
    const directories = ["refs/"];
    for (let directory; (directory = directories.pop()) !== undefined;) {
      if (paths.length % FOLDERS_AT_ONCE === 0) yield;
      const path = `${this.#path}/${directory.slice(0, -1)}`;
      const nowMs = now();
      paths.push(path);
      freshness.push(new Freshness(fileSystem.stat(path), nowMs));
      // The metadata come first: they must not belong to a later state than the names.
      const { entries } = yield* refFiles.folder(path, directory);
      for (const { fullName, kind } of entries) if (kind === "directory") directories.push(`${fullName}/`);
    }
    return { version, paths, freshness };
  }
}
