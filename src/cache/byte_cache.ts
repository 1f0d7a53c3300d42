/**
 * A cache of bytes in bounded memory, such as answers about git objects. What it has no room for is packed,
 * if the host can do that, and JSON takes a fifth to a twentieth of its size then.
 */
import { Limiter } from "../scheduling/limiter.ts";
import { Task } from "../scheduling/task.ts";
import { joinBytes } from "../bytes/bytes.ts";
import type { Compression } from "../ports/compression.ts";
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
/** Pieces of {@link FRAME_BYTES} each, the last one shorter, each packed by itself. */
type Frames = readonly Bytes[];

/** In which form the bytes of an entry are there, and in which maps. */
type State =
  /** In `#plain`. */
  | { readonly is: "plain"; readonly bytes: Bytes }
  /** Out of `#plain`, and in `#packed` when they are packed. */
  | { readonly is: "packing"; readonly bytes: Bytes }
  /** In `#packed`. */
  | { readonly is: "packed"; readonly frames: Frames }
  /** In `#packed`, but as they are: packing makes them no smaller, or is not worth while. */
  | { readonly is: "kept"; readonly bytes: Bytes }
  /** In both maps: packed, and plain again since they are used. */
  | { readonly is: "both"; readonly frames: Frames; readonly bytes: Bytes };

/** Bytes in the cache, with their parts. */
interface Whole {
  readonly key: string;
  readonly headers: NewBytes["headers"];
  readonly parts: readonly CachedPart[];
  readonly length: number;
  /** Memory beside the bytes. */
  readonly besideBytes: number;
  state: State;
}

/** Where the bytes of a key are. */
interface Place {
  readonly whole: Whole;
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

/** Caches bytes up to a bound, by how often and how lately they were asked for. */
export class ByteCache {
  readonly #compression: Compression | undefined;
  /** The bytes of all keys: of entries, and of their parts. */
  readonly #places = new Map<string, Place>();
  /** Entries that are not packed. */
  readonly #plain: TinyLfuMap<Whole>;
  /** Entries that have left the plain ones, most of them packed. */
  readonly #packed: TinyLfuMap<Whole>;
  readonly #packer = new Limiter({ atOnce: 1 });
  /** Memory of entries that are being packed. */
  #packingBytes = 0;
  /** Length of a packed entry that is being unpacked, or 0. */
  #unpackingBytes = 0;
  readonly #mostPackingBytes: number;
  readonly #capacity: number;
  readonly #largestWeight: number;
  /** Calls of {@link get} that found bytes, and those that found none. */
  hits = 0;
  misses = 0;

