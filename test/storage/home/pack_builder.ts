/** Packs and their indexes, built by hand so that they can be wrong. */
import { crc32 } from "node:zlib";
import type { OpenFile } from "../../../src/ports/file_system.ts";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { sha1 } from "@noble/hashes/legacy.js";
import { zlibSync } from "fflate";
import { type Oid, oidFromBytes, oidToBytes } from "../../../src/ids/oid.ts";
import type { ObjectKind } from "../../../src/ports/storage.ts";

const TYPES: Record<ObjectKind, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };

/** An entry to be packed: a whole object, or a delta of the object `base`. */
export interface PackEntry {
  readonly oid: Oid;
  readonly kind?: ObjectKind;
  /** What the delta starts from: another entry's position, or an id. */
  readonly base?: number | Oid;
  /** Unpacked data: the object's content, or the delta. */
  readonly data: Uint8Array;
  /** The size that the entry claims, if not that of the data. */
  readonly size?: number;
  /** Whether the data are stored without compression, which is much faster. */
  readonly isStored?: boolean;
  /** The type that the entry claims, if not the right one. */
  readonly type?: number;
}

/** A pack and its index. */
export interface BuiltPack {
  readonly pack: Uint8Array;
  readonly index: Uint8Array;
  /** Where each entry begins. */
  readonly offsets: readonly number[];
}

/** The id that git gives a blob. */
export function blobId(content: string): Oid {
  const bytes = new TextEncoder().encode(content);
  return oidFromBytes(sha1(joinBytes([new TextEncoder().encode(`blob ${bytes.length}\0`), bytes])));
}

/** Builds a pack of entries in the given order. `shift` is added to every offset that the index tells. */
export function buildPack(entries: readonly PackEntry[], shift = 0): BuiltPack {
  const parts = [Uint8Array.of(0x50, 0x41, 0x43, 0x4b, 0, 0, 0, 2, ...uint32(entries.length))];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  for (const entry of entries) {
    offsets.push(length);
    const bytes = packEntry(entry, length, offsets);
    parts.push(new Uint8Array(bytes));
    length += bytes.length;
  }
  parts.push(sha1(joinBytes(parts)));
  const pack = joinBytes(parts);
  return { pack, index: buildIndex(entries.map(({ oid }, i) => [oid, offsets[i]! + shift]), pack), offsets };
}

/** Builds the index of a pack; in version 2 with 64-bit offsets where they are needed. */
export function buildIndex(
  objects: readonly (readonly [Oid, number])[],
  pack: Uint8Array,
  version: 1 | 2 = 2,
): Uint8Array {
  const sorted = [...objects].sort(([a], [b]) => a < b ? -1 : 1);
  const counts = new Array<number>(256).fill(0);
  for (const [oid] of sorted) counts[parseInt(oid.slice(0, 2), 16)]!++;
  let count = 0;
  const sums = Uint8Array.from(counts.flatMap((ofByte) => uint32(count += ofByte)));
  if (version === 1) {
    const pairs = sorted.flatMap(([oid, offset]) => [Uint8Array.from(uint32(offset)), oidToBytes(oid)]);
    const body = joinBytes([sums, ...pairs, pack.subarray(-20)]);
    return joinBytes([body, sha1(body)]);
  }
  const large: number[] = [];
  const offsets = sorted.map(([, offset]) => offset < 2 ** 31 ? offset : 2 ** 31 + large.push(offset) - 1);
  const body = joinBytes([
    Uint8Array.of(0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2),
    sums,
    ...sorted.map(([oid]) => oidToBytes(oid)),
    Uint8Array.from(checksums(sorted.map(([, offset]) => offset), pack).flatMap(uint32)),
    Uint8Array.from(offsets.flatMap(uint32)),
    Uint8Array.from(
      large.flatMap((offset) => [...uint32(Math.floor(offset / 2 ** 32)), ...uint32(offset % 2 ** 32)]),
    ),
    pack.subarray(-20),
  ]);
  return joinBytes([body, sha1(body)]);
}

/** The CRC-32 of the entry at each offset. */
function checksums(offsets: readonly number[], pack: Uint8Array): number[] {
  const ends = new Map<number, number>();
  const inOrder = [...offsets].sort((a, b) => a - b);
  for (const [i, offset] of inOrder.entries()) ends.set(offset, inOrder[i + 1] ?? pack.length - 20);
  return offsets.map((offset) => crc32(pack.subarray(offset, ends.get(offset))));
}

/** A delta that makes `size` bytes from a base of `baseSize`, by the given instructions. */
export function delta(baseSize: number, size: number, ...instructions: number[]): Uint8Array {
  return Uint8Array.of(...number7(baseSize), ...number7(size), ...instructions);
}

/** A number as seven bits a byte, the lowest first. */
export function number7(value: number): number[] {
  return value < 128 ? [value] : [128 + value % 128, ...number7(Math.floor(value / 128))];
}

function packEntry(entry: PackEntry, start: number, offsets: readonly number[]): Uint8Array {
  const { kind, base, data, size = data.length } = entry;
  const type = entry.type ?? (kind !== undefined ? TYPES[kind] : typeof base === "number" ? 6 : 7);
  const rest = Math.floor(size / 16);
  const header = [(rest > 0 ? 128 : 0) + type * 16 + size % 16, ...(rest > 0 ? number7(rest) : [])];
  if (typeof base === "number") header.push(...distanceBytes(start - offsets[base]!));
  if (typeof base === "string") header.push(...oidToBytes(base));
  return joinBytes([Uint8Array.from(header), zlibSync(data, { level: entry.isStored ? 0 : 6 })]);
}

/** A distance as seven bits a byte, the highest first, each but the last less one. */
function distanceBytes(distance: number): number[] {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest--;
    bytes.unshift(128 + rest % 128);
  }
  return bytes;
}

function uint32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

/** An open file with these bytes; `onRead` is told how many are read each time. */
export function fileOf(bytes: Uint8Array, onRead: (length: number) => void = () => {}): OpenFile {
  return {
    size: bytes.length,
    read(into, position) {
      const part = bytes.subarray(position, position + into.length);
      into.set(part);
      onRead(part.length);
      return part.length;
    },
    close: () => {},
  };
}
