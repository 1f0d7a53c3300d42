/** The packs of one state of a repository. They return objects, with reads of the bucket where needed. */
import {
  type Awaitable,
  type CacheKey,
  DamagedError,
  encodeObjectHeader,
  type GitObject,
  hashObject,
  ifReadable,
  joinBytes,
  type Limiter,
  type LruMap,
  type ObjectHeader,
  type Oid,
  oidFromBytes,
  Pack,
  type PackContext,
  type ReadLimits,
  type RepoId,
  SlowObject,
  SlowReads,
  Task,
  TooLargeError,
  unstoredHeader,
  unstoredObject,
} from "../../../src/mod.ts";
import type { Manifest, PublishedPack } from "../format/manifest.ts";
import { type BlockContext, blocksOf, PackBlocks } from "./pack_blocks.ts";
import { LoadingView, MissingBytes, PackView } from "./pack_view.ts";

/** Total size of the packs of a small repository, in bytes. It is read whole at the first need. */
const SMALL_REPOSITORY_BYTES = 2 ** 22;
/** Maximum number of blocks that one operation holds. An object that needs more is read in steps. */
export const MAX_HELD_BLOCKS = 128;
/** Number of headers of entries that one operation holds, after which it finds no further objects. */
const MAX_HELD_HEADERS = 2 ** 14;
/** Size above which the digest of an object is computed by the runtime, in bytes. */
const HASHED_AT_ONCE_BYTES = 2 ** 17;
/**
 * Maximum size of an object that is read in order to check its id when only its header is needed, in bytes.
 */
const CHECKED_HEADER_BYTES = 2 ** 17;

/** Resources that all packs of a storage share. */
export interface PackSetContext extends BlockContext {
  readonly packs: PackContext;
  /** Ids of objects that were checked, by their places. */
  readonly ids: LruMap<CacheKey, Oid>;
  /**
   * Allows one read of a slow object at a time, because it takes several times the object's size in memory.
   */
  readonly slowReads: Limiter;
  /** Limits the number of batches that hold blocks. */
  readonly batches: Limiter;
  /** Limits the number of reads of single objects that hold blocks. They may be part of a batch. */
  readonly finds: Limiter;
}

/** A place where an object may be: only the first bytes of its id are known to be right. */
interface Place {
  readonly pack: PackBlocks;
  readonly offset: number;
}

/**
 * Reads a part of an object at a place. Returns `undefined` when another object is there. Throws
 * {@link MissingBytes} when blocks have to be loaded first.
 */
type Read<T> = (reader: Pack<PackView>, place: Place) => Awaitable<T | undefined>;

/** The packs of one state of a repository. */
export class PackSet {
  readonly #rid: RepoId;
  readonly #context: PackSetContext;
  /** The newest pack first. */
  readonly #packs: readonly PackBlocks[];
  readonly #readers = new Map<PackBlocks, Pack<PackView>>();
  readonly #slowReads = new SlowReads<CacheKey>();
  #hasBegun = false;
  #hasAllTables = false;

