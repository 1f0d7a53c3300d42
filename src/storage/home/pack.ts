/** A pack, version 2 (git's pack-format): many objects in one file, some stored as deltas of others. */
import { DamagedError, TooLargeError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { GitObject, ObjectHeader, ObjectKind, ReadLimits } from "../../ports/storage.ts";
import { checkObjectSize, MAX_LINK_FACTOR, OBJECT_LIMITS } from "../../git/object_limits.ts";
import type { Turns } from "../../time/turns.ts";
import { applyDelta, DELTA_START_BYTES, DeltaWork, readDeltaSizes } from "./delta.ts";
import { CutOffError, type Entry, PackFile, type WholeEntry } from "./pack_file.ts";
import type { CacheKey, Surroundings } from "./surroundings.ts";
import { READ_AT_ONCE_BYTES, SlowObject } from "./slow_object.ts";
import { START_BYTES, unpackStart } from "./unpack.ts";

/** Longest chain of deltas that is followed, as in git. A cycle is longer than any. */
export const MAX_DELTA_CHAIN = 4096;

/**
 * How many bytes may be made on the way to one object, all links of its chain of deltas together: so many times its own, which are taken for
 * {@link MIN_WORK_SIZE} at least. git's own chains have 50 links, of about equal sizes; one of a few bytes could make a gigabyte in each link.
 */
export const MAX_WORK_FACTOR = 64;
export const MIN_WORK_SIZE = 2 ** 20;

/** What a link counts beside the bytes that are unpacked and made. */
export const LINK_WORK = 4096;

/** Links after which a chain is long: what is far away is read in smaller pieces then, and the kind at its end is cached on the way. */
const LONG_CHAIN = 64;

/** What an object counts that costs little else, in bytes. */
const OBJECT_WORK = 1024;

/** Damage that took longer to find than this, in bytes unpacked and made, is cached. */
const COSTLY_BYTES = 2 ** 16;

/** Larger objects are not cached for their deltas: they would push out all others. */
const MAX_CACHED_BASE_BYTES = 8 * 2 ** 20;

/** Large objects on the way to another one have so much memory to spare, so that it serves slightly larger ones, too. */
const SPARE_BYTES = 2 ** 20;

/** A delta is followed for so many bytes between two looks at the clock. */
const DELTA_STEP_BYTES = 2 ** 20;

const TOO_MUCH_WORK = new TooLargeError("Object takes too much work to be read");
const FOUND_DAMAGED = new DamagedError("An object was found damaged before");

/** How an object is made. */
interface Chain {
  /** The last first. */
  readonly deltas: Entry[];
  /** The object they start from: a cached one, or its place. */
  readonly base: GitObject | WholeEntry;
  /** Bytes that are to be unpacked, and {@link LINK_WORK} for each delta. */
  readonly work: number;
}

/** One pack. Its index stays in memory; its file is opened again when needed, should the handle have been given up. */
export class Pack {
  readonly #file: PackFile;
  readonly #surroundings: Surroundings;

  /**
   * Opens the pack of two files, `path` with `.idx` and `.pack` after it.
   *
   * @throws {PackGone} when one of the files is not there.
   * @throws {DamagedError} when the index is broken or belongs to another pack.
   */
  constructor(path: string, surroundings: Surroundings) {
    this.#file = new PackFile(path, surroundings);
    this.#surroundings = surroundings;
  }

  /** Path of the file. */
  get path(): string {
    return this.#file.path;
  }

  /**
   * Where an object begins in this pack; `undefined` when it is not in it.
   *
   * @throws {DamagedError}
   */
  find(oid: Oid): number | undefined {
    return this.#file.find(oid);
  }

  /**
   * Kind and size of the object that begins at `offset`. Only the starts of its entry and of its bases' are looked at.
   *
   * @throws {PackGone}
   * @throws {DamagedError}
   */
  header(offset: number): ObjectHeader {
    const first = this.#file.entry(offset);
    if (first.kind !== undefined) return { kind: first.kind, size: first.size };
    const packed = this.#file.bytes(first.dataAt, Math.min(START_BYTES, first.end - first.dataAt));
    return { kind: this.#kindOf(first), size: readDeltaSizes(unpackStart(packed, DELTA_START_BYTES)).size };
  }

  /**
   * The object that begins at `offset`; one that takes long is read in time slices.
   *
   * @throws {PackGone}
   * @throws {TooLargeError} when it, or one that it is a delta of, is too large: before that one is unpacked or made.
   * @throws {DamagedError}
   */
  object(offset: number, limits?: ReadLimits): GitObject | SlowObject {
    const { bases, budget, refused } = this.#surroundings;
    budget.spend(OBJECT_WORK);
    refused.check(this.#file.key(offset));
    const chain = this.#chain(offset, limits);
    if ("bytes" in chain.base && chain.deltas.length === 0) {
      // It costs nothing here, but whoever asked will look at it.
      budget.spend(chain.base.bytes.length / 2);
      return chain.base;
    }
    let { work } = chain;
    try {
      if (work > READ_AT_ONCE_BYTES) return this.#slow(offset, limits);
      let object = "bytes" in chain.base
        ? chain.base
        : { kind: chain.base.kind, bytes: this.#file.unpack(chain.base) };
      for (let delta = chain.deltas.pop(); delta !== undefined; delta = chain.deltas.pop()) {
        const data = this.#file.unpack(delta);
        const { size } = readDeltaSizes(data);
        if (chain.deltas.length === 0) checkObjectSize({ kind: object.kind, size }, limits);
        else checkLink(object.kind, size);
        work += size;
        if (work > READ_AT_ONCE_BYTES) return this.#slow(offset, limits);
        if (object.bytes.length <= MAX_CACHED_BASE_BYTES) bases.set(this.#file.key(delta.base), object);
        object = { kind: object.kind, bytes: applyDelta(object.bytes, data) };
        // The next older version of a folder is a delta of this one as a rule, and is often asked for next.
        if (chain.deltas.length === 0 && object.kind === "tree") this.#cache(offset, object);
      }
      return object;
    } catch (error) {
      if (limits?.limitBytes === undefined) this.#cacheDamage(offset, work, error);
      throw error;
    } finally {
      budget.spend(work);
    }
  }

  #slow(offset: number, limits: ReadLimits | undefined): SlowObject {
    checkObjectSize(this.header(offset), limits);
    return new SlowObject(`${this.path} ${offset}`, (turns) => this.#readSlowly(offset, turns));
  }

  async #readSlowly(offset: number, turns: Turns): Promise<GitObject> {
    this.#surroundings.refused.check(this.#file.key(offset));
    const allowed = MAX_WORK_FACTOR * Math.max(this.header(offset).size, MIN_WORK_SIZE);
    const chain = this.#chain(offset);
    let { work } = chain;
    /** A large object that the chain has passed: its memory serves the one after the next. */
    let passed: ArrayBufferLike | undefined;
    const allocate = (size: number) => {
      if (size <= MAX_CACHED_BASE_BYTES) return new Uint8Array(size);
      if (passed !== undefined && passed.byteLength >= size) {
        return new Uint8Array(passed, 0, size);
      }
      return new Uint8Array(new ArrayBuffer(size + SPARE_BYTES), 0, size);
    };
    try {
      let object = "bytes" in chain.base
        ? chain.base
        : { kind: chain.base.kind, bytes: await this.#file.unpackSlowly(chain.base, turns) };
      for (let delta = chain.deltas.pop(); delta !== undefined; delta = chain.deltas.pop()) {
        await turns.next();
        const data = await this.#file.unpackSlowly(delta, turns);
        const { size } = readDeltaSizes(data);
        checkLink(object.kind, size);
        work += size;
        if (work > allowed) throw TOO_MUCH_WORK;
        const isCached = this.#cache(delta.base, object) || object === chain.base;
        const bytes = await applyDeltaSlowly(
          new DeltaWork(object.bytes, data, chain.deltas.length === 0 ? undefined : allocate),
          turns,
        );
        passed = isCached ? undefined : object.bytes.buffer;
        object = { kind: object.kind, bytes };
      }
      // Whoever wants it next shall not wait again.
      this.#surroundings.bases.set(this.#file.key(offset), object);
      return object;
    } catch (error) {
      this.#cacheDamage(offset, work, error);
      throw error;
    }
  }

  /** The deltas that lead to an object, itself first, and what the last of them is a delta of; `work` counts all that is to be unpacked. */
  #chain(offset: number, limits?: ReadLimits): Chain {
    const { bases } = this.#surroundings;
    const deltas: Entry[] = [];
    let work = 0;
    let longest = 0;
    for (let at = offset;;) {
      const cached = bases.get(this.#file.key(at));
      const entry = cached === undefined ? this.#file.entry(at, deltas.length > LONG_CHAIN) : undefined;
      if (entry !== undefined && entry.kind === undefined) {
        deltas.push(entry);
        checkChain(deltas.length);
        work += entry.size + LINK_WORK;
        if (entry.size > longest) longest = entry.size;
        at = entry.base;
        continue;
      }
      const base = cached ?? entry as WholeEntry;
      const size = cached === undefined ? entry!.size : cached.bytes.length;
      if (deltas.length === 0) checkObjectSize({ kind: base.kind, size }, limits);
      else checkLink(base.kind, Math.max(size, longest));
      return { deltas, base, work: cached === undefined ? work + size : work };
    }
  }

  /** Caches an object for those that are deltas of it, unless it is large; returns whether it does. */
  #cache(offset: number, object: GitObject): boolean {
    const isCached = object.bytes.length <= MAX_CACHED_BASE_BYTES;
    if (isCached) this.#surroundings.bases.set(this.#file.key(offset), object);
    return isCached;
  }

  /** Caches why an object cannot be read, if to find that out took long. */
  #cacheDamage(offset: number, work: number, error: unknown): void {
    if (work <= COSTLY_BYTES || !(error instanceof DamagedError) || error instanceof CutOffError) return;
    const reason = error instanceof TooLargeError ? TOO_MUCH_WORK : FOUND_DAMAGED;
    this.#surroundings.refused.add(this.#file.key(offset), reason);
  }

  /** The kind of the object that a chain of deltas begins with. */
  #kindOf(first: Entry): ObjectKind {
    const { kinds, maxKinds } = this.#surroundings;
    const passed: CacheKey[] = [];
    let entry = first;
    let { kind } = entry;
    for (let length = 1; kind === undefined; length++) {
      checkChain(length);
      if (length > LONG_CHAIN) {
        const key = this.#file.key(entry.base);
        kind = kinds.get(key);
        if (kind !== undefined) break;
        if (length % LONG_CHAIN === 0) passed.push(key);
      }
      entry = this.#file.entry(entry.base, length > LONG_CHAIN);
      kind = entry.kind;
    }
    if (kinds.size + passed.length > maxKinds) kinds.clear();
    for (const key of passed) kinds.set(key, kind);
    return kind;
  }

  /** Memory that the index takes, and the last window that was read, in bytes, about. */
  get memoryBytes(): number {
    return this.#file.memoryBytes;
  }

  /** Gives up the handle. */
  close(): void {
    this.#file.close();
  }
}

function checkChain(length: number): void {
  if (length > MAX_DELTA_CHAIN) damaged("A chain of deltas is too long, or has no end");
}

/** Refuses an object on the way to another one, and a delta: these take memory, too. */
function checkLink(kind: ObjectKind, size: number): void {
  if (size > MAX_LINK_FACTOR * OBJECT_LIMITS[kind]) {
    throw new TooLargeError(`Object is a delta of one of ${size} bytes, which is too large`);
  }
}

async function applyDeltaSlowly(work: DeltaWork, turns: Turns): Promise<Uint8Array> {
  for (;;) {
    const made = work.step(DELTA_STEP_BYTES);
    if (made !== undefined) return made;
    await turns.next();
  }
}

function damaged(message: string): never {
  throw new DamagedError(message);
}
