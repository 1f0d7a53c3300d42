/**
 * Writes a pack with its index, version 2 each, for libgit2's memory file system. The pack is read once, so
 * its objects are not compressed, and checksums that libgit2 ignores are zero.
 */
import { adler32 } from "../../git/unpack.ts";
import { type Oid, OID_BYTES, oidToBytes } from "../../ids/oid.ts";
import type { ObjectKind } from "../../ports/storage.ts";

/** An object to be packed. */
export interface PackedObject {
  readonly kind: ObjectKind;
  readonly body: Uint8Array;
}

/** Number of a kind in the header of an entry. */
const KIND_NUMBER = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

const PACK_MAGIC = 0x5041434b;
const INDEX_MAGIC = 0xff744f63;
const VERSION = 2;
const PACK_HEADER_BYTES = 12;
const INDEX_HEADER_BYTES = 8;
const FANOUT_ENTRIES = 256;

/** Encodes a pack of objects and its index. Copies each object once. */
export function encodePack(objects: ReadonlyMap<Oid, PackedObject>): { pack: Uint8Array; index: Uint8Array } {
  const headers = [...objects.values()].map(({ kind, body }) => entryHeader(KIND_NUMBER[kind], body.length));
  let length = PACK_HEADER_BYTES + OID_BYTES;
  [...objects.values()].forEach(({ body }, i) => length += headers[i]!.length + zlibLength(body));
  const pack = new Uint8Array(length);
  const view = new DataView(pack.buffer);
  view.setUint32(0, PACK_MAGIC);
  view.setUint32(4, VERSION);
  view.setUint32(8, objects.size);
  const offsets = new Map<Oid, number>();
  let at = PACK_HEADER_BYTES;
  let next = 0;
  for (const [oid, { body }] of objects) {
    const header = headers[next++]!;
    offsets.set(oid, at);
    pack.set(header, at);
    at = storeZlib(body, view, at + header.length);
  }
  return { pack, index: encodeIndex(offsets) };
}

/** Encodes kind and length of an entry: the lowest four bits of the length, then seven bits per byte. */
function entryHeader(kind: number, length: number): Uint8Array {
  const bytes = [kind << 4 | length & 0x0f];
  for (let left = length >>> 4; left > 0; left = left >>> 7) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(left & 0x7f);
  }
  return Uint8Array.from(bytes);
}

/**
 * Encodes the index: for each byte the number of ids that begin with it or a lower one, the sorted ids, zeros
 * as checksums of entries, the offset of each entry, zeros as checksums of the files.
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

/** Most bytes in one stored block (RFC 1951, 3.2.4). */
const MAX_BLOCK_BYTES = 0xffff;

/** Bytes in a zlib stream of stored blocks. */
function zlibLength({ length }: Uint8Array): number {
  return 2 + 5 * Math.max(1, Math.ceil(length / MAX_BLOCK_BYTES)) + length + 4;
}

/** Writes bytes as a zlib stream (RFC 1950) of stored, uncompressed blocks. Returns the end of the stream. */
function storeZlib(bytes: Uint8Array, view: DataView, at: number): number {
  const stored = new Uint8Array(view.buffer);
  const blocks = Math.max(1, Math.ceil(bytes.length / MAX_BLOCK_BYTES));
  view.setUint16(at, 0x7801);
  let to = at + 2;
  for (let from = 0, block = 1; block <= blocks; block++) {
    const content = bytes.subarray(from, from + MAX_BLOCK_BYTES);
    stored[to] = block === blocks ? 1 : 0;
    view.setUint16(to + 1, content.length, true);
    view.setUint16(to + 3, ~content.length, true);
    stored.set(content, to + 5);
    from += content.length;
    to += 5 + content.length;
  }
  view.setUint32(to, adler32(bytes));
  return to + 4;
}
