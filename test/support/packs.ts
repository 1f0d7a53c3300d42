/** Makes git packs in TypeScript, so that tests need no `git`. */
import { joinBytes } from "../../src/bytes/bytes.ts";
import { type Oid, oidFromBytes } from "../../src/ids/oid.ts";
import type { GitObject, ObjectKind, Repository, Storage } from "../../src/ports/storage.ts";
import { runSync } from "../../src/scheduling/task.ts";
import { parseTag } from "../../src/git/tags.ts";
import { parseTree } from "../../src/git/tree.ts";
import {
  type MadePack,
  PACK_LIMIT_BYTES,
  type PackMaker,
  type PackRequest,
} from "../../extensions/replicas/publisher/pack_maker.ts";
import { buildPack, number7, type PackEntry } from "../storage/home/pack_builder.ts";
import { parseCommit } from "./commits.ts";

/** An object to pack. */
export interface NamedObject extends GitObject {
  readonly oid: Oid;
}

/** How bases of deltas are named: not at all (no deltas), by offsets, or by ids. */
export type Deltas = "none" | "offsets" | "references";

/** A pack with the offset of each object. */
export interface PlacedPack extends MadePack {
  readonly offsets: readonly number[];
}

/** Maximum length of a chain of deltas, as in git. */
const MAX_CHAIN = 50;
/** Size above which an object is neither a delta nor a base, in bytes. */
const MAX_DELTA_BYTES = 2 ** 20;
/** Number of objects that are tried as the base of the next one. */
const WINDOW = 4;
const KIND_ORDER: readonly ObjectKind[] = ["commit", "tag", "tree", "blob"];
const SUBMODULE = 0o160000;

/** An object that can be the base of a delta. */
interface Base {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Number of deltas between this object and a whole object. */
  readonly chain: number;
}

/**
 * Makes a pack with its index of objects in the given order. An object is a delta of one of the last objects of
 * its kind, if the delta is less than half as long as the object.
 */
export function makePack(objects: readonly NamedObject[], deltas: Deltas = "offsets"): PlacedPack {
  const windows = new Map<ObjectKind, readonly Base[]>();
  const entries = objects.map(({ oid, kind, bytes }, number): PackEntry => {
    const window = windows.get(kind) ?? [];
    let best: { readonly base: Base; readonly data: Uint8Array } | undefined;
    for (const base of deltas === "none" || bytes.length > MAX_DELTA_BYTES ? [] : window) {
      if (base.chain === MAX_CHAIN || base.bytes.length > MAX_DELTA_BYTES) continue;
      const data = deltaOf(base.bytes, bytes);
      if (data.length < (best?.data.length ?? bytes.length / 2)) best = { base, data };
    }
    const chain = best === undefined ? 0 : best.base.chain + 1;
    windows.set(kind, [{ number, bytes, chain }, ...window].slice(0, WINDOW));
    if (best === undefined) return { oid, kind, data: bytes };
    const { base, data } = best;
    return { oid, base: deltas === "offsets" ? base.number : objects[base.number]!.oid, data };
  });
  const { pack, index, offsets } = buildPack(entries);
  return { name: oidFromBytes(pack.subarray(-20)), pack: pack.slice(), idx: index.slice(), offsets };
}

/** A delta that copies the common start and the common end of two contents, and inserts what is between. */
export function deltaOf(base: Uint8Array, bytes: Uint8Array): Uint8Array {
  const shorter = Math.min(base.length, bytes.length);
  let start = 0;
  while (start < shorter && base[start] === bytes[start]) start++;
  let end = 0;
  while (end < shorter - start && base[base.length - 1 - end] === bytes[bytes.length - 1 - end]) end++;
  return joinBytes([
    Uint8Array.from([...number7(base.length), ...number7(bytes.length)]),
    ...copies(0, start),
    ...inserts(bytes.subarray(start, bytes.length - end)),
    ...copies(base.length - end, end),
  ]);
}

