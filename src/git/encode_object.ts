/** Objects as git names and stores them. */
import { sha1 } from "@noble/hashes/legacy.js";
import { type Oid, oidFromBytes } from "../ids/oid.ts";
import type { ObjectKind } from "../ports/storage.ts";

/** What stands before an object's content, where it is hashed and where it is stored by itself: `<kind> <size>\0`. */
export function encodeObjectHeader(kind: ObjectKind, size: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${kind} ${size}\0`);
}

/** The id of an object: the SHA-1 of its header and content. */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): Oid {
  return oidFromBytes(sha1.create().update(encodeObjectHeader(kind, bytes.length)).update(bytes).digest());
}
