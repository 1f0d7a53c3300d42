/**
 * Files under temporary names. They are written and synced to the disk before they are renamed to their final
 * names, so that no reader sees an incomplete file.
 */
import type { NewFile, WritableFileSystem } from "../../ports/file_system.ts";
import { WriteError } from "../../ports/write_error.ts";

/**
 * Prefix of temporary names. After a crash, `git gc` removes files with this prefix from object directories.
 */
export const DRAFT_PREFIX = "tmp_obj_";

const RANDOM_BYTES = 8;

/** Maximum number of names that are tried. A collision is nearly impossible. */
export const MAX_NAMES = 10;

/** A file under a temporary name. */
export class DraftFile {
  readonly path: string;
  readonly #fileSystem: WritableFileSystem;
  readonly #file: NewFile;
  #hasLeft = false;

  private constructor(path: string, fileSystem: WritableFileSystem, file: NewFile) {
    this.path = path;
    this.#fileSystem = fileSystem;
    this.#file = file;
  }

  /**
   * Writes a file with the permissions `mode` into a directory. Returns `undefined` when the directory does
   * not exist.
   *
   * @throws {WriteError} with the reason `busy` when {@link MAX_NAMES} names already existed.
   */
  static create(
    fileSystem: WritableFileSystem,
    directory: string,
    mode: number,
    bytes: Uint8Array,
  ): DraftFile | undefined {
    for (let names = 0; names < MAX_NAMES; names++) {
      const path = `${directory}/${DRAFT_PREFIX}${randomText()}`;
      const file = fileSystem.create(path, mode);
      if (file === undefined) return undefined;
      if (file === "exists") continue;
      const draft = new DraftFile(path, fileSystem, file);
      try {
        file.write(bytes);
        return draft;
      } catch (error) {
        draft.discard();
        throw error;
      }
    }
    throw new WriteError("busy", `All temporary names tried in ${directory} are taken`);
  }

  /** Waits until the content has reached the disk, and closes the file. */
  async sync(): Promise<void> {
    await this.#file.sync();
    this.#file.close();
  }

  /** Renames the file to its final name, unless a file with this name exists. */
  place(path: string): void {
    this.#hasLeft = this.#fileSystem.renameToFree(this.path, path);
  }

  /** Closes the file, and removes it unless it has been renamed. */
  discard(): void {
    this.#file.close();
    if (!this.#hasLeft) this.#fileSystem.remove(this.path);
  }
}

function randomText(): string {
  return Array.from(
    crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}
