/**
 * A pack of version 2 or 3 (pack-format of git), which has many objects in one file. Some objects are stored
 * as deltas: instructions that build the object from another object, its base.
 */
import { releaseBytes } from "../../bytes/bytes.ts";
import { DamagedError, ifReadable, isUnreadable, TooLargeError } from "../../errors.ts";
import type { GitObject, ObjectHeader, ObjectKind, ReadLimits, StoredCommit } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import { checkObjectSize, MAX_LINK_FACTOR, OBJECT_LIMITS, READ_AT_ONCE_BYTES } from "../objects.ts";
import { checkPackedSize } from "../unpack.ts";
import { applyDelta, applyDeltaInSteps, DELTA_START_BYTES, readDeltaSizes } from "./delta.ts";
import { type Entry, PackEntries, type WholeEntry } from "./pack_entries.ts";
import {
  type ByteRange,
  type CacheKey,
  CutOffError,
  type PackContext,
  type PackSource,
  type PlacedObject,
} from "./pack_source.ts";
import { ownedObject, SharedObject, SlowObject } from "./slow_object.ts";

/** Maximum number of deltas in a chain, as in git. A cycle of deltas exceeds it. */
export const MAX_DELTA_CHAIN = 4096;

/**
 * Maximum work to read one object, as a multiple of its size. A size below {@link MIN_WORK_SIZE} counts as
 * this size. Work is the number of bytes that all links of its delta chain decompress and produce. The chains
 * that git makes have 50 links of about equal sizes; a malicious link of a few bytes could produce a
 * gigabyte.
 */
export const MAX_WORK_FACTOR = 64;
/** Minimum size that is used for the limit of the work, in bytes. Smaller objects count as this size. */
export const MIN_WORK_SIZE = 2 ** 20;

/** Work of a link in addition to the bytes that it decompresses and produces. */
export const LINK_WORK = 4096;

/**
 * A delta chain with more than this number of links is treated as long. The further entries of a long chain
 * are read without the bytes around them. While the kind of an object is searched in a long chain, the kind
 * is cached each time after this number of links.
 */
const LONG_CHAIN = 64;

/** Minimum cost of reading an object, in bytes. */
const OBJECT_WORK = 1024;

/**
 * The damage of an object is cached if more than this number of bytes was decompressed and produced to find
 * it.
 */
const COSTLY_BYTES = 2 ** 16;

/**
 * Maximum size of an object that is cached as the base of deltas, in bytes. Larger objects would evict all
 * others.
 */
const MAX_CACHED_BASE_BYTES = 8 * 2 ** 20;

/**
 * Number of bytes that are read of each commit in the order of a pack. They suffice for nearly all headers.
 */
const COMMIT_START_BYTES = 320;
/** Number of consecutive other objects after which the commits of a pack are considered to have ended. */
const MAX_OTHERS = 1024;

const TOO_MUCH_WORK = new TooLargeError("Object takes too much work to be read");
const FOUND_DAMAGED = new DamagedError("An object was found damaged before");

/** The chain of deltas of an object. */
interface Chain {
  /** The deltas in the reverse order of their application. The first is the entry of the object itself. */
  readonly deltas: Entry[];
  /**
   * The base of the last of these deltas; without deltas, the object itself. It is either an object from the
   * cache, which is lent to this chain, or an entry that must still be read.
   */
  readonly base: GitObject | WholeEntry;
  /** Number of bytes to decompress, plus {@link LINK_WORK} for each delta. */
  readonly work: number;
}

/** One pack, from which objects are read. All methods also throw the errors of the source. */
export class Pack<S extends PackSource = PackSource> {
  readonly source: S;
  readonly #context: PackContext;
  readonly #entries: PackEntries;

  constructor(source: S, context: PackContext) {
    this.source = source;
    this.#context = context;
    this.#entries = new PackEntries(source, context.unpack);
  }

  /**
   * Yields the commits among objects. Skips commits that are deltas, and commits that are known to be
   * damaged.
   *
   * @param objects The objects of the pack in ascending order of their offsets. Git writes commits before all
   *   other objects, so the rest is not read.
   */
  *commits(objects: Iterable<PlacedObject>): Generator<StoredCommit> {
    const entries = this.#entries;
    const room = new Uint8Array(COMMIT_START_BYTES);
    let others = 0;
    for (const { oid, offset } of objects) {
      const entry = ifReadable(() => entries.entry(offset));
      const start = entry?.kind === "commit" ? ifReadable(() => entries.start(entry, room)) : undefined;
      if (start !== undefined && start.length === Math.min(entry!.size, COMMIT_START_BYTES)) {
        yield { oid, start };
        others = 0;
      } else if (++others === MAX_OTHERS) return;
    }
  }

