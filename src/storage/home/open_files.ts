/** File handles of packs, bounded in number. */
import { smallTable } from "../../cache/memory.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";

/** Files opened on demand and left open. Beyond the table's limit the least recently used one is closed. */
export class OpenFiles {
  readonly #fileSystem: FileSystem;
  readonly #files = smallTable<string, OpenFile>("openPacks", (file) => file.close());

  constructor(fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
  }

  /**
   * The open file of a path; `undefined` when it does not exist. Use it at once: any later call may close it.
   */
  get(path: string): OpenFile | undefined {
    const opened = this.#files.get(path);
    if (opened !== undefined) return opened;
    const file = this.#fileSystem.open(path);
    if (file !== undefined) this.#files.set(path, file);
    return file;
  }

  close(path: string): void {
    const file = this.#files.get(path);
    this.#files.delete(path);
    file?.close();
  }

  closeAll(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }
}
