/**
 * A cache of bytes in bounded memory, such as answers about git objects. What it has no room for is packed,
 * if the host can do that, and JSON takes a fifth to a twentieth of its size then.
 */
import { Limiter } from "../scheduling/limiter.ts";
import { Task } from "../scheduling/task.ts";
import { joinBytes } from "../bytes/bytes.ts";
import type { Compression } from "../ports/compression.ts";
import { type HashKey, LARGEST_SHARE, TinyLfuMap, type TinyLfuOptions } from "./tiny_lfu_map.ts";

/** Bytes to be cached, which never change under their key. Their owner must not modify them. */
export interface NewBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Header fields of an answer whose body the bytes are; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Cached bytes. */
export interface CachedBytes {
  readonly length: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The bytes in order, at least one piece. Each function returns its piece, which it may have to unpack:
   * {@link FRAME_BYTES} at most. Callers share the bytes and must not modify them.
   */
  readonly pieces: readonly (() => Uint8Array<ArrayBuffer>)[];
}

/** The pieces of cached bytes in one. */
export function joinPieces(pieces: CachedBytes["pieces"]): Uint8Array<ArrayBuffer> {
  return joinBytes(pieces.map((piece) => piece()));
}

/** Bytes with a key of their own, such as a diff. They may be a part of longer bytes, such as an answer. */
export interface KeyedBytes {
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** With it, the bytes are only the first or the last ones of this key. */
  readonly end?: "first" | "last";
}

/** A part of cached bytes that has a key of its own. */
export interface CachedPart {
  readonly key: string;
  /** First byte of the part, and the byte after its last one. */
  readonly start: number;
  readonly end: number;
}

/** Bytes in the cache. */
interface Whole {
  readonly key: string;
  readonly headers: NewBytes["headers"];
  readonly parts: readonly CachedPart[];
  readonly length: number;
  /** The bytes: as they are, or frames of {@link FRAME_BYTES} each, packed. */
  readonly bytes: Uint8Array<ArrayBuffer> | readonly Uint8Array<ArrayBuffer>[];
  /** Memory. */
  readonly weight: number;
}

/** A part of cached bytes. */
interface Part {
  readonly whole: string;
  readonly start: number;
  readonly end: number;
}

/** Memory that an entry takes in addition to its bytes and texts, approximately. */
export const ENTRY_BYTES = 512;

/**
 * Bytes that take as long to make as an answer, or each of its parts, takes beside its own bytes. When
 * answers compete for memory, small ones and those of many parts count for more than their bytes.
 */
export const FIXED_WORTH = 64 * 1024;

/** Bytes that are packed and unpacked at a time. */
export const FRAME_BYTES = 512 * 1024;

/** Bytes from which an entry is packed. */
export const PACKED_FROM_BYTES = 4 * 1024;

/** Bytes up to which an entry is unpacked at once and stays so while it is used. Longer ones: in steps. */
export const UNPACKED_WHOLE_BYTES = 2 * FRAME_BYTES;

/** Share of packed entries in the memory, at most. What they leave is for entries as they are. */
export const PACKED_SHARE = 1 / 4;

/** Most bytes that are being packed, as a share of the memory and beside it. A single entry may have more. */
export const PACKING_SHARE = 1 / 8;

/** Choices of a {@link ByteCache}. */
export interface ByteCacheOptions {
  /** Packs entries; without it, all stay as they are. */
  readonly compression?: Compression | undefined;
  /** As in {@link TinyLfuMap}. */
  readonly hashKey?: HashKey | undefined;
}

/** Caches bytes up to a bound, by how often and how lately they were asked for. */
export class ByteCache {
  readonly #compression: Compression | undefined;
  /** Entries that are not packed. */
  readonly #plain: TinyLfuMap<Whole>;
  /** Entries moved out of the plain ones, most of them packed. One that is used again is in both maps. */
  readonly #packed: TinyLfuMap<Whole>;
  /** Entries that are being packed. */
  readonly #packing = new Map<string, Whole>();
  readonly #packer = new Limiter({ atOnce: 1 });
  #packingBytes = 0;
  /** A long packed entry that is being unpacked, since it is used so often that it will stay plain. */
  #unpacking: Whole | undefined;
  readonly #mostPackingBytes: number;
  readonly #capacity: number;
  readonly #parts = new Map<string, Part>();
  readonly #largestWeight: number;
  /** Calls of {@link get} that found bytes, and those that found none. */
  hits = 0;
  misses = 0;

