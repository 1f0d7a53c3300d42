/** The folders of loose objects, one for each first byte of an id: whether anything came into them. */
import { SETTLING_MS } from "../../cache/file_freshness.ts";
import type { Surroundings } from "./surroundings.ts";

const FOLDERS = 256;

/** Stamps of the folders of an `objects` directory. */
export class LooseFolders {
  readonly #path: string;
  readonly #surroundings: Surroundings;
  /** When each folder was last changed, milliseconds since the epoch; `NaN` where there is none. */
  #stamps: Float64Array | undefined;
  /** When the last look began, milliseconds since the epoch. */
  #lookedMs = -Infinity;

  /** @param path Path of the `objects` directory. */
  constructor(path: string, surroundings: Surroundings) {
    this.#path = path;
    this.#surroundings = surroundings;
  }

  /** Looks at all folders. Tells whether one may have changed since the last time; the first time, and shortly after a change, one may. */
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
