/** Slow objects: objects that are read in steps, one object at a time. */
import type { Task } from "../../scheduling/task.ts";
import { releaseBytes, RELEASED_BYTES } from "../../bytes/bytes.ts";
import type { GitObject } from "../../ports/storage.ts";

/**
 * Adds a `release` method to an object, unless the object is small. The caller must make sure that only the
 * reader of the object uses its bytes.
 */
export function ownedObject(object: GitObject): GitObject {
  const { bytes } = object;
  return bytes.length < RELEASED_BYTES ? object : { ...object, release: () => releaseBytes(bytes) };
}

/**
 * A large object in a cache. Its bytes are freed when the cache has evicted the object and all readers have
 * released it. If a reader does not release the object, only the garbage collector can free the bytes.
 */
export class SharedObject implements GitObject {
  readonly kind: GitObject["kind"];
  readonly bytes: Uint8Array;
  #readers = 0;
  #isEvicted = false;

  /** @param object An object that no other code uses. */
  constructor({ kind, bytes }: GitObject) {
    this.kind = kind;
    this.bytes = bytes;
  }

  /** Returns the object for one more reader, which may release it once. */
  lend(): GitObject {
    this.#readers++;
    let isHeld = true;
    const release = () => {
      if (isHeld) this.#readers--;
      isHeld = false;
      this.#freeUnheld();
    };
    return { kind: this.kind, bytes: this.bytes, release };
  }

  /** Must be called when the cache no longer has the object. */
  evict(): void {
    this.#isEvicted = true;
    this.#freeUnheld();
  }

  #freeUnheld(): void {
    if (this.#isEvicted && this.#readers === 0) releaseBytes(this.bytes);
  }
}

/** An object that has been found, but has not been read yet. */
export class SlowObject {
  /** Identifies the location of the object. */
  readonly place: string;
  /** Reads the object in steps. */
  readonly read: (task: Task) => Promise<GitObject>;

  constructor(place: string, read: (task: Task) => Promise<GitObject>) {
    this.place = place;
    this.read = read;
  }
}

/** A read of a slow object that is waiting or running. */
interface Reading {
  readonly object: Promise<GitObject | undefined>;
  /** Whether several readers wait for the object. If so, no reader may release its bytes. */
  isShared: boolean;
}

/**
 * The reads of slow objects of a repository. Concurrent readers of the same object share one read.
 *
 * @typeParam K Identifies an object.
 */
export class SlowReads<K> {
  readonly #reading = new Map<K, Reading>();

  /** @param read Reads the object, unless it is already being read. */
  share(key: K, read: () => Promise<GitObject | undefined>): Promise<GitObject | undefined> {
    const running = this.#reading.get(key);
    if (running !== undefined) {
      running.isShared = true;
      return running.object;
    }
    const reading: Reading = {
      isShared: false,
      object: read().finally(() => this.#reading.delete(key))
        .then((object) =>
          reading.isShared && object?.release ? { kind: object.kind, bytes: object.bytes } : object
        ),
    };
    this.#reading.set(key, reading);
    return reading.object;
  }
}
