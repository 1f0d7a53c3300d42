/** An open file of `node:fs`. */
import { closeSync } from "node:fs";

/** A file descriptor; closing it twice is harmless, as the number may by then be another file's. */
export class Descriptor {
  #number: number | undefined;

  constructor(number: number) {
    this.#number = number;
  }

  /** @throws {TypeError} when it is closed. */
  get number(): number {
    if (this.#number === undefined) throw new TypeError("Cannot use a closed file");
    return this.#number;
  }

  close(): void {
    const number = this.#number;
    this.#number = undefined;
    if (number !== undefined) closeSync(number);
  }
}
