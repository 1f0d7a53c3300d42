/** The folders of a reference's file: created when missing; git may create and remove them at any time. */
import type { WritableFileSystem } from "../../ports/file_system.ts";
import { WriteError } from "../../ports/write_error.ts";
import { foldersOf } from "../ref_change.ts";

/** The folders of one reference. */
export class RefFolders {
  readonly #fileSystem: WritableFileSystem;
  /** Paths from `refs` down to the folder of the file. */
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
   * Creates missing folders; git may remove them again.
   *
   * @throws {WriteError} `conflict` when a folder's name is taken by a reference, or by a symbolic link,
   *   which is never followed.
   */
  make(): void {
    for (const path of this.#paths) {
      const kind = this.#fileSystem.stat(path)?.kind;
      if (kind === "directory") continue;
      if (kind !== undefined) throw new WriteError("conflict", `${path} is not a folder`);
      if (this.#fileSystem.makeDirectory(path) === "made") this.#made.add(path);
    }
  }

  /** Removes the created folders, as far as they are empty. */
  unmake(): void {
    for (const path of [...this.#paths].reverse()) if (this.#made.has(path)) this.#fileSystem.remove(path);
  }

  /** Resolves when the reference's name and the created folders have reached the disk. */
  async sync(): Promise<void> {
    const changed = this.#paths.filter((_, i) =>
      i === this.#paths.length - 1 || this.#made.has(this.#paths[i + 1]!)
    );
    await Promise.all(changed.map((path) => this.#fileSystem.syncDirectory(path)));
  }
}