  /**
   * @param capacity Bytes of memory, approximately, beside {@link PACKING_SHARE}; 0 caches nothing.
   * @param compression Packs entries; without it, all stay as they are.
   */
  constructor(capacity: number, compression?: Compression) {
    const isPacking = compression !== undefined;
    const largest = capacity * LARGEST_SHARE;
    const worthOf = ({ length, parts }: Whole) => length + FIXED_WORTH * (1 + parts.length);
    this.#compression = compression;
    this.#mostPackingBytes = isPacking ? capacity * PACKING_SHARE : 0;
    this.#capacity = capacity;
    this.#plain = new TinyLfuMap(capacity, {
      worthOf,
      weigh: plainWeight,
      largest,
      onDrop: (whole) => void this.#leavePlain(whole),
    });
    this.#packed = new TinyLfuMap(isPacking ? capacity * PACKED_SHARE : 0, {
      worthOf,
      uses: this.#plain.uses,
      weigh: packedWeight,
      onDrop: (whole) => this.#leavePacked(whole),
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
    return this.#plain.weight + this.#packed.weight + this.#packingBytes + this.#unpackingBytes;
  }

  /** The bytes of a key. The bytes of a part belong to the whole, and their use is one of the whole. */
  get(key: string): CachedBytes | undefined {
    const place = this.#places.get(key);
    const used = place?.whole.key ?? key;
    // It is a use in both, whichever has it.
    for (const map of [this.#plain, this.#packed]) map.get(used);
    if (place === undefined) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    const { whole, start, end } = place;
    if (whole.state.is === "packed") void this.#unpack(whole, whole.state.frames);
    const headers = used === key ? whole.headers : undefined;
    return { length: end - start, ...headers && { headers }, pieces: this.#pieces(whole, start, end) };
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
    const besideBytes = memoryBeside(key, headers, parts);
    if (length + besideBytes > this.#largestWeight) return;
    const state = { is: "plain", bytes: ownBytes(bytes) } as const;
    const whole: Whole = { key, headers, parts, length, besideBytes, state };
    for (const place of [...parts, { key, start: 0, end: length }]) {
      this.#delete(place.key);
      this.#places.set(place.key, { whole, start: place.start, end: place.end });
    }
    this.#plain.set(key, whole);
  }

  /**
   * Unpacks an entry that is used: a short one at once, a long one in steps, and only if it will stay plain.
   */
  async #unpack(whole: Whole, frames: Frames): Promise<void> {
    const { key, length } = whole;
    const pieces = this.#pieces(whole, 0, length);
    const toPlain = (bytes: Bytes) => {
      whole.state = { is: "both", frames, bytes };
      this.#plain.set(key, whole);
    };
    if (length <= UNPACKED_WHOLE_BYTES) return toPlain(joinPieces(pieces));
    if (this.#unpackingBytes > 0) return;
    if (!this.#plain.wouldAdmit(key, whole)) return this.#plain.refuse(key, whole);
    this.#unpackingBytes = length;
    const bytes = await joinInSteps(pieces).catch(() => undefined);
    this.#unpackingBytes = 0;
    if (bytes !== undefined && this.#has(whole)) toPlain(bytes);
  }

  /** The bytes from `start` to `end` of an entry. */
  #pieces({ state, length }: Whole, start: number, end: number): CachedBytes["pieces"] {
    if ("bytes" in state) {
      const { bytes } = state;
      return [() => end - start === length ? bytes : bytes.subarray(start, end)];
    }
    const first = Math.floor(start / FRAME_BYTES);
    const frames = state.frames.slice(first, Math.max(first + 1, Math.ceil(end / FRAME_BYTES)));
    return frames.map((packed, i) => () => {
      const at = (first + i) * FRAME_BYTES;
      const frame = this.#compression!.unpack(packed, Math.min(FRAME_BYTES, length - at));
      return frame.subarray(Math.max(start - at, 0), end - at);
    });
  }

  /** An entry has left `#plain`: packs it, unless that is done already or would be of no use. */
  async #leavePlain(whole: Whole): Promise<void> {
    const { key, length, state } = whole;
    if (state.is === "both") return void (whole.state = { is: "packed", frames: state.frames });
    const weight = plainWeight(whole);
    const hasRoom = this.#packingBytes === 0 || this.#packingBytes + weight <= this.#mostPackingBytes;
    if (state.is !== "plain" || !hasRoom || !this.#packed.mayKeep(key)) return this.#forget(whole);
    const { bytes } = state;
    if (length < PACKED_FROM_BYTES) return this.#keep(whole, { is: "kept", bytes });
    whole.state = { is: "packing", bytes };
    this.#packingBytes += weight;
    const frames = await this.#packer.run(() => this.#framesOf(bytes)).catch(() => undefined);
    this.#packingBytes -= weight;
    if (!this.#has(whole)) return;
    const isSmaller = frames !== undefined && sizeOf(frames) < length;
    this.#keep(whole, isSmaller ? { is: "packed", frames } : { is: "kept", bytes });
  }

  /** An entry has left `#packed`. */
  #leavePacked(whole: Whole): void {
    const { state } = whole;
    if (state.is === "both") whole.state = { is: "plain", bytes: state.bytes };
    else this.#forget(whole);
  }

  /** Adds an entry to `#packed`. The capacity of `#plain` is what the packed entries leave of the memory. */
  #keep(whole: Whole, state: State): void {
    whole.state = state;
    this.#packed.set(whole.key, whole);
    this.#plain.resize(this.#capacity - this.#packed.weight);
  }

  async #framesOf(bytes: Bytes): Promise<Frames> {
    const frames: Bytes[] = [];
    for (let at = 0; at < bytes.length; at += FRAME_BYTES) {
      frames.push(ownBytes(await this.#compression!.pack(bytes.subarray(at, at + FRAME_BYTES))));
    }
    return frames;
  }

  /** Whether an entry is there: it may have been replaced, or dropped, during a wait. */
  #has(whole: Whole): boolean {
    return this.#places.get(whole.key)?.whole === whole;
  }

  #delete(key: string): void {
    const whole = this.#places.get(key)?.whole;
    this.#places.delete(key);
    if (whole?.key !== key) return;
    this.#plain.delete(key);
    this.#packed.delete(key);
    this.#forget(whole);
  }

  /** Forgets an entry that is in neither map, and its parts. */
  #forget(whole: Whole): void {
    for (const { key } of [whole, ...whole.parts]) {
      if (this.#places.get(key)?.whole === whole) this.#places.delete(key);
    }
  }
}

async function joinInSteps(pieces: CachedBytes["pieces"]): Promise<Bytes> {
  const task = new Task("background");
  const frames: Bytes[] = [];
  for (const piece of pieces) {
    await task.yield();
    frames.push(piece());
  }
  return joinBytes(frames);
}

function plainWeight({ besideBytes, length }: Whole): number {
  return besideBytes + length;
}

function packedWeight(whole: Whole): number {
  return "frames" in whole.state ? whole.besideBytes + sizeOf(whole.state.frames) : plainWeight(whole);
}

function sizeOf(frames: Frames): number {
  return frames.reduce((sum, { length }) => sum + length, 0);
}

/** The bytes in a buffer of their own: a view of a larger one would retain all of it. */
function ownBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Memory of an entry beside its bytes. */
function memoryBeside(key: string, headers: NewBytes["headers"], parts: readonly CachedPart[]): number {
  let texts = key.length;
  for (const name in headers) texts += name.length + headers[name]!.length;
  for (const part of parts) texts += part.key.length;
  return ENTRY_BYTES * (1 + parts.length) + 2 * texts;
}
