/**
 * The packs of one state of a repository, with their multi-pack index. They give the location of an object.
 */
import type { Awaitable, Oid } from "../../../src/mod.ts";
import type { ObjectPlace } from "../format/block_pack.ts";
import { contentKey, type PackKind } from "../format/keys.ts";
import type { Manifest } from "../format/manifest.ts";
import type { IndexedPlace } from "../format/multi_pack_index.ts";
import { IndexReader } from "./index_reader.ts";
import { type PackContext, PackReader } from "./pack_reader.ts";

/**
 * Maximum number of blocks that are read together because the multi-pack index names them. It is not known
 * yet whether these blocks have the wanted objects.
 */
const MAX_PREFETCHED_BLOCKS = 16;
/** Total size of the objects in a batch whose blocks are read together, in bytes. */
const BATCH_READ_BYTES = 2 ** 23;
/** Order in which packs outside of the index are opened. Most requests need packs of the first kinds. */
const OPENING_ORDER: readonly PackKind[] = ["history", "blobs", "superseded", "cobs"];

/** The location of an object, and the reader of the pack that has it. */
export interface FoundObject {
  readonly reader: PackReader;
  readonly place: ObjectPlace;
}

/** The packs that a manifest names. */
export class PackSet {
  readonly #packs: readonly PackReader[];
  readonly #index: IndexReader | undefined;
  /** The packs by their numbers in the index. Packs that no longer exist are left out. */
  readonly #indexed = new Map<number, PackReader>();
  readonly #unindexed = new Set<PackReader>();

  /** @param former The packs of an earlier state. The readers of packs that are in both states are reused. */
  constructor({ rid, packs, index }: Manifest, context: PackContext, former: PackSet | undefined) {
    this.#packs = [...packs]
      .sort((a, b) => OPENING_ORDER.indexOf(a.kind) - OPENING_ORDER.indexOf(b.kind))
      .map((pack) => {
        const known = former &&
          former.#packs.find(({ pack: { kind, sha256 } }) => sha256 === pack.sha256 && kind === pack.kind);
        const reader = known ?? new PackReader(pack, contentKey(rid, pack.kind, pack.sha256), context);
        if (pack.inIndex === undefined) this.#unindexed.add(reader);
        else this.#indexed.set(pack.inIndex, reader);
        return reader;
      });
    const leastPacks = Math.max(0, ...[...this.#indexed.keys()].map((number) => number + 1));
    const known = former && former.#index;
    this.#index = index === null
      ? undefined
      : known?.index.sha256 === index.sha256 && known.leastPacks >= leastPacks
      ? known
      : new IndexReader(index, contentKey(rid, "index", index.sha256), context, leastPacks);
  }

  /** Approximate memory use in bytes, without blocks and pages. */
  get weight(): number {
    return this.#packs.reduce((sum, { weight }) => sum + weight, this.#index?.weight ?? 0);
  }

  /**
   * Returns the location of an object, from memory or with reads of the bucket. Returns `undefined` when no
   * pack has the object.
   */
  find(oid: Oid): Awaitable<FoundObject | undefined> {
    const found = this.findNow(oid);
    return found === "unknown" ? this.#findSlowly(oid) : found;
  }

  /**
   * Returns the location of an object from memory alone. Returns `undefined` when no pack has the object, and
   * "unknown" when a read is needed.
   */
  findNow(oid: Oid): FoundObject | undefined | "unknown" {
    const places = this.#index?.findNow(oid);
    // Once the index is in memory, only the packs that the index names for the object and the packs outside
    // of the index are searched.
    let isKnown = this.#index === undefined || places !== undefined;
    for (const { pack, block } of places ?? []) {
      const reader = this.#indexed.get(pack);
      let place = reader?.findInBlockNow(oid, block);
      if (place === "unknown") place = reader!.findNow(oid) ?? "unknown";
      if (place === "unknown") isKnown = false;
      else if (reader !== undefined && place !== undefined) return { reader, place };
    }
    for (const reader of places === undefined ? this.#packs : this.#unindexed) {
      if (!reader.mayHave(oid)) continue;
      const place = reader.findNow(oid);
      if (place === "unknown") isKnown = false;
      else if (place !== undefined) return { reader, place };
    }
    return isKnown ? undefined : "unknown";
  }

  /**
   * Returns the location of an object with reads of the bucket. It first searches those packs outside of the
   * index that may have the object according to their entry in the manifest. In most cases, one of these
   * packs has the object.
   */
  async #findSlowly(oid: Oid): Promise<FoundObject | undefined> {
    for (const reader of this.#unindexed) {
      if (!reader.mayHave(oid)) continue;
      const place = await reader.find(oid);
      if (place !== undefined) return { reader, place };
    }
    for (const { pack, block } of await this.#indexedPlaces(oid)) {
      const reader = this.#indexed.get(pack);
      const place = await reader?.findInBlock(oid, block);
      if (reader !== undefined && place !== undefined) return { reader, place };
    }
    return undefined;
  }

  /**
   * Returns the locations of an object according to the multi-pack index. It also gives the readers of these
   * packs the headers of the packs from the index.
   */
  async #indexedPlaces(oid: Oid): Promise<readonly IndexedPlace[]> {
    const index = this.#index;
    const indexed = this.#indexed;
    if (index === undefined) return [];
    const places = await index.find(oid);
    for (const { pack } of places) indexed.get(pack)?.useHead(index.head!.packHead(pack));
    return places.filter(({ pack }) => indexed.has(pack));
  }

  /**
   * Reads the blocks of the first objects of a batch together, neighbouring blocks in one read. If the
   * location of an object is not in memory, the multi-pack index or a pack is searched for the location.
   *
   * @returns The number of objects whose blocks have been read.
   */
  async prefetch(oids: readonly Oid[]): Promise<number> {
    const blocks = new Map<PackReader, Set<number>>();
    const want = (reader: PackReader, block: number) => {
      blocks.set(reader, (blocks.get(reader) ?? new Set()).add(block));
    };
    let count = 0;
    let bytes = 0;
    let indexedBlocks = 0;
    for (
      ;
      count < oids.length && bytes < BATCH_READ_BYTES && indexedBlocks < MAX_PREFETCHED_BLOCKS;
      count++
    ) {
      const oid = oids[count]!;
      let found = this.findNow(oid);
      const places = found === "unknown" ? await this.#indexedPlaces(oid) : [];
      for (const { pack, block } of places) {
        const reader = this.#indexed.get(pack)!;
        if (reader.isLargeBlock(block) || blocks.get(reader)?.has(block)) continue;
        want(reader, block);
        indexedBlocks++;
      }
      if (found === "unknown") found = places.length > 0 ? undefined : await this.#findSlowly(oid);
      if (found === undefined) continue;
      bytes += found.place.header.size;
      want(found.reader, found.place.block);
    }
    await Promise.all([...blocks].map(([reader, wanted]) => reader.readBlocks(wanted)));
    return count;
  }
}
