/**
 * A cache of bytes in bounded memory, such as answers about git objects. What it has no room for is packed,
 * if the host can do that, and JSON takes a fifth to a twentieth of its size then.
 */
import { OneByOne } from "../async/one_by_one.ts";
import { joinBytes } from "../bytes/join.ts";
import type { Compression } from "../ports/compression.ts";
import type { HashKey } from "./keyed_hash.ts";
import { LARGEST_SHARE, TinyLfuMap } from "./tiny_lfu_map.ts";

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

type Bytes = Uint8Array<ArrayBuffer>;

/** Where the bytes of an entry are. */
type State =
  /** Among the plain entries. */
  | { readonly kind: "plain"; readonly bytes: Bytes }
  /** No longer among the plain entries: its packed frames are being made. */
  | { readonly kind: "packing"; readonly bytes: Bytes }
  /** Among the packed entries, in frames of {@link FRAME_BYTES} each. */
  | { readonly kind: "packed"; readonly frames: readonly Bytes[] }
  /** Among the packed entries as it is, since packing makes it no smaller. */
  | { readonly kind: "unpackable"; readonly bytes: Bytes }
  /** Packed, and among the plain entries, too, since it was used again. */
  | { readonly kind: "both"; readonly bytes: Bytes; readonly frames: readonly Bytes[] };

/** Bytes in the cache. */
interface Entry {
  readonly key: string;
  readonly headers: NewBytes["headers"];
  readonly parts: readonly CachedPart[];
  readonly length: number;
  /** Memory in addition to the bytes. */
  readonly overhead: number;
  state: State;
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

/** Bytes up to which a packed entry that is used becomes a plain one again. Longer ones stay packed. */
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

/**
 * Caches bytes up to a bound, by how often and how lately they were asked for. A new entry is plain. When it
 * loses its place among the plain entries, it is packed; when it loses its place among the packed ones, too,
 * it is dropped.
 */
export class ByteCache {
  readonly #compression: Compression | undefined;
  readonly #entries = new Map<string, Entry>();
  /** Which entries stay plain. */
  readonly #plain: TinyLfuMap<Entry>;
  /** Which entries stay packed. */
  readonly #packed: TinyLfuMap<Entry>;
  readonly #packer = new OneByOne();
  #packingBytes = 0;
  readonly #mostPackingBytes: number;
  readonly #capacity: number;
  readonly #parts = new Map<string, Part>();
  readonly #largestWeight: number;

