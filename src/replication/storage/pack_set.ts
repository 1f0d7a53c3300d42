/** The packs of one state of a repository, with their multi-pack index: where an object is. */
import type { Oid } from "../../ids/oid.ts";
import type { Awaitable } from "../../ports/storage.ts";
import type { ObjectPlace } from "../format/block_pack.ts";
import { contentKey, type PackKind } from "../format/keys.ts";
import type { Manifest } from "../format/manifest.ts";
import type { IndexedPlace } from "../format/multi_pack_index.ts";
import { IndexReader } from "./index_reader.ts";
import { type PackContext, PackReader } from "./pack_reader.ts";

/** Blocks that are read together, by a multi-pack index, before the objects in them are known. */
const MAX_PREFETCHED_BLOCKS = 16;
/** Bytes of a batch whose blocks are read together. */
const BATCH_READ_BYTES = 2 ** 23;
/** Order in which packs outside of the index are opened: most requests need the first ones. */
const OPENING_ORDER: readonly PackKind[] = ["history", "blobs", "superseded", "cobs"];

/** An object and the pack that has it. */
export interface FoundObject {
  readonly reader: PackReader;
  readonly place: ObjectPlace;
}

/** Readers of the packs. */
interface Contents {
  readonly packs: readonly PackReader[];
  readonly index: IndexReader | undefined;
  /** The packs by their numbers in the index; some of these may be gone. */
  readonly indexed: ReadonlyMap<number, PackReader>;
  readonly unindexed: ReadonlySet<PackReader>;
}

/** The packs that a manifest names. */
export class PackSet {
  readonly #contents: Contents;

  /** @param former Those of an earlier state: readers of packs that are here, too, stay. */
  constructor(manifest: Manifest, context: PackContext, former: PackSet | undefined) {
    this.#contents = contentsOf(manifest, context, former === undefined ? undefined : former.#contents);
  }

  /** Bytes in memory, approximately, without blocks and pages. */
  get weight(): number {
    const { packs, index } = this.#contents;
    return packs.reduce((sum, { weight }) => sum + weight, index?.weight ?? 0);
  }

  /** Finds an object by what is in memory of the packs, else by reads. */
  find(oid: Oid): Awaitable<FoundObject | undefined> {
    const found = this.findNow(oid);
    return found === "unknown" ? this.#findSlowly(oid) : found;
  }

  /** Finds an object by what is in memory. */
  findNow(oid: Oid): FoundObject | undefined | "unknown" {
    const { packs, index, indexed, unindexed } = this.#contents;
    const places = index?.findNow(oid);
    // Of the packs in the index only those are asked that it names, once it is in memory.
    let isKnown = index === undefined || places !== undefined;
    for (const { pack, block } of places ?? []) {
      const reader = indexed.get(pack);
      let place = reader?.findInBlockNow(oid, block);
      if (place === "unknown") place = reader!.findNow(oid) ?? "unknown";
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

  /** Asks first the packs of which the manifest says that they may have it: mostly one of them has. */
  async #findSlowly(oid: Oid): Promise<FoundObject | undefined> {
    const { indexed, unindexed } = this.#contents;
    for (const reader of unindexed) {
      if (!reader.mayHave(oid)) continue;
      const place = await reader.find(oid);
      if (place !== undefined) return { reader, place };
    }
    for (const { pack, block } of await this.#indexedPlaces(oid)) {
      const reader = indexed.get(pack);
      const place = await reader?.findInBlock(oid, block);
      if (reader !== undefined && place !== undefined) return { reader, place };
    }
    return undefined;
  }

  /** Places of an object by the multi-pack index. The heads of these packs are known then. */
  async #indexedPlaces(oid: Oid): Promise<readonly IndexedPlace[]> {
    const { index, indexed } = this.#contents;
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
    const { index, indexed } = this.#contents;
    if (index === undefined) return oids.length;
    const blocks = new Map<PackReader, Set<number>>();
    let blockCount = 0;
    let count = 0;
    for (; count < oids.length && blockCount < MAX_PREFETCHED_BLOCKS; count++) {
      if (this.findNow(oids[count]!) !== "unknown") continue;
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

  /** Reads blocks of the first objects together. Returns the number of these objects. */
  async prefetch(oids: readonly Oid[]): Promise<number> {
    const indexedCount = await this.#prefetchIndexed(oids);
    const blocks = new Map<PackReader, Set<number>>();
    let bytes = 0;
    let count = 0;
    for (; count < indexedCount && bytes < BATCH_READ_BYTES; count++) {
      const found = this.find(oids[count]!);
      const { reader, place } = (found instanceof Promise ? await found : found) ?? {};
      if (reader === undefined || place === undefined) continue;
      bytes += place.header.size;
      blocks.set(reader, (blocks.get(reader) ?? new Set()).add(place.block));
    }
    await readBlocks(blocks);
    return count;
  }
}

function contentsOf(manifest: Manifest, context: PackContext, former: Contents | undefined): Contents {
  const { rid } = manifest;
  const indexed = new Map<number, PackReader>();
  const unindexed = new Set<PackReader>();
  const packs = [...manifest.packs]
    .sort((a, b) => OPENING_ORDER.indexOf(a.kind) - OPENING_ORDER.indexOf(b.kind))
    .map((pack) => {
      const known = former?.packs.find(({ pack: { kind, sha256 } }) =>
        sha256 === pack.sha256 && kind === pack.kind
      );
      const reader = known ?? new PackReader(pack, contentKey(rid, pack.kind, pack.sha256), context);
      if (pack.inIndex === undefined) unindexed.add(reader);
      else indexed.set(pack.inIndex, reader);
      return reader;
    });
  const leastPacks = Math.max(0, ...[...indexed.keys()].map((number) => number + 1));
  const index = manifest.index === null
    ? undefined
    : former?.index?.index.sha256 === manifest.index.sha256 && former.index.leastPacks >= leastPacks
    ? former.index
    : new IndexReader(manifest.index, contentKey(rid, "index", manifest.index.sha256), context, leastPacks);
  return { packs, index, indexed, unindexed };
}

/** Reads the blocks that are not in memory, neighbours together. */
async function readBlocks(blocks: ReadonlyMap<PackReader, ReadonlySet<number>>): Promise<void> {
  await Promise.all(
    [...blocks].map(([reader, blocks]) => reader.readGroups(reader.missingGroups(blocks))),
  );
}
