/** A repository in a bucket, in the state of its manifest. */
import { checkObjectSize, OBJECT_LIMITS } from "../../git/object_limits.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { DerivedData } from "../../ports/derived_data.ts";
import type {
  Awaitable,
  BatchLimits,
  GitObject,
  ObjectHeader,
  ReadLimits,
  Ref,
  Repository,
} from "../../ports/storage.ts";
import type { IndexedPlace } from "../../published/multi_pack_index.ts";
import { isLargePack, type ObjectPlace } from "../../published/block_pack.ts";
import { contentKey, type PackKind, sha256Of } from "../../published/keys.ts";
import type { Manifest } from "../../published/manifest.ts";
import { DamagedError } from "../../errors.ts";
import { decodeReferences } from "../../published/references.ts";
import { readBatch } from "../batch.ts";
import { READ_AT_ONCE_BYTES } from "../home/slow_object.ts";
import { IndexReader } from "./index_reader.ts";
import { type PackContext, PackReader } from "./pack_reader.ts";
import { GoneError, unavailable } from "./reads.ts";
import { RefTable } from "./ref_table.ts";

/** Objects of a batch whose places are looked up together. */
const BATCH_OBJECTS = 512;
/** Blocks that are read together, by a multi-pack index, before the objects in them are known. */
const MAX_PREFETCHED_BLOCKS = 16;
/** Bytes of a batch whose blocks are read together. */
const BATCH_READ_BYTES = 2 ** 23;
/**
 * Order in which packs are opened for an object that is in no open one: most requests need the first ones.
 */
const OPENING_ORDER: readonly PackKind[] = ["history", "blobs", "superseded", "cobs"];

/** States that a read follows while publishers replace them. */
const MAX_REPLACED_STATES = 5;

/** An object and the pack that has it. */
interface Found {
  readonly reader: PackReader;
  readonly place: ObjectPlace;
}

/** A state of a repository. */
interface State {
  readonly manifest: Manifest;
  readonly packs: readonly PackReader[];
  /** The packs whose starts are read before others, in this order. */
  readonly nearPacks: readonly PackReader[];
  readonly index: IndexReader | undefined;
  /** The packs by their numbers in the index; some of these may be gone. */
  readonly indexed: ReadonlyMap<number, PackReader>;
  readonly unindexed: ReadonlySet<PackReader>;
  /** Absent until they have been read, when they are not in the manifest. */
  refs: RefTable | undefined;
  readingRefs?: Promise<RefTable>;
}

/** A repository whose references and objects are read from a bucket. */
export class BucketRepository implements Repository {
  readonly rid: RepoId;
  readonly derived: DerivedData;
  readonly #context: PackContext;
  /** Reads the manifest again and calls {@link replace} if there is another state. */
  readonly #reload: () => Promise<void>;
  #state: State;

  constructor(manifest: Manifest, context: PackContext, reload: () => Promise<void>) {
    this.rid = manifest.rid;
    this.#context = context;
    this.#reload = reload;
    this.#state = this.#stateOf(manifest, undefined);
    this.derived = {
      named: (name) => this.manifest.derived.names.find((one) => one.name === name)?.digest,
      read: (digest, limitBytes) => this.#readDerived(digest, limitBytes),
    };
  }

  /** The manifest of the current state. */
  get manifest(): Manifest {
    return this.#state.manifest;
  }

  /** Bytes in memory, approximately: references and indexes. */
  get weight(): number {
    const { packs, refs, manifest, index } = this.#state;
    const others = 4096 + 200 * manifest.derived.files.length + (refs?.weight ?? 0) + (index?.weight ?? 0);
    return packs.reduce((sum, { weight }) => sum + weight, others);
  }

  /** Goes on to another state. Readers of packs that it has, too, stay. */
  replace(manifest: Manifest): void {
    this.#state = this.#stateOf(manifest, this.#state);
  }

  ref(name: string): Awaitable<Ref | undefined> {
    const { refs } = this.#state;
    return refs === undefined ? this.#readRefs().then((refs) => refs.get(name)) : refs.get(name);
  }