  /** @param capacity Bytes of memory, approximately, beside {@link PACKING_SHARE}; 0 caches nothing. */
  constructor(capacity: number, { compression, hashKey }: ByteCacheOptions = {}) {
    const isPacking = compression !== undefined;
    const worthOf = ({ length, parts }: Entry) => length + FIXED_WORTH * (1 + parts.length);
    this.#compression = compression;
    this.#mostPackingBytes = isPacking ? capacity * PACKING_SHARE : 0;
    this.#capacity = capacity;
    this.#largestWeight = capacity * LARGEST_SHARE;
    this.#plain = new TinyLfuMap(capacity, {
      weigh: plainWeight,
      worthOf,
      largest: this.#largestWeight,
      onDrop: (entry) => this.#leavePlain(entry),
      hashKey,
    });
    this.#packed = new TinyLfuMap(isPacking ? capacity * PACKED_SHARE : 0, {
      weigh: packedWeight,
      worthOf,
      onDrop: (entry) => this.#leavePacked(entry),
      hashKey,
    });
  }

  /** Whether bytes of this length are small enough to be cached. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  /** Approximate memory of all entries, in bytes. */
  get weight(): number {
    return this.#plain.weight + this.#packed.weight + this.#packingBytes;
  }

  /** The bytes of a key. The bytes of a part belong to the whole. */
  get(key: string): CachedBytes | undefined {
    const part = this.#parts.get(key);
    const whole = part?.whole ?? key;
    // Both count the use, whether they have the entry or not.
    this.#plain.get(whole);
    this.#packed.get(whole);
    const entry = this.#entries.get(whole);
    if (entry === undefined) return undefined;
    const { length, headers } = entry;
    const state = this.#unpackShort(entry);
    if (part === undefined) {
      return { length, ...headers && { headers }, pieces: this.#pieces(state, length, 0, length) };
    }
    const { start, end } = part;
    return { length: end - start, pieces: this.#pieces(state, length, start, end) };
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
    const overhead = overheadOf(key, headers, parts);
    if (length + overhead > this.#largestWeight) return;
    this.#delete(key);
    for (const { key } of parts) this.#delete(key);
    const state: State = { kind: "plain", bytes: ownBytes(bytes) };
    const entry: Entry = { key, headers, parts, length, overhead, state };
    this.#entries.set(key, entry);
    for (const part of parts) this.#parts.set(part.key, { whole: key, start: part.start, end: part.end });
    this.#plain.set(key, entry);
  }

  /** Adds an entry that is only packed to the plain ones if it is short. Returns its state for this use. */
  #unpackShort(entry: Entry): State {
    const { key, length, state } = entry;
    if (state.kind !== "packed" || length > UNPACKED_WHOLE_BYTES) return state;
    const bytes = joinPieces(this.#pieces(state, length, 0, length));
    const unpacked: State = { kind: "both", bytes, frames: state.frames };
    entry.state = unpacked;
    this.#plain.set(key, entry);
    return unpacked;
  }

  /** An entry has lost its place among the plain ones. */
  #leavePlain(entry: Entry): void {
    const { state } = entry;
    if (state.kind === "both") entry.state = { kind: "packed", frames: state.frames };
    else if (state.kind === "plain") void this.#pack(entry, state.bytes);
  }

  /** An entry has lost its place among the packed ones. */
  #leavePacked(entry: Entry): void {
    const { state } = entry;
    if (state.kind === "both") entry.state = { kind: "plain", bytes: state.bytes };
    else this.#forget(entry);
  }

  /** Packs a plain entry, or drops it if there is no room for that. */
  async #pack(entry: Entry, bytes: Bytes): Promise<void> {
    const weight = plainWeight(entry);
    const hasRoom = this.#packingBytes === 0 || this.#packingBytes + weight <= this.#mostPackingBytes;
    if (!hasRoom || !this.#packed.mayKeep(entry.key)) return this.#forget(entry);
    if (bytes.length < PACKED_FROM_BYTES) return this.#keep(entry, { kind: "unpackable", bytes });
    entry.state = { kind: "packing", bytes };
    this.#packingBytes += weight;
    const leave = await this.#packer.enter();
    const frames = await this.#framesOf(bytes).catch(() => undefined);
    leave();
    this.#packingBytes -= weight;
    // It may have been replaced meanwhile.
    if (this.#entries.get(entry.key) !== entry) return;
    const isSmaller = frames !== undefined && sizeOf(frames) < bytes.length;
    this.#keep(entry, isSmaller ? { kind: "packed", frames } : { kind: "unpackable", bytes });
  }

  /** Adds an entry to the packed ones. The plain ones may have what these leave of the memory. */
  #keep(entry: Entry, state: State): void {
    entry.state = state;
    this.#packed.set(entry.key, entry);
    this.#plain.resize(this.#capacity - this.#packed.weight);
  }

  async #framesOf(bytes: Bytes): Promise<readonly Bytes[]> {
    const frames: Bytes[] = [];
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      frames.push(ownBytes(await this.#compression!.pack(bytes.subarray(at, at + FRAME_BYTES))));
    }
    return frames;
  }

  /** The bytes from `start` to `end` of an entry of `length` bytes. */
  #pieces(state: State, length: number, start: number, end: number): CachedBytes["pieces"] {
    if (state.kind !== "packed") {
      const { bytes } = state;
      return [() => end - start === length ? bytes : bytes.subarray(start, end)];
    }
    const first = Math.floor(start / FRAME_BYTES);
    const last = Math.max(first + 1, Math.ceil(end / FRAME_BYTES));
    return state.frames.slice(first, last).map((packed, i) => () => {
      const at = (first + i) * FRAME_BYTES;
      const frame = this.#compression!.unpack(packed, Math.min(FRAME_BYTES, length - at));
      return frame.subarray(Math.max(start - at, 0), end - at);
    });
  }

  #delete(key: string): void {
    this.#parts.delete(key);
    this.#plain.delete(key);
    this.#packed.delete(key);
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#forget(entry);
  }

  #forget({ key: whole, parts }: Entry): void {
    this.#entries.delete(whole);
    for (const { key } of parts) {
      if (this.#parts.get(key)?.whole === whole) this.#parts.delete(key);
    }
  }
}

function plainWeight({ length, overhead }: Entry): number {
  return length + overhead;
}

function packedWeight({ state, length, overhead }: Entry): number {
  return overhead + (state.kind === "packed" ? sizeOf(state.frames) : length);
}

function sizeOf(frames: readonly Bytes[]): number {
  return frames.reduce((sum, { length }) => sum + length, 0);
}

/** The bytes in a buffer of their own: a view of a larger one would retain all of it. */
function ownBytes(bytes: Bytes): Bytes {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Memory of an entry in addition to its bytes. */
function overheadOf(key: string, headers: NewBytes["headers"] = {}, parts: readonly CachedPart[]): number {
  const ofHeaders = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    0,
  );
  const texts = parts.reduce((sum, part) => sum + part.key.length, key.length + ofHeaders);
  return ENTRY_BYTES * (1 + parts.length) + 2 * texts;
}
