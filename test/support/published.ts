/** Puts states of repositories into a bucket without a publisher. */
import { zlibSync } from "fflate";
import { parseCommit } from "./commits.ts";
import { parseTree } from "../../src/git/tree.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { Task } from "../../src/scheduling/task.ts";
import { type Bucket, BucketError, type BucketGetOptions } from "../../extensions/replicas/bucket/bucket.ts";
import type { Ref, Repository } from "../../src/ports/storage.ts";
import { CATALOGUE, encodeCataloguePages } from "../../extensions/replicas/format/catalogue.ts";
import {
  CATALOGUE_KEY,
  cataloguePageKey,
  manifestKey,
  NODE_KEY,
  packKey,
  sha256Of,
} from "../../extensions/replicas/format/keys.ts";
import {
  type Manifest,
  manifestOf,
  MAX_SMALL_PACK_OBJECTS,
  PUBLISHED_FORMAT,
  type PublishedPack,
} from "../../extensions/replicas/format/manifest.ts";
import { NODE, type NodeDescription } from "../../extensions/replicas/format/node_description.ts";
import { inlineOf } from "../../extensions/replicas/format/derived.ts";
import { digestsOfBlocks, encodeOffsetTable } from "../../extensions/replicas/format/offset_table.ts";
import { digestOfReferences, encodeReferences } from "../../extensions/replicas/format/references.ts";
import { type Deltas, makePack, type NamedObject } from "./packs.ts";

const deflate = (bytes: Uint8Array) => zlibSync(bytes);

/** A state of a repository. */
export interface GivenState {
  readonly rid: RepoId;
  readonly refs: readonly Ref[];
  readonly objects: readonly NamedObject[];
  readonly stateNumber?: number;
  /** Maximum number of objects of a pack; all objects are in one pack by default. */
  readonly packObjects?: number;
  readonly deltas?: Deltas;
}

/** A pack with the offsets that its table gives for ids. */
interface GivenPack {
  readonly name: Oid;
  readonly pack: Uint8Array<ArrayBuffer>;
  readonly idx: Uint8Array<ArrayBuffer>;
  readonly places: readonly { readonly oid: Oid; readonly offset: number }[];
}

/** Puts the files of a pack, and returns the entry of the manifest. */
export async function putPack(
  bucket: Bucket,
  rid: RepoId,
  { name, pack, idx, places }: GivenPack,
): Promise<PublishedPack> {
  const table = encodeOffsetTable(await digestsOfBlocks(pack, new Task()), places);
  const isSmall = places.length <= MAX_SMALL_PACK_OBJECTS;
  await bucket.put(packKey(rid, name, "pack"), pack);
  await bucket.put(packKey(rid, name, "idx"), idx);
  if (!isSmall) await bucket.put(packKey(rid, name, "offsets"), table);
  return {
    name,
    bytes: pack.length,
    idxBytes: idx.length,
    objects: places.length,
    madeAtMs: 0,
    offsets: isSmall ? { inline: inlineOf(table) } : { sha256: sha256Of(table) },
    tips: null,
    firstBlocks: [0],
  };
}

/** Puts packs and the manifest of a repository. */
export async function putState(bucket: Bucket, given: GivenState): Promise<Manifest> {
  const { rid, refs, objects, stateNumber = 1, packObjects = objects.length, deltas } = given;
  const packs: PublishedPack[] = [];
  for (let start = 0; start < objects.length; start += packObjects) {
    const some = objects.slice(start, start + packObjects);
    const { name, pack, idx, offsets } = makePack(some, deltas);
    const places = some.map(({ oid }, i) => ({ oid, offset: offsets[i]! }));
    packs.unshift(await putPack(bucket, rid, { name, pack, idx, places }));
  }
  return await putManifest(bucket, rid, { refs, packs, stateNumber });
}

/** Puts the manifest of a repository. */
export async function putManifest(
  bucket: Bucket,
  rid: RepoId,
  { refs, packs, stateNumber = 1 }: {
    readonly refs: readonly Ref[];
    readonly packs: readonly PublishedPack[];
    readonly stateNumber?: number;
  },
): Promise<Manifest> {
  const text = encodeReferences(refs);
  const manifest: Manifest = {
    format: PUBLISHED_FORMAT,
    rid,
    stateNumber,
    referencesDigest: digestOfReferences(text),
    publishedAtMs: 0,
    references: new TextDecoder().decode(text),
    packs,
    graph: null,
    derived: { names: [], files: [] },
    listing: null,
  };
  await bucket.put(manifestKey(rid), manifestOf(rid).encode(manifest));
  return manifest;
}

/** Puts the description of a node. */
export async function putNode(bucket: Bucket, nodeId: NodeId, pinned: readonly RepoId[]): Promise<void> {
  const node: NodeDescription = {
    format: PUBLISHED_FORMAT,
    publishedAtMs: 0,
    nodeId,
    alias: "alice",
    state: "running",
    agent: "/radicle:1.5.0/",
    config: { node: { policy: "block", scope: "all" }, web: {} },
    pinned,
    policies: [],
    aliases: { rows: [] },
    seedCounts: { rows: [] },
    inventories: { rows: [] },
  };
  await bucket.put(NODE_KEY, NODE.encode(node));
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
