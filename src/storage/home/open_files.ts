/** Handles of packs, bounded in number. */
import { LruMap } from "../../cache/lru_map.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";

/** Files opened on demand and left open. Beyond `limit` the one unused for longest is closed. */
export class OpenFiles {
  readonly #fileSystem: FileSystem;
  readonly #files: LruMap<string, OpenFile>;

  constructor(fileSystem: FileSystem, limit: number) {
    this.#fileSystem = fileSystem;
    this.#files = new LruMap(limit, () => 1, (file) => file.close());
  }

  /** The open file of a path, `undefined` when there is none. Use it at once: any later call may close it. */
  get(path: string): OpenFile | undefined {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
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
