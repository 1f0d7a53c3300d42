/** Objects that take too long to be read at once: they are read in time slices, one after the other. */
import type { DamagedError } from "../../errors.ts";
import { Turns } from "../../time/turns.ts";
import type { GitObject } from "../../ports/storage.ts";

/** Bytes unpacked, copied and made that an object may take when it is read at once: some ten milliseconds. */
export const READ_AT_ONCE_BYTES = 4 * 2 ** 20;

/** An object that was found and is not read yet. */
export class SlowObject {
  /** Tells where it is: the same text for the same place. */
  readonly place: string;
  /** Reads it in time slices. */
  readonly read: (turns: Turns) => Promise<GitObject>;

  constructor(place: string, read: (turns: Turns) => Promise<GitObject>) {
    this.place = place;
    this.read = read;
  }
}

/** Reads slow objects, one at a time, since each takes memory for several times its content; repositories take turns. */
export class SlowReads {
  /** What waits for each repository, the one whose turn is next first. */
  readonly #waiting = new Map<object, (() => Promise<void>)[]>();
  #isReading = false;

  /** @param repository Any object that stands for the repository. */
  read(repository: object, slow: SlowObject): Promise<GitObject> {
    return new Promise((resolve, reject) => {
      const turns = new Turns();
      const start = () => turns.run(() => slow.read(turns)).then(resolve, reject);
      const queue = this.#waiting.get(repository);
      if (queue !== undefined) queue.push(start);
      else this.#waiting.set(repository, [start]);
      if (!this.#isReading) this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined) break;
      const [repository, queue] = next;
      this.#waiting.delete(repository);
      const start = queue.shift()!;
      if (queue.length > 0) this.#waiting.set(repository, queue);
      await start();
    }
    this.#isReading = false;
  }
}

/** Caches why objects cannot be read, where that was costly to find out: nobody pays for it again. */
export class RefusedObjects<Key> {
  readonly #refused = new Map<Key, DamagedError>();
  readonly #limit: number;

  /** @param limit Places at most; at one more, all are dropped. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws {DamagedError} why the object at a place is not read, if that is known. */
  check(key: Key): void {
    if (this.#refused.size === 0) return;
    const error = this.#refused.get(key);
    if (error !== undefined) throw error;
  }

  /** @param error One of few, shared by many objects. */
  add(key: Key, error: DamagedError): void {
    if (this.#refused.size >= this.#limit) this.#refused.clear();
    this.#refused.set(key, error);
  }
}