  refs(prefix: string): Awaitable<readonly Ref[]> {
    const { refs } = this.#state;
    return refs === undefined ? this.#readRefs().then((refs) => refs.list(prefix)) : refs.list(prefix);
  }

  header(oid: Oid): Awaitable<ObjectHeader | undefined> {
    return this.#reading(() => {
      const found = this.#find(oid);
      return found instanceof Promise ? found.then((found) => found?.place.header) : found?.place.header;
    });
  }

  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined> {
    const busy = this.#context.budget.next();
    if (busy !== undefined) return busy.then(() => this.object(oid, limits));
    return this.#reading(() => {
      const found = this.#find(oid);
      return found instanceof Promise
        ? found.then((found) => this.#object(oid, found, limits))
        : this.#object(oid, found, limits);
    });
  }

  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]> {
    if (oids.length < 2) return readBatch((oid) => this.object(oid, limits), oids, limits);
    const inMemory = this.#context.budget.next() === undefined ? this.#objectsNow(oids, limits) : undefined;
    if (inMemory !== undefined) return inMemory;
    return this.#reading(async () => {
      const objects: (GitObject | undefined)[] = [];
      let batchBytes = limits?.batchBytes ?? Infinity;
      while (objects.length < oids.length && batchBytes > 0) {
        const part = oids.slice(objects.length, objects.length + BATCH_OBJECTS);
        const count = await this.#prefetch(part);
        const read = await readBatch((oid) => this.object(oid, limits), part.slice(0, count), {
          ...limits,
          batchBytes,
        });
        objects.push(...read);
        for (const object of read) batchBytes -= object?.bytes.length ?? 0;
      }
      return objects;
    });
  }

  objectsVersion(): number {
    return this.manifest.generation;
  }

  #stateOf(manifest: Manifest, former: State | undefined): State {
    const { rid, references } = manifest;
    const index = manifest.index === null
      ? undefined
      : former?.index?.index.sha256 === manifest.index.sha256
      ? former.index
      : new IndexReader(manifest.index, contentKey(rid, "index", manifest.index.sha256), this.#context);
    const indexed = new Map<number, PackReader>();
    const unindexed = new Set<PackReader>();
    const packs = manifest.packs.map((pack) => {
      const known = former?.packs.find(({ pack: { kind, sha256 } }) =>
        sha256 === pack.sha256 && kind === pack.kind
      );
      const reader = known ?? new PackReader(pack, contentKey(rid, pack.kind, pack.sha256), this.#context);
      if (pack.inIndex === undefined) unindexed.add(reader);
      else indexed.set(pack.inIndex, reader);
      return reader;
    }).sort((a, b) => OPENING_ORDER.indexOf(a.pack.kind) - OPENING_ORDER.indexOf(b.pack.kind));
    // The same lists save callers from processing them again.
    const isSame = former?.manifest.referencesDigest === manifest.referencesDigest;
    const refs = isSame && former?.refs !== undefined
      ? former.refs
      : typeof references === "string"
      ? new RefTable(decodeReferences(new TextEncoder().encode(references)))
      : undefined;
    const nearPacks = index === undefined
      ? packsUpToLarge(packs)
      : packs.filter((reader, i) => unindexed.has(reader) || i === 0 && reader.pack.kind === "history");
    return { manifest, packs, nearPacks, index, indexed, unindexed, refs };
  }

  /** Reads references that are not in the manifest. */
  #readRefs(): Promise<RefTable> {
    return Promise.resolve(this.#reading(async () => {
      const state = this.#state;
      if (state.refs !== undefined) return state.refs;
      state.readingRefs ??= this.#readRefTable(state.manifest).finally(() => delete state.readingRefs);
      return state.refs = await state.readingRefs;
    }));
  }

  async #readRefTable({ rid, references }: Manifest): Promise<RefTable> {
    if (typeof references === "string") throw new TypeError("These references are in the manifest");
    const { sha256, bytes, rawBytes } = references;
    return await this.#context.reads.part(
      contentKey(rid, "references", sha256),
      { start: 0, end: bytes },
      (packed) => {
        if (sha256Of(packed) !== sha256) throw new DamagedError("Published references are damaged");
        return new RefTable(decodeReferences(this.#context.unpack(packed, rawBytes)));
      },
    );
  }

  async #readDerived(digest: string, limitBytes: number): Promise<Uint8Array | undefined> {
    const file = this.manifest.derived.files.find((file) => file.digest === digest);
    if (file === undefined || file.bytes > limitBytes) return undefined;
    if (file.inline !== undefined) return decodeBase64(file.inline);
    if (file.bytes === 0) return new Uint8Array();
    try {
      const key = contentKey(this.rid, "derived", digest);
      return await this.#context.reads.part(key, { start: 0, end: file.bytes }, (bytes) => {
        if (sha256Of(bytes) !== digest) throw new DamagedError("Derived data are damaged");
        return bytes;
      });
    } catch (error) {
      // The publisher has replaced it: core computes.
      if (error instanceof GoneError) return undefined;
      throw error;
    }
  }

  /** Reads; and again in the next state, if the publisher has removed a pack of this one. */
  #reading<T>(read: () => Awaitable<T>): Awaitable<T> {
    const result = read();
    return result instanceof Promise ? result.catch((error) => this.#readAgain(error, read)) : result;
  }

  async #readAgain<T>(error: unknown, read: () => Awaitable<T>): Promise<T> {
    for (let tries = 0; error instanceof GoneError && tries < MAX_REPLACED_STATES; tries++) {
      const state = this.#state;
      await this.#reload();
      if (this.#state === state) throw unavailable();
      try {
        return await read();
      } catch (again) {
        error = again;
      }
    }
    throw error instanceof GoneError ? unavailable() : error;
  }

  /** Finds an object by what is in memory of the packs, else by reads. */
  #find(oid: Oid): Awaitable<Found | undefined> {
    const found = this.#findNow(oid);
    return found === "unknown" ? this.#findSlowly(oid) : found;
  }

  /** Finds an object by what is in memory. */
  #findNow(oid: Oid): Found | undefined | "unknown" {
    const { packs, index, indexed, unindexed } = this.#state;
    const places = index?.findNow(oid);
    // Of the packs in the index only those are asked that it names, once it is in memory.
    let isKnown = index === undefined || places !== undefined;
    for (const { pack, block } of places ?? []) {
      const reader = indexed.get(pack);
      let place = reader?.findInBlockNow(oid, block);
      if (place === "unknown") place = reader!.findNow(oid);
      if (place === "unknown") isKnown = false;
      else if (reader !== undefined && place !== undefined) return { reader, place };
    }
    for (const reader of places === undefined ? packs : unindexed) {
      if (!reader.mayHave(oid)) continue;
      const place = reader.findNow(oid);
      if (place === "unknown") isKnown = false;
      else if (place !== undefined) return { reader, place };
    }
    return isKnown ? undefined : "unknown";
  }

  /**
   * Opens the packs whose starts have what is asked for most, before it reads pages of indexes: an open pack
   * tells of many objects, a page mostly of one. With a multi-pack index the newest of the history is enough.
   */
  async #findSlowly(oid: Oid): Promise<Found | undefined> {
    const { nearPacks, indexed, unindexed } = this.#state;
    for (const reader of nearPacks) {
      if (reader.isOpen || !reader.mayHave(oid)) continue;
      await reader.open();
      const place = reader.findNow(oid);
      if (place !== undefined && place !== "unknown") return { reader, place };
    }
    for (const { pack, block } of await this.#indexedPlaces(oid)) {
      const reader = indexed.get(pack);
      const place = await reader?.findInBlock(oid, block);
      if (reader !== undefined && place !== undefined) return { reader, place };
    }
    for (const reader of unindexed) {
      if (!reader.mayHave(oid)) continue;
      const place = await reader.find(oid);
      if (place !== undefined) return { reader, place };
    }
    return undefined;
  }

  /** Places of an object by the multi-pack index. The heads of these packs are known then. */
  async #indexedPlaces(oid: Oid): Promise<readonly IndexedPlace[]> {
    const { index, indexed } = this.#state;
    if (index === undefined) return [];
    const places = await index.find(oid);
    for (const { pack } of places) indexed.get(pack)?.useHead(index.head!.packHead(pack));
    return places.filter(({ pack }) => indexed.has(pack));
  }

  /**
   * Reads blocks that have the first of these objects by the multi-pack index, together. Returns the number
   * of these objects.
   */
  async #prefetchIndexed(oids: readonly Oid[]): Promise<number> {
    const { index, indexed } = this.#state;
    if (index === undefined) return oids.length;
    const blocks = new Map<PackReader, Set<number>>();
    let blockCount = 0;
    let count = 0;
    for (; count < oids.length && blockCount < MAX_PREFETCHED_BLOCKS; count++) {
      if (this.#findNow(oids[count]!) !== "unknown") continue;
      for (const { pack, block } of await this.#indexedPlaces(oids[count]!)) {
        const reader = indexed.get(pack)!;
        const others = blocks.get(reader) ?? new Set();
        if (reader.isLargeBlock(block) || others.has(block)) continue;
        blocks.set(reader, others.add(block));
        blockCount++;
      }
    }
    await readBlocks(blocks);
    return count;
  }

  #object(
    oid: Oid,
    found: Found | undefined,
    limits: ReadLimits | undefined,
  ): Awaitable<GitObject | undefined> {
    if (found === undefined) return undefined;
    const { reader, place } = found;
    checkObjectSize(place.header, limits);
    this.#context.budget.spend(place.header.size);
    return reader.object(oid, place);
  }

  /** A batch of which every object is in memory; `undefined` when one is not. */
  #objectsNow(oids: readonly Oid[], limits: BatchLimits = {}): (GitObject | undefined)[] | undefined {
    const objects: (GitObject | undefined)[] = [];
    let bytes = 0;
    for (const oid of oids) {
      if (bytes >= (limits.batchBytes ?? Infinity)) break;
      const found = this.#findNow(oid);
      if (found === "unknown") return undefined;
      const isRead = found !== undefined && isWithin(found.place.header, limits);
      const object = isRead ? found.reader.objectNow(oid, found.place) : undefined;
      if (isRead && object === undefined) return undefined;
      objects.push(object);
      bytes += object?.bytes.length ?? 0;
      // As much as an iteration of the event loop may take.
      if (bytes > READ_AT_ONCE_BYTES) return undefined;
    }
    this.#context.budget.spend(bytes);
    return objects;
  }

  /** Reads blocks of the first objects together. Returns the number of these objects. */
  async #prefetch(oids: readonly Oid[]): Promise<number> {
    const indexedCount = await this.#prefetchIndexed(oids);
    const blocks = new Map<PackReader, Set<number>>();
    let bytes = 0;
    let count = 0;
    for (; count < indexedCount && bytes < BATCH_READ_BYTES; count++) {
      const found = this.#find(oids[count]!);
      const { reader, place } = (found instanceof Promise ? await found : found) ?? {};
      if (reader === undefined || place === undefined) continue;
      bytes += place.header.size;
      blocks.set(reader, (blocks.get(reader) ?? new Set()).add(place.block));
    }
    await readBlocks(blocks);
    return count;
  }
}

/** Of each kind those up to the first large one: it is where the walk of that publication began. */
function packsUpToLarge(packs: readonly PackReader[]): readonly PackReader[] {
  return OPENING_ORDER.flatMap((kind) => {
    const ofKind = packs.filter(({ pack }) => pack.kind === kind);
    const large = ofKind.findIndex(({ pack }) => isLargePack(pack.objects));
    return large < 0 ? ofKind : ofKind.slice(0, large + 1);
  });
}

/** Reads the blocks that are not in memory, neighbours together. */
async function readBlocks(blocks: ReadonlyMap<PackReader, ReadonlySet<number>>): Promise<void> {
  await Promise.all(
    [...blocks].map(([reader, blocks]) => reader.readGroups(reader.missingGroups(blocks))),
  );
}

/** Whether an object is within the limits of a read. */
function isWithin({ kind, size }: ObjectHeader, { limitBytes = Infinity }: ReadLimits): boolean {
  return size <= Math.min(OBJECT_LIMITS[kind], limitBytes);
}

function decodeBase64(text: string): Uint8Array {
  const latin1 = atob(text);
  return Uint8Array.from(latin1, (unit) => unit.charCodeAt(0));
}
