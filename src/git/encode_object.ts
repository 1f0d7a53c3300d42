/** Objects as git names and stores them. */
import { sha1 } from "@noble/hashes/legacy.js";
import { type Oid, oidFromBytes } from "../ids/oid.ts";
import type { GitObject, ObjectKind } from "../ports/storage.ts";

/** What stands before an object's content, where it is hashed and where it is stored by itself: `<kind> <size>\0`. */
export function encodeObjectHeader(kind: ObjectKind, size: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${kind} ${size}\0`);
}

/** The id of an object: the SHA-1 of its header and content. */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): Oid {
  return oidFromBytes(sha1.create().update(encodeObjectHeader(kind, bytes.length)).update(bytes).digest());
}

/** Objects that are to be written together; what refers to one of them can be made before they are. */
export class ObjectBatch {
  readonly #objects: GitObject[] = [];

  /** What was added, in this order. */
  get objects(): readonly GitObject[] {
    return this.#objects;
  }

  /** Adds an object, returns the id that it will have. */
  add(kind: ObjectKind, bytes: Uint8Array): Oid {
    this.#objects.push({ kind, bytes });
    return hashObject(kind, bytes);
  }
}
