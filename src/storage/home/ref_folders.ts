/** The folders above a reference's file: made when they are missing, which git does and undoes at any time. */
import type { WritableFileSystem } from "../../ports/file_system.ts";
import { WriteError } from "../../ports/write_error.ts";
import { foldersOf } from "../ref_change.ts";

/** The folders of one reference. */
export class RefFolders {
  readonly #fileSystem: WritableFileSystem;
  /** Paths from `refs` down to the one that the file is in. */
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
   * Makes those that are missing; they may be gone again afterwards.
   *
   * @throws {WriteError} `conflict` when one of them is something else: another reference, or a symbolic link, which is never followed.
   */
  make(): void {
    for (const path of this.#paths) {
      const kind = this.#fileSystem.stat(path)?.kind;
      if (kind === "directory") continue;
      if (kind !== undefined) throw new WriteError("conflict", `${path} is no folder`);
      if (this.#fileSystem.makeDirectory(path) === "made") this.#made.add(path);
    }
  }

  /** Removes what was made, as far as it is empty. */
  unmake(): void {
    for (const path of [...this.#paths].reverse()) if (this.#made.has(path)) this.#fileSystem.remove(path);
  }

  /** Resolves when the reference's name has reached the disk, and so have those of the folders that were made. */
  async sync(): Promise<void> {
    const changed = this.#paths.filter((_, i) =>
      i === this.#paths.length - 1 || this.#made.has(this.#paths[i + 1]!)
    );
    await Promise.all(changed.map((path) => this.#fileSystem.syncDirectory(path)));
  }
}
