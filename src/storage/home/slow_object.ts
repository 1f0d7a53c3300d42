/** Slow objects: read in steps, one at a time. */
import type { Task } from "../../scheduling/task.ts";
import { releaseBytes, RELEASED_BYTES } from "../../bytes/bytes.ts";
import type { GitObject } from "../../ports/storage.ts";

/** An object that only its reader holds. The reader may release its bytes. */
export function ownedObject(object: GitObject): GitObject {
  const { bytes } = object;
  return bytes.length < RELEASED_BYTES ? object : { ...object, release: () => releaseBytes(bytes) };
}

/**
 * A large object in a cache. Its bytes are freed once the cache has evicted the object and all readers have
 * released it. If a reader never releases it, only the garbage collector frees the bytes.
 */
export class SharedObject implements GitObject {
  readonly kind: GitObject["kind"];
  readonly bytes: Uint8Array;
  #readers = 0;
  #isEvicted = false;

  /** @param object An object that no other code holds. */
  constructor({ kind, bytes }: GitObject) {
    this.kind = kind;
    this.bytes = bytes;
  }

  /** Returns the object for one more reader, who may release it once. */
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

  /** Must be called when the cache no longer holds the object. */
  evict(): void {
    this.#isEvicted = true;
    this.#freeUnheld();
  }

  #freeUnheld(): void {
    if (this.#isEvicted && this.#readers === 0) releaseBytes(this.bytes);
  }
}

/** An object that was found but not read yet. */
export class SlowObject {
  /** Identifies the position of the object. */
  readonly place: string;
  /** Reads the object in steps. */
  readonly read: (task: Task) => Promise<GitObject>;

  constructor(place: string, read: (task: Task) => Promise<GitObject>) {
    this.place = place;
    this.read = read;
  }
}
