/** Handles of open packs, bounded in number. */
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";

/** Files opened on demand and left open. Beyond `limit` the one unused for longest is closed. */
export class OpenFiles {
  readonly #fileSystem: FileSystem;
  readonly #limit: number;
  readonly #files = new Map<string, OpenFile>();

  constructor(fileSystem: FileSystem, limit: number) {
    this.#fileSystem = fileSystem;
    this.#limit = limit;
  }

  /** How many are open. */
  get count(): number {
    return this.#files.size;
  }

  /** The open file of a path, `undefined` when there is none. Use it at once: any later call may close it. */
  get(path: string): OpenFile | undefined {
    const file = this.#files.get(path) ?? this.#fileSystem.open(path);
    if (file === undefined) return undefined;
    this.#files.delete(path);
    this.#files.set(path, file);
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= this.#limit) break;
      this.close(oldest);
    }
    return file;
  }

  close(path: string): void {
    const file = this.#files.get(path);
    this.#files.delete(path);
    file?.close();
  }

  closeAll(): void {
    for (const path of [...this.#files.keys()]) this.close(path);
  }
}