  /** @param former The packs of an earlier state. Packs that are in both states are reused. */
  constructor({ rid, packs }: Manifest, context: PackSetContext, former: PackSet | undefined) {
    this.#rid = rid;
    this.#context = context;
    const known = former === undefined ? [] : former.#packs;
    this.#packs = packs.map((pack) =>
      known.find((other) => isSame(other.pack, pack)) ?? new PackBlocks(rid, pack, context)
    );
  }

  /** Approximate memory without blocks, in bytes. */
  get weight(): number {
    return this.#packs.reduce((sum, { weight }) => sum + weight, 0);
  }

  /**
   * Returns kind and size of an object. The id of a large object is not checked.
   *
   * @throws {GoneError}
   * @throws {UnavailableError}
   */
  header(oid: Oid): Awaitable<ObjectHeader | undefined> {
    const { ids } = this.#context;
    return unstoredHeader(oid) ?? this.#find(oid, (reader, place) => {
      const known = ids.get(place.pack.key(place.offset)) ?? oid;
      if (known !== oid) return undefined;
      const header = reader.header(place.offset);
      if (ids.has(place.pack.key(place.offset)) || header.size > CHECKED_HEADER_BYTES) return header;
      const object = this.#objectAt(oid, undefined, reader, place);
      return object instanceof Promise ? object.then((found) => found && header) : object && header;
    });
  }

  /**
   * Returns an object, at once if its blocks are in memory.
   *
   * @throws {TooLargeError}
   * @throws {GoneError}
   * @throws {UnavailableError}
   */
  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined> {
    return unstoredObject(oid) ??
      this.#find(oid, (reader, place) => this.#objectAt(oid, limits, reader, place));
  }

  /**
   * Loads the blocks of the first objects of a batch together.
   *
   * @returns The number of these objects, and a function that reads them.
   */
  async prefetch(
    oids: readonly Oid[],
    limits?: ReadLimits,
  ): Promise<{ readonly count: number; readonly object: (oid: Oid) => Awaitable<GitObject | undefined> }> {
    await this.#begin();
    const operation = new Operation(this.#context.packs);
    const places = oids.map((oid) => unstoredObject(oid) === undefined ? this.#places(oid) : []);
    /** Blocks with the data of an object, once they are known. */
    const dataBlocks = new Map<Place, readonly number[]>();
    let count = oids.length;
    for (let isKnown = false; !isKnown;) {
      isKnown = true;
      const wanted = new Map<PackBlocks, Set<number>>();
      let held = 0;
      for (let i = 0; i < count; i++) {
        for (const place of places[i]!) {
          let blocks = dataBlocks.get(place);
          if (blocks === undefined) {
            const needed = this.#neededBlocks(operation.reader(place.pack), place, limits);
            blocks = needed.blocks;
            if (needed.areAll) dataBlocks.set(place, blocks);
            else isKnown = false;
          }
          const ofPack = wanted.get(place.pack) ?? new Set();
          wanted.set(place.pack, ofPack);
          held -= ofPack.size;
          for (const block of blocks) ofPack.add(block);
          held += ofPack.size;
        }
        if (held >= MAX_HELD_BLOCKS || operation.headerCount >= MAX_HELD_HEADERS) count = i + 1;
      }
      await Promise.all([...wanted].map(([pack, blocks]) => operation.reader(pack).source.hold(blocks)));
    }
    const readerOf = (pack: PackBlocks) => operation.reader(pack);
    return {
      count,
      object: (oid) =>
        unstoredObject(oid) ??
          this.#find(oid, (reader, place) => this.#objectAt(oid, limits, reader, place), readerOf),
    };
  }

  /**
   * Returns the blocks with the data of an object, or the blocks that are needed to find these blocks. There
   * are none when the object cannot be read, or needs too many blocks.
   */
  #neededBlocks(
    reader: Pack<PackView>,
    { offset }: Place,
    limits: ReadLimits | undefined,
  ): { readonly blocks: readonly number[]; readonly areAll: boolean } {
    try {
      const ranges = ifReadable(() => reader.ranges(offset, limits)) ?? [];
      const blocks = [...new Set(ranges.flatMap((range) => [...blocksOf(range)]))];
      return { blocks: blocks.length > MAX_HELD_BLOCKS ? [] : blocks, areAll: true };
    } catch (error) {
      if (!(error instanceof MissingBytes)) throw error;
      return { blocks: error.blocks, areAll: false };
    }
  }

  /** Returns whether the offset tables of all packs are in memory. */
  #hasTables(): boolean {
    return this.#hasAllTables ||= this.#packs.every(({ table }) => table !== undefined);
  }

  /**
   * Reads what most requests need: the offset tables, and in the background the first blocks, or a small
   * repository as a whole.
   */
  async #begin(): Promise<void> {
    const packs = this.#packs;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const isSmall = packs.reduce((sum, { pack }) => sum + pack.bytes, 0) <= SMALL_REPOSITORY_BYTES;
      for (const pack of packs) pack.readAhead(isSmall ? pack.allBlocks() : pack.pack.firstBlocks);
    }
    if (!this.#hasTables()) await Promise.all(packs.map((pack) => pack.readTable()));
  }

  /** Returns the places where an object may be. All tables must be in memory. */
  #places(oid: Oid): readonly Place[] {
    const places: Place[] = [];
    for (const pack of this.#packs) {
      for (const offset of pack.table!.find(oid)) places.push({ pack, offset });
    }
    return places;
  }

  #readerOf(pack: PackBlocks): Pack<PackView> {
    let reader = this.#readers.get(pack);
    if (reader === undefined) {
      reader = new Pack(new PackView(pack, pack.table!), this.#context.packs);
      this.#readers.set(pack, reader);
    }
    return reader;
  }

  /** Reads a part of an object with cached blocks, or loads the missing blocks. */
  #find<T>(
    oid: Oid,
    read: Read<T>,
    readerOf: (pack: PackBlocks) => Pack<PackView> = (pack) => this.#readerOf(pack),
  ): Awaitable<T | undefined> {
    if (!this.#hasTables()) return this.#findSlowly(oid, read);
    try {
      for (const place of this.#places(oid)) {
        const found = ofPack(place.pack, () => read(readerOf(place.pack), place));
        if (found instanceof Promise) return found.then((found) => found ?? this.#findSlowly(oid, read));
        if (found !== undefined) return found;
      }
      return undefined;
    } catch (error) {
      if (error instanceof MissingBytes || error instanceof TooLargeError) return this.#findSlowly(oid, read);
      throw error;
    }
  }

  #findSlowly<T>(oid: Oid, read: Read<T>): Promise<T | undefined> {
    return this.#context.finds.run(() => this.#findNow(oid, read), { keys: [this.#rid] });
  }

  async #findNow<T>(oid: Oid, read: Read<T>): Promise<T | undefined> {
    await this.#begin();
    const operation = new Operation(this.#context.packs);
    let tooLarge: TooLargeError | undefined;
    for (const place of this.#places(oid)) {
      const reader = operation.reader(place.pack);
      try {
        const found = await ofPack(place.pack, () => loading(reader, () => read(reader, place)));
        if (found !== undefined) return found;
      } catch (error) {
        // The right object may be at another place.
        if (!(error instanceof TooLargeError)) throw error;
        tooLarge = error;
      }
    }
    if (tooLarge !== undefined) throw tooLarge;
    return undefined;
  }

  /** Reads the object at a place, and checks its id. */
  #objectAt(
    oid: Oid,
    limits: ReadLimits | undefined,
    reader: Pack<PackView>,
    place: Place,
  ): Awaitable<GitObject | undefined> {
    const known = this.#context.ids.get(place.pack.key(place.offset));
    if (known !== undefined && known !== oid) return undefined;
    const object = this.#readAt(reader, place, limits);
    if (!(object instanceof SlowObject)) return this.#checked(oid, place, object);
    return this.#readSlowly(place, limits).then((object) => this.#checked(oid, place, object));
  }

  /** @throws {MissingBytes} for all missing blocks, as far as they are known. */
  #readAt(reader: Pack<PackView>, { offset }: Place, limits: ReadLimits | undefined): GitObject | SlowObject {
    try {
      return reader.object(offset, limits);
    } catch (error) {
      if (!(error instanceof MissingBytes)) throw error;
    }
    const blocks = new Set(reader.ranges(offset, limits).flatMap((range) => [...blocksOf(range)]));
    if (blocks.size > MAX_HELD_BLOCKS) return reader.slow(offset, limits);
    throw new MissingBytes(blocks);
  }

  /** Reads an object in steps. Only the blocks of one step are in memory at a time. */
  async #readSlowly({ pack, offset }: Place, limits: ReadLimits | undefined): Promise<GitObject> {
    const reader = new Operation(this.#context.packs).reader(pack);
    const slow = await loading(reader, () => reader.slow(offset, limits));
    const object = await this.#slowReads.share(
      pack.key(offset),
      () =>
        this.#context.slowReads.run(() => loading(reader, () => slow.read(new Task())), {
          keys: [this.#rid],
        }),
    );
    return object!;
  }

  /** Returns an object if it has an id. Otherwise releases the object. */
  #checked(oid: Oid, { pack, offset }: Place, object: GitObject): Awaitable<GitObject | undefined> {
    const { ids } = this.#context;
    const key = pack.key(offset);
    const conclude = (found: Oid) => {
      if (found === oid) return object;
      object.release?.();
      return undefined;
    };
    const known = ids.get(key);
    if (known !== undefined) return conclude(known);
    const found = idOf(object);
    if (found instanceof Promise) {
      return found.then((found) => {
        ids.set(key, found);
        return conclude(found);
      });
    }
    ids.set(key, found);
    return conclude(found);
  }
}

