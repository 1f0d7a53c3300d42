/** The folders of loose objects, one per first byte of an id, with their mtimes. */
import { SETTLING_MS } from "../../cache/file_freshness.ts";
import type { StorageContext } from "./storage_context.ts";

const FOLDERS = 256;

/** mtimes of the folders of an `objects` directory. */
export class LooseFolders {
  readonly #path: string;
  readonly #context: StorageContext;
  /** mtime of each folder, in milliseconds since the epoch; `NaN` for an absent folder. */
  #mtimes: Float64Array | undefined;
  /** Start of the last check, in milliseconds since the epoch. */
  #lookedMs = -Infinity;

  /** @param path Path of the `objects` directory. */
  constructor(path: string, context: StorageContext) {
    this.#path = path;
    this.#context = context;
  }

  /**
   * Checks all folders. Returns whether one may have changed since the last check; always `true` at the first
   * check and shortly after a change.
   */
  refresh(): boolean {
    const { fileSystem, now } = this.#context;
    const nowMs = now();
    const mtimes = new Float64Array(FOLDERS);
    let hasChanged = this.#mtimes === undefined;
    for (let i = 0; i < FOLDERS; i++) {
      const name = i.toString(16).padStart(2, "0");
      const mtime = fileSystem.stat(`${this.#path}/${name}`)?.modifiedMs ?? NaN;
      mtimes[i] = mtime;
      hasChanged ||= !Object.is(mtime, this.#mtimes![i]) || mtime >= this.#lookedMs - SETTLING_MS;
    }
    this.#mtimes = mtimes;
    this.#lookedMs = nowMs;
    return hasChanged;
  }
}
