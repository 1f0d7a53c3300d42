/** Encoder of git's object header, and object ids. */
import { sha1 } from "@noble/hashes/legacy.js";
import { type Oid, oidFromBytes } from "../ids/oid.ts";
import type { GitObject, ObjectKind } from "../ports/storage.ts";

/**
 * The header of an object, which is hashed with its content and stored before it in a loose object:
 * `<kind> <size>\0`.
 */
export function encodeObjectHeader(kind: ObjectKind, size: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${kind} ${size}\0`);
}

/** Computes the id of an object: the SHA-1 of its header and content. */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): Oid {
  return oidFromBytes(sha1.create().update(encodeObjectHeader(kind, bytes.length)).update(bytes).digest());
}

/**
 * Ids of objects in batches, so that the writer need not hash them again: hashing takes as long as everything
 * else.
 */
const knownIds = new WeakMap<GitObject, Oid>();

/** The id of an object, cached if it was added to a batch. */
export function oidOf(object: GitObject): Oid {
  return knownIds.get(object) ?? hashObject(object.kind, object.bytes);
}

/** Objects to be written together. An object can refer to earlier ones before they are written. */
export class ObjectBatch {
  readonly #objects: GitObject[] = [];

  /** The added objects, in this order. */
  get objects(): readonly GitObject[] {
    return this.#objects;
  }

  /** Adds an object and returns its id. The bytes must not change any more. */
  add(kind: ObjectKind, bytes: Uint8Array): Oid {
    const object: GitObject = { kind, bytes };
    const oid = hashObject(kind, bytes);
    this.#objects.push(object);
    knownIds.set(object, oid);
    return oid;
  }
}