  /**
   * Returns kind and size of the object at `offset`. Reads only the starts of its entry and of the entries of
   * its bases.
   *
   * @throws {DamagedError}
   */
  header(offset: number): ObjectHeader {
    const first = this.#entries.entry(offset);
    if (first.kind !== undefined) return { kind: first.kind, size: first.size };
    const { size } = readDeltaSizes(this.#entries.start(first, new Uint8Array(DELTA_START_BYTES)));
    return { kind: this.#kindOf(first), size };
  }

  /**
   * Returns the object at `offset`; a {@link SlowObject}, which must be read in steps, if it takes much work.
   *
   * @throws {TooLargeError} when the object, one of its bases or one of its deltas is too large. Thrown
   *   before memory is allocated for it.
   * @throws {DamagedError}
   */
  object(offset: number, limits?: ReadLimits): GitObject | SlowObject {
    const { scheduler } = this.#context;
    scheduler.countRead(OBJECT_WORK);
    this.#checkKnownDamage(offset);
    const chain = this.#chain(offset, limits);
    if ("bytes" in chain.base && chain.deltas.length === 0) {
      // The object is already in memory, but the caller will process its bytes.
      scheduler.countRead(chain.base.bytes.length / 2);
      return chain.base;
    }
    const lentBase = "bytes" in chain.base ? chain.base : undefined;
    let { work } = chain;
    try {
      if (work > READ_AT_ONCE_BYTES) return this.slow(offset, limits);
      let object = "bytes" in chain.base
        ? chain.base
        : { kind: chain.base.kind, bytes: this.#entries.unpack(chain.base) };
      let isOwned = !("bytes" in chain.base);
      for (let delta = chain.deltas.pop(); delta !== undefined; delta = chain.deltas.pop()) {
        const data = this.#entries.unpack(delta);
        const { size } = readDeltaSizes(data);
        if (chain.deltas.length === 0) checkObjectSize({ kind: object.kind, size }, limits);
        else checkLink(object.kind, size);
        work += size;
        if (work > READ_AT_ONCE_BYTES) return this.slow(offset, limits);
        // If the base is lent, it is already in the cache.
        if (object !== lentBase) this.#cache(delta.base, object);
        object = { kind: object.kind, bytes: applyDelta(object.bytes, data) };
        releaseBytes(data);
        // The next older version of a folder is often read next, and is usually a delta of this version.
        if (chain.deltas.length > 0 || object.kind !== "tree") isOwned = true;
        else isOwned = !this.#cache(offset, object);
      }
      return isOwned ? ownedObject(object) : object;
    } catch (error) {
      if (limits?.limitBytes === undefined) this.#cacheDamage(offset, work, error);
      throw error;
    } finally {
      lentBase?.release?.();
      scheduler.countRead(work);
    }
  }

  /**
   * Returns the ranges of the bytes that {@link object} reads at an offset. Checks the same limits.
   *
   * @throws {TooLargeError}
   * @throws {DamagedError}
   */
  ranges(offset: number, limits?: ReadLimits): readonly ByteRange[] {
    this.#checkKnownDamage(offset);
    const { deltas, base } = this.#chain(offset, limits);
    const entries: readonly Entry[] = "bytes" in base ? deltas : [...deltas, base];
    if ("bytes" in base) base.release?.();
    return entries.map(({ size, dataAt, end }) => {
      checkPackedSize(end - dataAt, size);
      return { start: dataAt, end };
    });
  }

  /** Returns the object at an offset as a {@link SlowObject}, even if it takes little work. */
  slow(offset: number, limits?: ReadLimits): SlowObject {
    const header = this.header(offset);
    checkObjectSize(header, limits);
    const allowed = MAX_WORK_FACTOR * Math.max(header.size, MIN_WORK_SIZE);
    return new SlowObject(
      `${this.source.name} ${offset}`,
      (task) => this.#readSlowly(offset, allowed, task),
    );
  }

  /** @param allowed Maximum work. */
  async #readSlowly(offset: number, allowed: number, task: Task): Promise<GitObject> {
    this.#checkKnownDamage(offset);
    const chain = this.#chain(offset);
    let lentBase = "bytes" in chain.base ? chain.base : undefined;
    let { work } = chain;
    /** Bytes of the current object, as long as no other code uses them. */
    let own: Uint8Array | undefined;
    try {
      const whole = "bytes" in chain.base
        ? undefined
        : { kind: chain.base.kind, bytes: await this.#entries.unpackSlowly(chain.base, task) };
      own = whole?.bytes;
      let object: GitObject = whole ?? lentBase!;
      for (let delta = chain.deltas.pop(); delta !== undefined; delta = chain.deltas.pop()) {
        await task.yield();
        const data = await this.#entries.unpackSlowly(delta, task);
        const { size } = readDeltaSizes(data);
        checkLink(object.kind, size);
        work += size;
        if (work > allowed) throw TOO_MUCH_WORK;
        if (object !== lentBase && this.#cache(delta.base, object)) own = undefined;
        const bytes = await task.run(applyDeltaInSteps(object.bytes, data));
        releaseBytes(data);
        releaseBytes(own);
        own = bytes;
        object = { kind: object.kind, bytes };
      }
      own = undefined;
      if (object === lentBase) {
        // Another reader has read the object during the wait. The caller releases it.
        lentBase = undefined;
        return object;
      }
      // A commit is parsed right after it is read, and is seldom read again.
      if (object === whole && object.kind === "commit") return ownedObject(object);
      // The object is cached, so that the next reader need not read it again.
      const shared = new SharedObject(object);
      const lentObject = shared.lend();
      this.#context.bases.set(this.source.key(offset), shared);
      return lentObject;
    } catch (error) {
      this.#cacheDamage(offset, work, error);
      throw error;
    } finally {
      releaseBytes(own);
      lentBase?.release?.();
    }
  }

  /**
   * Collects the chain of deltas of an object, up to a cached object or to an entry that is not a delta.
   * Checks the sizes of the object at the end of the chain and of the longest delta.
   */
  #chain(offset: number, limits?: ReadLimits): Chain {
    const { bases } = this.#context;
    const deltas: Entry[] = [];
    let work = 0;
    let longest = 0;
    for (let at = offset;;) {
      const cached = bases.get(this.source.key(at));
      const entry = cached === undefined ? this.#entries.entry(at, deltas.length > LONG_CHAIN) : undefined;
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
      if (cached === undefined) return { deltas, base, work: work + size };
      return { deltas, base: cached instanceof SharedObject ? cached.lend() : cached, work };
    }
  }

  /** Caches an object as a base of deltas, unless it is large. Returns whether it was cached. */
  #cache(offset: number, object: GitObject): boolean {
    const isCached = object.bytes.length <= MAX_CACHED_BASE_BYTES;
    if (isCached) this.#context.bases.set(this.source.key(offset), object);
    return isCached;
  }

  /** @throws {DamagedError} when the cache has the reason why the object cannot be read. */
  #checkKnownDamage(offset: number): void {
    const { damaged } = this.#context;
    const reason = damaged.size === 0 ? undefined : damaged.get(this.source.key(offset));
    if (reason !== undefined) throw reason;
  }

  /** Caches the reason why an object cannot be read, if much work was needed to find the reason. */
  #cacheDamage(offset: number, work: number, error: unknown): void {
    if (work <= COSTLY_BYTES || !isUnreadable(error) || error instanceof CutOffError) return;
    const reason = error instanceof TooLargeError ? TOO_MUCH_WORK : FOUND_DAMAGED;
    this.#context.damaged.set(this.source.key(offset), reason);
  }

  /** Returns the kind of the object at the end of a chain. All objects of the chain have this kind. */
  #kindOf(first: Entry): ObjectKind {
    const { kinds } = this.#context;
    const passed: CacheKey[] = [];
    let entry = first;
    let { kind } = entry;
    for (let length = 1; kind === undefined; length++) {
      checkChain(length);
      if (length > LONG_CHAIN) {
        const key = this.source.key(entry.base);
        kind = kinds.get(key);
        if (kind !== undefined) break;
        if (length % LONG_CHAIN === 0) passed.push(key);
      }
      entry = this.#entries.entry(entry.base, length > LONG_CHAIN);
      kind = entry.kind;
    }
    for (const key of passed) kinds.set(key, kind);
    return kind;
  }
}

function checkChain(length: number): void {
  if (length > MAX_DELTA_CHAIN) throw new DamagedError("A chain of deltas is too long, or has no end");
}

/** Checks the size of an intermediate object or a delta, which also takes memory. */
function checkLink(kind: ObjectKind, size: number): void {
  if (size > MAX_LINK_FACTOR * OBJECT_LIMITS[kind]) {
    throw new TooLargeError(`The base of a delta has ${size} bytes, which is too large`);
  }
}