/** The readers of one operation, which hold the blocks that the operation has loaded. */
class Operation {
  readonly #context: PackContext;
  readonly #readers = new Map<PackBlocks, Pack<LoadingView>>();

  constructor(context: PackContext) {
    this.#context = context;
  }

  /** Number of headers of entries that are held. */
  get headerCount(): number {
    return [...this.#readers.values()].reduce((sum, { source }) => sum + source.headerCount, 0);
  }

  /** @param pack A pack whose table is in memory. */
  reader(pack: PackBlocks): Pack<LoadingView> {
    let reader = this.#readers.get(pack);
    if (reader === undefined) {
      reader = new Pack(new LoadingView(pack, pack.table!), this.#context);
      this.#readers.set(pack, reader);
    }
    return reader;
  }
}

/** Calls `read`. Each time it throws {@link MissingBytes}, loads the missing blocks and calls it again. */
async function loading<T>(reader: Pack<LoadingView>, read: () => Awaitable<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof MissingBytes)) throw error;
      await reader.source.hold(error.blocks);
    }
  }
}

/** Calls `read`. If the pack is damaged, throws the error for clients. */
function ofPack<T>(pack: PackBlocks, read: () => Awaitable<T>): Awaitable<T> {
  const fail = (error: unknown): never => {
    throw error instanceof DamagedError ? pack.damaged(error) : error;
  };
  try {
    const result = read();
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

/**
 * Computes the id of an object. The runtime computes the digest of a large one, in another thread if
 * possible.
 */
function idOf({ kind, bytes }: GitObject): Awaitable<Oid> {
  if (bytes.length <= HASHED_AT_ONCE_BYTES) return hashObject(kind, bytes);
  const content = joinBytes([encodeObjectHeader(kind, bytes.length), bytes]);
  return crypto.subtle.digest("SHA-1", content).then((digest) => oidFromBytes(new Uint8Array(digest)));
}

/** Checks whether two entries of manifests name the same files. */
function isSame(a: PublishedPack, b: PublishedPack): boolean {
  return a.name === b.name && a.bytes === b.bytes && a.objects === b.objects &&
    JSON.stringify(a.offsets) === JSON.stringify(b.offsets);
}