/** Instructions that copy bytes of the base, at most 65,535 each. */
function copies(from: number, length: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = from; at < from + length; at += 0xffff) {
    const part = Math.min(0xffff, from + length - at);
    parts.push(
      Uint8Array.of(0xbf, at & 255, at >> 8 & 255, at >> 16 & 255, at >>> 24, part & 255, part >> 8),
    );
  }
  return parts;
}

/** Instructions that insert bytes, at most 127 each. */
function inserts(bytes: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 127) {
    const part = bytes.subarray(at, at + 127);
    parts.push(Uint8Array.of(part.length, ...part));
  }
  return parts;
}

/** Limits and forms of the packs of {@link createPackMaker}. */
export interface PackMakerOptions {
  /** Total size of the objects after which a pack ends, in bytes. */
  readonly limitBytes?: number;
  readonly deltas?: Deltas;
}

/** Returns a maker of packs that reads the objects from a storage. The same requests give the same packs. */
export function createPackMaker(storage: Storage, options: PackMakerOptions = {}): PackMaker {
  const { limitBytes = PACK_LIMIT_BYTES, deltas } = options;
  return {
    async make({ rid, tips, published, shallow, signal }, use) {
      signal?.throwIfAborted();
      const repository = await storage.repository(rid);
      if (repository === undefined) throw new TypeError(`There is no repository ${rid}`);
      const known = await closure(repository, { tips: published, shallow, signal });
      const walked = await closure(repository, { tips, shallow, signal, known: known.objects });
      const objects = [...walked.objects.values()]
        .sort((a, b) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind));
      for (let start = 0, end = 0; start < objects.length; start = end) {
        for (let bytes = 0; end < objects.length && bytes < limitBytes; end++) {
          bytes += objects[end]!.bytes.length;
        }
        const { name, pack, idx } = makePack(objects.slice(start, end), deltas);
        await use({ name, pack, idx });
        signal?.throwIfAborted();
      }
      return { isComplete: walked.isComplete };
    },
  };
}

interface Walk extends Pick<PackRequest, "tips" | "shallow" | "signal"> {
  /** Objects that are left out, with everything to which they lead. */
  readonly known?: ReadonlyMap<Oid, NamedObject>;
}

/** Returns the objects to which tips lead, as far as they exist, and whether all of them exist. */
async function closure(
  repository: Repository,
  { tips, shallow, signal, known }: Walk,
): Promise<{ readonly objects: ReadonlyMap<Oid, NamedObject>; readonly isComplete: boolean }> {
  const objects = new Map<Oid, NamedObject>();
  const ends = new Set(shallow);
  const waiting = [...tips].reverse();
  let isComplete = true;
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (objects.has(oid) || known?.has(oid)) continue;
    signal?.throwIfAborted();
    const object = await repository.object(oid);
    if (object === undefined) isComplete = false;
    else {
      objects.set(oid, { oid, kind: object.kind, bytes: object.bytes });
      waiting.push(...targetsOf(object, ends.has(oid)).reverse());
    }
  }
  return { objects, isComplete };
}

function targetsOf({ kind, bytes }: GitObject, isShallow: boolean): Oid[] {
  if (kind === "commit") {
    const { tree, parents } = parseCommit(bytes);
    return isShallow ? [tree] : [tree, ...parents];
  }
  if (kind === "tag") return [runSync(parseTag(bytes)).target];
  if (kind === "tree") {
    return [...parseTree(bytes)].flatMap(({ mode, oid }) => mode === SUBMODULE ? [] : [oid]);
  }
  return [];
}

/** Returns the objects of a pack with their offsets, from its index of version 2 without 64-bit offsets. */
export function placesOf(idx: Uint8Array): readonly { readonly oid: Oid; readonly offset: number }[] {
  const view = new DataView(idx.buffer, idx.byteOffset, idx.length);
  const count = view.getUint32(8 + 4 * 255);
  const oidsAt = 8 + 4 * 256;
  return Array.from({ length: count }, (_, i) => ({
    oid: oidFromBytes(idx, oidsAt + 20 * i),
    offset: view.getUint32(oidsAt + 24 * count + 4 * i),
  }));
}
