/**
 * Writes a pack and its index, both of version 2, for the memory file system of libgit2. The objects are not
 * compressed, because the pack is read only once. Checksums that libgit2 ignores are zero.
 */
import { zlibSync } from "fflate";
import { joinBytes } from "../../bytes/bytes.ts";
import { type Oid, OID_BYTES, oidToBytes } from "../../ids/oid.ts";
import type { ObjectKind } from "../../ports/storage.ts";

export interface PackedObject {
  readonly kind: ObjectKind;
  readonly body: Uint8Array;
}

/** Number of each object type in the header of an entry. */
const KIND_NUMBER = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

const PACK_MAGIC = 0x5041434b;
const INDEX_MAGIC = 0xff744f63;
const VERSION = 2;
const PACK_HEADER_BYTES = 12;
const INDEX_HEADER_BYTES = 8;
const FANOUT_ENTRIES = 256;

/** Encodes objects as a pack, and the index of this pack. */
export function encodePack(objects: ReadonlyMap<Oid, PackedObject>): { pack: Uint8Array; index: Uint8Array } {
  const start = new DataView(new ArrayBuffer(PACK_HEADER_BYTES));
  [PACK_MAGIC, VERSION, objects.size].forEach((number, i) => start.setUint32(4 * i, number));
  const parts: Uint8Array[] = [new Uint8Array(start.buffer)];
  const offsets = new Map<Oid, number>();
  let at = PACK_HEADER_BYTES;
  for (const [oid, { kind, body }] of objects) {
    offsets.set(oid, at);
    const header = entryHeader(KIND_NUMBER[kind], body.length);
    const stored = zlibSync(body, { level: 0 });
    parts.push(header, stored);
    at += header.length + stored.length;
  }
  return { pack: joinBytes([...parts, new Uint8Array(OID_BYTES)]), index: encodeIndex(offsets) };
}

/**
 * Encodes type and length of an entry: the lowest four bits of the length first, then seven bits per byte.
 */
function entryHeader(kind: number, length: number): Uint8Array {
  const bytes = [kind << 4 | length & 0x0f];
  for (let left = length >>> 4; left > 0; left = left >>> 7) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(left & 0x7f);
  }
  return Uint8Array.from(bytes);
}

/**
 * Encodes the index. It has, in this order: for each byte, the number of ids whose first byte is not greater;
 * the sorted ids; zeros as checksums of the entries; the offset of each entry; zeros as checksums of the
 * files.
 */
function encodeIndex(offsets: ReadonlyMap<Oid, number>): Uint8Array {
  const oids = [...offsets.keys()].sort();
  const idsAt = INDEX_HEADER_BYTES + 4 * FANOUT_ENTRIES;
  const offsetsAt = idsAt + (OID_BYTES + 4) * oids.length;
  const index = new Uint8Array(offsetsAt + 4 * oids.length + 2 * OID_BYTES);
  const view = new DataView(index.buffer);
  view.setUint32(0, INDEX_MAGIC);
  view.setUint32(4, VERSION);
  const counts = new Array<number>(FANOUT_ENTRIES).fill(0);
  oids.forEach((oid, i) => {
    const id = oidToBytes(oid);
    counts[id[0]!]!++;
    index.set(id, idsAt + OID_BYTES * i);
    view.setUint32(offsetsAt + 4 * i, offsets.get(oid)!);
  });
  let total = 0;
  counts.forEach((count, first) => view.setUint32(INDEX_HEADER_BYTES + 4 * first, total += count));
  return index;
}
