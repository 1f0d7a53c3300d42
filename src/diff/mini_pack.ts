/**
 * A pack with its index, version 2 each, for libgit2's memory file system. Its objects are read once, right away: they are not compressed, and
 * checksums that libgit2 does not look at are zero.
 */
import { joinBytes } from "../bytes/join.ts";
import { type Oid, OID_BYTES, oidToBytes } from "../ids/oid.ts";
import type { ObjectKind } from "../ports/storage.ts";

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

/** Packs objects. */
export function encodePack(objects: ReadonlyMap<Oid, PackedObject>): { pack: Uint8Array; index: Uint8Array } {
  const header = new DataView(new ArrayBuffer(PACK_HEADER_BYTES));
  header.setUint32(0, PACK_MAGIC);
  header.setUint32(4, VERSION);
  header.setUint32(8, objects.size);
  const parts: Uint8Array[] = [new Uint8Array(header.buffer)];
  const offsets = new Map<Oid, number>();
  let length = PACK_HEADER_BYTES;
  for (const [oid, { kind, body }] of objects) {
    offsets.set(oid, length);
    for (const part of [entryHeader(KIND_NUMBER[kind], body.length), storeZlib(body)]) {
      parts.push(part);
      length += part.length;
    }
  }
  parts.push(new Uint8Array(OID_BYTES));
  return { pack: joinBytes(parts), index: encodeIndex(offsets) };
}

/** Kind and length of an entry: four bits of the length, then seven at a time, the lowest first. */
function entryHeader(kind: number, length: number): Uint8Array {
  const bytes = [kind << 4 | length & 0x0f];
  for (let left = length >>> 4; left > 0; left = left >>> 7) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(left & 0x7f);
  }
  return Uint8Array.from(bytes);
}

/** How many ids begin with each byte or a lower one, the ids in order, no checksums of entries, where each entry is, no checksums of the files. */
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

/** Bytes in one stored block of RFC 1951. */
const MAX_BLOCK_BYTES = 0xffff;

/** A zlib stream (RFC 1950) of stored blocks: read once, right away, it is not worth compressing. */
function storeZlib(bytes: Uint8Array): Uint8Array {
  const blocks = Math.max(1, Math.ceil(bytes.length / MAX_BLOCK_BYTES));
  const stored = new Uint8Array(2 + 5 * blocks + bytes.length + 4);
  const view = new DataView(stored.buffer);
  view.setUint16(0, 0x7801);
  let to = 2;
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
  return stored;
}

/** Bytes summed up before taking remainders: the sums then stay below 2^30, where engines have integers. */
const ADLER_CHUNK_BYTES = 2048;

/** The checksum of RFC 1950, section 8.2. */
function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + ADLER_CHUNK_BYTES, bytes.length);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b * 0x10000 + a;
}
