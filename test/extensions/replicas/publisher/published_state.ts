/** What a bucket has of a repository, as a reader sees it. Everything that is read is verified. */
import assert from "node:assert/strict";
import { unzlibSync } from "fflate";
import { parseCommitHeader } from "../../../../src/git/commit.ts";
import { hashObject } from "../../../../src/git/encode.ts";
import { parseTag } from "../../../../src/git/tags.ts";
import { entryKind, parseTree } from "../../../../src/git/tree.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { GitObject, ObjectKind, Ref } from "../../../../src/ports/storage.ts";
import { contentKey, manifestKey, packKey } from "../../../../extensions/replicas/format/keys.ts";
import {
  type Manifest,
  manifestOf,
  type PublishedPack,
} from "../../../../extensions/replicas/format/manifest.ts";
import { OffsetTable } from "../../../../extensions/replicas/format/offset_table.ts";
import { decodeReferences, digestOfReferences } from "../../../../extensions/replicas/format/references.ts";
import { parsePackIdx } from "../../../../extensions/replicas/publisher/pack_idx.ts";
import { runSync } from "../../../../src/scheduling/task.ts";

/** A state that a reader sees. */
export interface ReadState {
  readonly manifest: Manifest;
  readonly refs: readonly Ref[];
  readonly objects: ReadonlyMap<Oid, GitObject>;
  /** Number of times that an object is in a pack. */
  readonly stored: number;
}

/** The state of a repository; `undefined` when it has no manifest. */
export async function readState(bucket: Bucket, rid: RepoId): Promise<ReadState | undefined> {
  const found = await bucket.get(manifestKey(rid));
  if (found === undefined || found === "unchanged") return undefined;
  const manifest = manifestOf(rid).decode(found.bytes);
  const text = await readReferences(bucket, rid, manifest);
  assert.equal(digestOfReferences(text), manifest.referencesDigest);
  const objects = new Map<Oid, GitObject>();
  let stored = 0;
  for (const pack of manifest.packs) {
    for (const [oid, object] of await readPack(bucket, rid, pack)) {
      stored++;
      objects.set(oid, object);
    }
  }
  for (const { digest, inline } of manifest.derived.files) {
    if (inline !== undefined) continue;
    assert.ok(await bucket.head(contentKey(rid, "derived", digest)), "a file of derived data is gone");
  }
  return { manifest, refs: runSync(decodeReferences(text)), objects, stored };
}

/** The objects of a pack, and the checks of its files. */
async function readPack(
  bucket: Bucket,
  rid: RepoId,
  { name, bytes, idxBytes, objects: count, offsets, tips }: PublishedPack,
): Promise<ReadonlyMap<Oid, GitObject>> {
  const read = async (key: string) => {
    const found = await bucket.get(key);
    assert.ok(typeof found === "object", `${key} is gone`);
    return found.bytes;
  };
  const pack = await read(packKey(rid, name, "pack"));
  const idx = await read(packKey(rid, name, "idx"));
  assert.deepEqual([pack.length, idx.length], [bytes, idxBytes]);
  if (tips !== null) await read(contentKey(rid, "tips", tips.sha256));
  const placed = parsePackIdx(idx).objects;
  assert.equal(placed.length, count);
  const table = "inline" in offsets
    ? Uint8Array.from(atob(offsets.inline), (char) => char.charCodeAt(0))
    : await read(packKey(rid, name, "offsets"));
  const decoded = runSync(OffsetTable.decode(table, bytes, count));
  for (const { oid, offset } of placed) assert.ok(decoded.find(oid).includes(offset));
  const byOffset = readEntries(pack, placed.map(({ offset }) => offset));
  return new Map(placed.map(({ oid, offset }) => {
    const object = byOffset.get(offset)!;
    assert.equal(hashObject(object.kind, object.bytes), oid);
    return [oid, object];
  }));
}

const KINDS: Readonly<Record<number, ObjectKind>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const OFFSET_DELTA = 6;

/** Reads all objects of a pack, by their offsets. */
function readEntries(pack: Uint8Array, offsets: readonly number[]): ReadonlyMap<number, GitObject> {
  const sorted = [...offsets].sort((a, b) => a - b);
  const read = new Map<number, GitObject>();
  for (const [i, offset] of sorted.entries()) {
    let at = offset;
    const kind = pack[at]! >> 4 & 7;
    while (pack[at++]! & 0x80);
    let base: GitObject | undefined;
    if (kind === OFFSET_DELTA) {
      let distance = pack[at]! & 0x7f;
      while (pack[at++]! & 0x80) distance = (distance + 1) * 128 + (pack[at]! & 0x7f);
      base = read.get(offset - distance);
    }
    const data = unzlibSync(pack.subarray(at, sorted[i + 1] ?? pack.length - 20));
    assert.ok(base !== undefined || KINDS[kind] !== undefined, "a base is not before its delta");
    read.set(
      offset,
      base === undefined ? { kind: KINDS[kind]!, bytes: data } : {
        kind: base.kind,
        bytes: applyDelta(base.bytes, data),
      },
    );
  }
  return read;
}

function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  let at = 0;
  const size = () => {
    let [value, factor] = [0, 1];
    for (;; factor *= 128) {
      value += (delta[at]! & 0x7f) * factor;
      if ((delta[at++]! & 0x80) === 0) return value;
    }
  };
  assert.equal(size(), base.length);
  const result = new Uint8Array(size());
  const number = (flags: number, count: number) => {
    let value = 0;
    for (let i = 0; i < count; i++) if (flags & 1 << i) value += delta[at++]! * 256 ** i;
    return value;
  };
  for (let to = 0; to < result.length;) {
    const code = delta[at++]!;
    let part: Uint8Array;
    if (code & 0x80) {
      const from = number(code, 4);
      part = base.subarray(from, from + (number(code >> 4 & 7, 3) || 0x10000));
    } else {
      part = delta.subarray(at, at + code);
      at += code;
    }
    result.set(part, to);
    to += part.length;
  }
  return result;
}

async function readReferences(bucket: Bucket, rid: RepoId, { references }: Manifest) {
  if (typeof references === "string") return new TextEncoder().encode(references);
  const object = await bucket.get(contentKey(rid, "references", references.sha256));
  assert.ok(object !== undefined && object !== "unchanged", "the references are gone");
  return unzlibSync(object.bytes);
}

/**
 * Checks that all objects are there to which references lead.
 *
 * @param absent Objects that the home itself does not have.
 */
export function checkWhole(
  { refs, objects }: ReadState,
  absent: ReadonlySet<Oid> = new Set(),
): void {
  const seen = new Set<Oid>();
  const stack = refs.flatMap(({ oid }) => oid === undefined ? [] : [oid]);
  while (stack.length > 0) {
    const oid = stack.pop()!;
    if (seen.has(oid) || absent.has(oid)) continue;
    seen.add(oid);
    const object = objects.get(oid);
    assert.ok(object !== undefined, `${oid} is not there`);
    stack.push(...leadsTo(object));
  }
}

function leadsTo({ kind, bytes }: GitObject): Oid[] {
  switch (kind) {
    case "commit": {
      const { tree, parents } = parseCommitHeader(bytes);
      return [tree, ...parents];
    }
    case "tree":
      return parseTree(bytes).filter(({ mode }) => entryKind(mode) !== "commit").map(({ oid }) => oid);
    case "tag":
      return [runSync(parseTag(bytes)).target];
    case "blob":
      return [];
  }
}
