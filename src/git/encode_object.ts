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

/** Ids of objects in batches: whoever writes such an object need not hash it again, which takes as long as all else. */
const knownIds = new WeakMap<GitObject, Oid>();

/** The id of an object, perhaps from when it was added to a batch. */
export function oidOf(object: GitObject): Oid {
  return knownIds.get(object) ?? hashObject(object.kind, object.bytes);
}

/** Objects that are to be written together; what refers to one of them can be made before they are. */
export class ObjectBatch {
  readonly #objects: GitObject[] = [];

  /** What was added, in this order. */
  get objects(): readonly GitObject[] {
    return this.#objects;
  }

  /** Adds an object, whose bytes stay as they are from now on; returns the id that it will have. */
  add(kind: ObjectKind, bytes: Uint8Array): Oid {
    const object: GitObject = { kind, bytes };
    const oid = hashObject(kind, bytes);
    this.#objects.push(object);
    knownIds.set(object, oid);
    return oid;
  }
}
