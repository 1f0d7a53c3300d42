/** Interface of the reader of packs to a pack: its bytes, the offsets of its objects, and caches. */
import type { LruMap } from "../../cache/lru_map.ts";
import { DamagedError, type TooLargeError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { GitObject, ObjectKind } from "../../ports/storage.ts";
import type { Scheduler } from "../../scheduling/scheduler.ts";
import type { Unpack } from "../unpack.ts";

/** Key of an offset in a pack, for caches. */
export type CacheKey = number | string;

/** A range of bytes, from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An object and its offset in a pack. */
export interface PlacedObject {
  /** The object id, 20 bytes. */
  readonly oid: Uint8Array;
  readonly offset: number;
}

/**
 * The bytes of a pack, and the offsets of its objects. All methods may throw errors, which the reader of the
 * pack passes on.
 */
export interface PackSource {
  /** Identifies the pack, such as its path. */
  readonly name: string;
  /**
   * Returns bytes of the pack, which never change. An array of at least `RELEASED_BYTES` belongs to the
   * caller, who may release it.
   *
   * @param isFar Whether the bytes around are probably not needed.
   */
  read(start: number, length: number, isFar?: boolean): Uint8Array;
  /**
   * Waits until a range can be read. A source that can always be read lacks this method. Only called for
   * objects that are read in steps.
   */
  load?(start: number, end: number): Promise<void>;
  /** Returns the offset of an object; `undefined` when the pack does not have the object. */
  find(oid: Oid): number | undefined;
  /**
   * Returns the end of the entry at an offset.
   *
   * @throws {DamagedError} when no entry starts at the offset.
   */
  entryEnd(offset: number): number;
  /** Returns the key of an offset. Two packs never have the same key. */
  key(offset: number): CacheKey;
}

/** Resources that all packs of a storage share. */
export interface PackContext {
  /**
   * Objects that are bases of deltas. A `SharedObject` is lent to its readers; other objects are not
   * released.
   */
  readonly bases: LruMap<CacheKey, GitObject>;
  /** Kind of the objects in long delta chains, by the offsets of some links of the chain. */
  readonly kinds: LruMap<CacheKey, ObjectKind>;
  /** The reason why an object in a pack cannot be read, if much work was needed to find the reason. */
  readonly damaged: LruMap<CacheKey, DamagedError | TooLargeError>;
  /** Counts the bytes that are read in one turn of the event loop. */
  readonly scheduler: Scheduler;
  readonly unpack: Unpack;
}

/** Thrown when a pack is shorter than before. It may be complete again soon. */
export class CutOffError extends DamagedError {}
