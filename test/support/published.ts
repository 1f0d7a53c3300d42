/** Publishes repositories into a bucket in the simplest way: all objects of a kind in one pack. */
import { zlibSync } from "fflate";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { parseCommit } from "./commits.ts";
import { OBJECT_LIMITS } from "../../src/git/objects.ts";
import { parseTree } from "../../src/git/tree.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { type Bucket, BucketError, type BucketGetOptions } from "../../extensions/replicas/bucket/bucket.ts";
import type { Ref, Repository } from "../../src/ports/storage.ts";
import type { NamedObject } from "../../extensions/replicas/format/block.ts";
import { BlockPackWriter } from "../../extensions/replicas/format/block_pack_writer.ts";
import { CATALOGUE, encodeCataloguePages } from "../../extensions/replicas/format/catalogue.ts";
import {
  CATALOGUE_KEY,
  cataloguePageKey,
  contentKey,
  manifestKey,
  type PackKind,
} from "../../extensions/replicas/format/keys.ts";
import {
  type Manifest,
  manifestOf,
  PUBLISHED_FORMAT,
  type PublishedPack,
} from "../../extensions/replicas/format/manifest.ts";
import { digestOfReferences, encodeReferences } from "../../extensions/replicas/format/references.ts";

const deflate = (bytes: Uint8Array) => zlibSync(bytes);

/** A state of a repository. */
export interface GivenState {
  readonly rid: RepoId;
  readonly refs: readonly Ref[];
  readonly objects: readonly NamedObject[];
  readonly stateNumber?: number;
  /** Approximate size of a block before compression, in bytes. */
  readonly blockBytes?: number;
}

/** Puts packs and the manifest of a repository. */
export async function putState(bucket: Bucket, given: GivenState): Promise<Manifest> {
  const { rid, refs, objects, stateNumber = 1, blockBytes } = given;
  const packs: PublishedPack[] = [];
  for (
    const [kind, ofKind] of Map.groupBy(
      objects,
      ({ kind }): PackKind => kind === "blob" ? "blobs" : "history",
    )
  ) {
    const writer = new BlockPackWriter(kind, deflate, blockBytes);
    for (const object of ofKind) {
      if (object.bytes.length <= OBJECT_LIMITS[object.kind]) writer.add(object);
      else writer.addHeader(object.oid, { kind: object.kind, size: object.bytes.length });
    }
    const { pack, parts } = writer.finish();
    await bucket.put(contentKey(rid, kind, pack.sha256), joinBytes(parts));
    packs.push({ ...pack, madeAtMs: 0 });
  }
  const text = encodeReferences(refs);
  const manifest: Manifest = {
    format: PUBLISHED_FORMAT,
    rid,
    stateNumber,
    referencesDigest: digestOfReferences(text),
    publishedAtMs: 0,
    references: new TextDecoder().decode(text),
    packs,
    index: null,
    derived: { names: [], files: [] },
    listing: null,
  };
  await bucket.put(manifestKey(rid), manifestOf(manifest.rid).encode(manifest));
  return manifest;
}

/** Puts the catalogue. */
export async function putCatalogue(bucket: Bucket, repositories: readonly RepoId[]): Promise<void> {
  const rows = repositories.map((rid) => ({ rid, listing: null }));
  const encoded = encodeCataloguePages({ first: "", rows }, deflate);
  for (const { page, content } of encoded) await bucket.put(cataloguePageKey(page.sha256), content);
  const pages = encoded.map(({ page }) => page);
  await bucket.put(CATALOGUE_KEY, CATALOGUE.encode({ format: PUBLISHED_FORMAT, number: 1, pages }));
}

/** Objects that are reachable from references, as far as they exist. */
export async function reachableObjects(repository: Repository, refs: readonly Ref[]): Promise<NamedObject[]> {
  const found = new Map<Oid, NamedObject>();
  const waiting = refs.flatMap(({ oid }) => oid ?? []);
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (found.has(oid)) continue;
    const object = await repository.object(oid);
    if (object === undefined) continue;
    found.set(oid, { oid, ...object });
    if (object.kind === "commit") {
      const { tree, parents } = parseCommit(object.bytes);
      waiting.push(tree, ...parents);
    } else if (object.kind === "tree") {
      for (const entry of parseTree(object.bytes)) if (entry.mode !== 0o160000) waiting.push(entry.oid);
    } else if (object.kind === "tag") {
      waiting.push(new TextDecoder().decode(object.bytes).slice("object ".length).slice(0, 40) as Oid);
    }
  }
  return [...found.values()];
}

/** A function that replaces a read of a bucket. */
type Fault = (key: string, read: () => ReturnType<Bucket["get"]>) => ReturnType<Bucket["get"]>;

/** Lets every second read fail, be cut short, have one wrong bit, or return bytes of another position. */
export function randomFaults(random: () => number): Fault {
  return async (_, read) => {
    const kind = Math.floor(random() * 8);
    if (kind === 0) throw new BucketError("unavailable", "500");
    const found = await read();
    if (typeof found !== "object") return found;
    const { bytes } = found;
    const at = Math.floor(random() * bytes.length);
    if (kind === 1) return { ...found, bytes: bytes.slice(0, at) };
    if (kind === 2) bytes[at]! ^= 1 << Math.floor(random() * 8);
    if (kind === 3) bytes.copyWithin(0, at);
    return found;
  };
}

/** A bucket that counts reads and their bytes, and can fail. */
export class CountingBucket implements Bucket {
  reads = 0;
  bytes = 0;
  /** Keys of the reads, with their ranges. */
  asked: string[] = [];
  /** Replaces each read while it is set. */
  fault: Fault | undefined;
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  async get(key: string, options: BucketGetOptions = {}): ReturnType<Bucket["get"]> {
    this.reads++;
    this.asked.push(options.range ? `${key} ${options.range.start}-${options.range.end}` : key);
    const read = () => this.#bucket.get(key, options);
    const found = await (this.fault ? this.fault(key, read) : read());
    if (typeof found === "object") this.bytes += found.bytes.length;
    return found;
  }

  /** Clears the list of reads. */
  reset(): void {
    this.reads = this.bytes = 0;
    this.asked = [];
  }

  head: Bucket["head"] = (...args) => this.#bucket.head(...args);
  put: Bucket["put"] = (...args) => this.#bucket.put(...args);
  delete: Bucket["delete"] = (...args) => this.#bucket.delete(...args);
  list: Bucket["list"] = (...args) => this.#bucket.list(...args);
  conditionalPuts: Bucket["conditionalPuts"] = (...args) => this.#bucket.conditionalPuts(...args);
}
