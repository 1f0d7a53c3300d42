/** The entries of a pack: their headers and their data. */
import { releaseBytes } from "../../bytes/bytes.ts";
import { DamagedError } from "../../errors.ts";
import { OID_BYTES, oidFromBytes } from "../../ids/oid.ts";
import type { ObjectKind } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import {
  checkPackedSize,
  startBytes,
  type Unpack,
  UNPACKED_AT_ONCE_BYTES,
  unpackSlowly,
  unpackStart,
} from "../unpack.ts";
import type { PackSource } from "./pack_source.ts";

/** Maximum length of the type, size and base of an entry, in bytes. */
const ENTRY_HEADER_BYTES = 32;

const KINDS: readonly (ObjectKind | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
/** The header of an entry, and the position of its compressed data. */
export interface Entry {
  /** Kind of the object; `undefined` for a delta. */
  readonly kind: ObjectKind | undefined;
  /** Offset of the entry of the base; 0 unless the entry is a delta. */
  readonly base: number;
  /** Size of the decompressed data in bytes. The data of a delta are its instructions. */
  readonly size: number;
  /** Offset of the compressed data. */
  readonly dataAt: number;
  /** Offset of the end of the entry. */
  readonly end: number;
}

export type WholeEntry = Entry & { readonly kind: ObjectKind };

/** Reads the entries of a pack by their offsets. All methods also throw the errors of the source. */
export class PackEntries {
  readonly #source: PackSource;
  readonly #unpack: Unpack;

  constructor(source: PackSource, unpack: Unpack) {
    this.#source = source;
    this.#unpack = unpack;
  }

  /**
   * Reads the header of an entry: type and size, and for a delta its base.
   *
   * @param isFar Whether the bytes around the entry are probably not needed.
   */
  entry(start: number, isFar = false): Entry {
    const end = this.#source.entryEnd(start);
    const bytes = this.#source.read(start, Math.min(ENTRY_HEADER_BYTES, end - start), isFar);
    let at = 0;
    // The first byte has three bits of type and four bits of size. Each further byte has seven bits of size.
    // Reading beyond the end yields zero, which ends every number.
    let byte = bytes[at++]!;
    const type = (byte >> 4) & 7;
    let size = byte & 0x0f;
    for (let scale = 16; byte >= 0x80; scale *= 128) {
      byte = bytes[at++]!;
      size += (byte & 0x7f) * scale;
    }
    let base = 0;
    if (type === OFFSET_DELTA) {
      // Seven bits per byte, the highest bits first. For each further byte one is added, so that every number
      // has only one encoding.
      byte = bytes[at++]!;
      let distance = byte & 0x7f;
      while (byte >= 0x80) {
        byte = bytes[at++]!;
        distance = (distance + 1) * 128 + (byte & 0x7f);
      }
      base = start - distance;
    } else if (type === REFERENCE_DELTA) at += OID_BYTES;
    if (at > bytes.length) damaged(`The pack entry at ${start} is cut off`);
    if (!Number.isSafeInteger(size)) damaged(`The pack entry at ${start} claims ${size} bytes`);
    if (type === REFERENCE_DELTA) {
      const oid = oidFromBytes(bytes, at - OID_BYTES);
      base = this.#source.find(oid) ??
        damaged(`The base ${oid} of the pack entry at ${start} is not in the pack`);
    } else if (type !== OFFSET_DELTA && KINDS[type] === undefined) {
      damaged(`The pack entry at ${start} has the unknown type ${type}`);
    }
    return { kind: KINDS[type], base, size, dataAt: start + at, end };
  }

  unpack(entry: Entry): Uint8Array {
    checkPackedSize(entry.end - entry.dataAt, entry.size);
    const packed = this.#source.read(entry.dataAt, entry.end - entry.dataAt);
    const bytes = this.#unpack(packed, entry.size);
    releaseBytes(packed);
    return bytes;
  }

  /**
   * Decompresses the first bytes of the data of an entry into `room`, and returns these bytes. See
   * {@link unpackStart}.
   */
  start({ dataAt, end }: Entry, room: Uint8Array): Uint8Array {
    return unpackStart(this.#source.read(dataAt, Math.min(startBytes(room.length), end - dataAt)), room);
  }

  async unpackSlowly(entry: Entry, task: Task): Promise<Uint8Array> {
    checkPackedSize(entry.end - entry.dataAt, entry.size);
    await this.#source.load?.(entry.dataAt, entry.end);
    if (entry.size <= UNPACKED_AT_ONCE_BYTES) return this.unpack(entry);
    const packed = this.#source.read(entry.dataAt, entry.end - entry.dataAt, true);
    const bytes = await unpackSlowly(packed, entry.size, task);
    releaseBytes(packed);
    return bytes;
  }
}

function damaged(message: string): never {
  throw new DamagedError(message);
}
