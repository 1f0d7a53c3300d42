/** The folders of loose objects, one per first byte of an id, with their mtimes. */
import { SETTLING_MS } from "../../cache/file_freshness.ts";
import type { Surroundings } from "./surroundings.ts";

const FOLDERS = 256;

/** mtimes of the folders of an `objects` directory. */
export class LooseFolders {
  readonly #path: string;
  readonly #surroundings: Surroundings;
  /** mtime of each folder, in milliseconds since the epoch; `NaN` for an absent folder. */
  #stamps: Float64Array | undefined;
  /** Start of the last check, in milliseconds since the epoch. */
  #lookedMs = -Infinity;

  /** @param path Path of the `objects` directory. */
  constructor(path: string, surroundings: Surroundings) {
    this.#path = path;
    this.#surroundings = surroundings;
  }

  /**
   * Checks all folders. Returns whether one may have changed since the last check; always `true` at the first
   * check and shortly after a change.
   */
  refresh(): boolean {
    const { fileSystem, now } = this.#surroundings;
    const nowMs = now();
    const stamps = new Float64Array(FOLDERS);
    let hasChanged = this.#stamps === undefined;
    for (let i = 0; i < FOLDERS; i++) {
      const name = i.toString(16).padStart(2, "0");
      const stamp = fileSystem.stat(`${this.#path}/${name}`)?.modifiedMs ?? NaN;
      stamps[i] = stamp;
      hasChanged ||= !Object.is(stamp, this.#stamps![i]) || stamp >= this.#lookedMs - SETTLING_MS;
    }
    this.#stamps = stamps;
    this.#lookedMs = nowMs;
    return hasChanged;
  }
}