  /** @param capacity Bytes of memory, approximately, beside {@link PACKING_SHARE}; 0 caches nothing. */
  constructor(capacity: number, { compression, hashKey }: ByteCacheOptions = {}) {
    const isPacking = compression !== undefined;
    const largest = capacity * LARGEST_SHARE;
    const options: TinyLfuOptions<Whole> = {
      weigh: ({ weight }) => weight,
      worthOf: ({ length, parts }) => length + FIXED_WORTH * (1 + parts.length),
      hashKey,
    };
    this.#compression = compression;
    this.#mostPackingBytes = isPacking ? capacity * PACKING_SHARE : 0;
    this.#capacity = capacity;
    this.#plain = new TinyLfuMap(capacity, {
      ...options,
      largest,
      onDrop: (whole) => void this.#pack(whole),
    });
    this.#packed = new TinyLfuMap(isPacking ? capacity * PACKED_SHARE : 0, {
      ...options,
      onDrop: (whole) => this.#forgetParts(whole),
    });
    this.#largestWeight = largest;
  }

  /** Whether bytes of this length are small enough to be cached. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  /** Number of entries; one that is packed and used again counts twice. */
  get size(): number {
    return this.#plain.size + this.#packed.size;
  }

  /** Approximate memory of all entries, in bytes. */
  get weight(): number {
    const unpackingBytes = this.#unpacking?.length ?? 0;
    return this.#plain.weight + this.#packed.weight + this.#packingBytes + unpackingBytes;
  }

  /** The bytes of a key. The bytes of a part belong to the whole. */
  get(key: string): CachedBytes | undefined {
    const part = this.#parts.get(key);
    const whole = this.#use(part?.whole ?? key);
    if (whole === undefined) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    const { length, headers } = whole;
    if (part === undefined) {
      return { length, ...headers && { headers }, pieces: this.#pieces(whole, 0, length) };
    }
    const { start, end } = part;
    return { length: end - start, pieces: this.#pieces(whole, start, end) };
  }

  /**
   * Caches the bytes, unless they are too large. With the bytes their parts are cached, without a copy: a
   * part replaces the bytes that were cached under its key, and is dropped with the whole.
   *
   * @param key Everything that the bytes depend on: their kind, the repository, full object ids. Abbreviated
   *   ids and names of references are no keys, since their meaning changes.
   */
  set(key: string, { bytes, headers }: NewBytes, parts: readonly CachedPart[] = []): void {
    const { length } = bytes;
    const weight = length + memoryBeside(key, headers, parts);
    if (weight > this.#largestWeight) return;
    const whole = { key, headers, parts, length, bytes: ownBytes(bytes), weight };
    this.#delete(key);
    for (const { key } of parts) this.#delete(key);
    this.#addParts(whole);
    this.#plain.set(key, whole);
  }

  /** The entry of a key. What is not long is unpacked. */
  #use(key: string): Whole | undefined {
    const packed = this.#packed.get(key);
    const plain = this.#plain.get(key) ?? this.#packing.get(key);
    if (plain !== undefined || packed === undefined) return plain;
    if (packed.bytes instanceof Uint8Array) return packed;
    if (packed.length > UNPACKED_WHOLE_BYTES) {
      void this.#unpack(packed);
      return packed;
    }
    const whole = withBytes(packed, joinPieces(this.#pieces(packed, 0, packed.length)));
    this.#plain.set(key, whole);
    return whole;
  }

  /** Unpacks a long entry if it will stay, in steps. */
  async #unpack(packed: Whole): Promise<void> {
    const { key, length } = packed;
    const weight = packed.weight - sizeOf(packed.bytes) + length;
    if (this.#unpacking !== undefined) return;
    const unpacked = { ...packed, weight };
    if (!this.#plain.wouldAdmit(key, unpacked)) return this.#plain.refuse(key, unpacked);
    this.#unpacking = packed;
    const bytes = await this.#unpacked(packed).catch(() => undefined);
    // It may have been replaced meanwhile.
    if (this.#unpacking !== packed) return;
    this.#unpacking = undefined;
    if (bytes !== undefined && this.#packed.has(key)) this.#plain.set(key, withBytes(packed, bytes));
  }

  async #unpacked(packed: Whole): Promise<Uint8Array<ArrayBuffer>> {
    const task = new Task("background");
    const frames: Uint8Array<ArrayBuffer>[] = [];
    for (const piece of this.#pieces(packed, 0, packed.length)) {
      await task.yield();
      frames.push(piece());
    }
    return joinBytes(frames);
  }

  /** The bytes from `start` to `end` of an entry. */
  #pieces({ bytes, length }: Whole, start: number, end: number): CachedBytes["pieces"] {
    if (bytes instanceof Uint8Array) {
      return [() => end - start === length ? bytes : bytes.subarray(start, end)];
    }
    const first = Math.floor(start / FRAME_BYTES);
    return bytes.slice(first, Math.max(first + 1, Math.ceil(end / FRAME_BYTES))).map((packed, i) => () => {
      const at = (first + i) * FRAME_BYTES;
      const frame = this.#compression!.unpack(packed, Math.min(FRAME_BYTES, length - at));
      return frame.subarray(Math.max(start - at, 0), end - at);
    });
  }

  /** Packs an entry that has left the plain ones, unless that is done already or would be of no use. */
  async #pack(whole: Whole): Promise<void> {
    const { key, bytes, weight, length } = whole;
    if (this.#packed.has(key) || this.#packing.has(key)) return;
    const hasRoom = this.#packingBytes === 0 || this.#packingBytes + weight <= this.#mostPackingBytes;
    if (!(bytes instanceof Uint8Array) || !hasRoom || !this.#packed.mayKeep(key)) {
      return this.#forgetParts(whole);
    }
    if (length < PACKED_FROM_BYTES) return this.#keep(whole);
    this.#packing.set(key, whole);
    this.#packingBytes += weight;
    const packed = await this.#packer.run(() => this.#framesOf(bytes)).catch(() => undefined);
    this.#packingBytes -= weight;
    // It may have been replaced meanwhile.
    if (this.#packing.get(key) !== whole) return;
    this.#packing.delete(key);
    if (packed === undefined || sizeOf(packed) >= length) this.#keep(whole);
    else this.#keep(withBytes(whole, packed));
  }

  /** Adds an entry to `#packed`. The capacity of `#plain` is what the packed entries leave of the memory. */
  #keep(whole: Whole): void {
    this.#packed.set(whole.key, whole);
    this.#plain.resize(this.#capacity - this.#packed.weight);
  }

  async #framesOf(bytes: Uint8Array<ArrayBuffer>): Promise<readonly Uint8Array<ArrayBuffer>[]> {
    const frames: Uint8Array<ArrayBuffer>[] = [];
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      frames.push(ownBytes(await this.#compression!.pack(bytes.subarray(at, at + FRAME_BYTES))));
    }
    return frames;
  }

  #delete(key: string): void {
    this.#parts.delete(key);
    const [plain, packed, packing] = [
      this.#plain.delete(key),
      this.#packed.delete(key),
      this.#packing.get(key),
    ];
    this.#packing.delete(key);
    if (this.#unpacking?.key === key) this.#unpacking = undefined;
    const whole = plain ?? packed ?? packing;
    if (whole !== undefined) this.#forgetParts(whole);
  }

  #addParts({ key: whole, parts }: Whole): void {
    for (const { key, start, end } of parts) this.#parts.set(key, { whole, start, end });
  }

  /** Forgets the parts of an entry that has been dropped, unless it is there in another form. */
  #forgetParts({ key: whole, parts }: Whole): void {
    if (this.#plain.has(whole) || this.#packed.has(whole) || this.#packing.has(whole)) return;
    for (const { key } of parts) {
      if (this.#parts.get(key)?.whole === whole) this.#parts.delete(key);
    }
  }
}

/** The entry with its bytes packed or unpacked. */
function withBytes(whole: Whole, bytes: Whole["bytes"]): Whole {
  return { ...whole, bytes, weight: whole.weight - sizeOf(whole.bytes) + sizeOf(bytes) };
}

function sizeOf(bytes: Whole["bytes"]): number {
  return bytes instanceof Uint8Array ? bytes.length : bytes.reduce((sum, { length }) => sum + length, 0);
}

/** The bytes in a buffer of their own: a view of a larger one would retain all of it. */
function ownBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Memory of an entry beside its bytes. */
function memoryBeside(key: string, headers: NewBytes["headers"] = {}, parts: readonly CachedPart[]): number {
  const ofHeaders = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  );
  const texts = parts.reduce((sum, part) => sum + part.key.length, key.length + ofHeaders);
  return ENTRY_BYTES * (1 + parts.length) + 2 * texts;
}
