/** Reads a published repository through the bucket, as a replica does, and checks that it is whole. */
import assert from "node:assert/strict";
import { unzlibSync } from "fflate";
import { parseCommitHeader } from "../../../../src/git/commit.ts";
import { parseTag } from "../../../../src/git/tags.ts";
import { entryKind, parseTree } from "../../../../src/git/tree.ts";
import { type Oid, oidFromBytes } from "../../../../src/ids/oid.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { GitObject, ObjectHeader, Ref } from "../../../../src/ports/storage.ts";
import { NO_BLOCK, RECORD_BYTES } from "../../../../extensions/replicas/format/block_pack.ts";
import { PrefixFilter } from "../../../../extensions/replicas/format/prefix_filter.ts";
import { contentKey, manifestKey } from "../../../../extensions/replicas/format/keys.ts";
import {
  type Manifest,
  manifestOf,
  type PublishedPack,
} from "../../../../extensions/replicas/format/manifest.ts";
import { type IndexedPlace, IndexHead } from "../../../../extensions/replicas/format/multi_pack_index.ts";
import { runSync } from "../../../../src/scheduling/task.ts";
import { decodeReferences, digestOfReferences } from "../../../../extensions/replicas/format/references.ts";
import { readIndex } from "../../../../extensions/replicas/publisher/published_packs.ts";

/** A state that a reader sees. */
export interface ReadState {
  readonly manifest: Manifest;
  readonly refs: readonly Ref[];
  readonly objects: ReadonlyMap<Oid, GitObject>;
  /** Objects without contents. */
  readonly headers: ReadonlyMap<Oid, ObjectHeader>;
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
  const headers = new Map<Oid, ObjectHeader>();
  let stored = 0;
  const find = await readMultiPackIndex(bucket, rid, manifest);
  for (const pack of manifest.packs) {
    for await (const { oid, header, object } of objectsOfPack(bucket, rid, pack)) {
      stored++;
      const isThere = pack.inIndex === undefined || find(oid).some((place) => place.pack === pack.inIndex);
      assert.ok(isThere, `${oid} is not in the index`);
      const isListed = pack.idStarts === undefined || new PrefixFilter(pack.idStarts).mayHave(oid);
      assert.ok(isListed, `${oid} is not in the list`);
      if (object === undefined) headers.set(oid, header);
      else objects.set(oid, object);
    }
  }
  for (const { digest, inline } of manifest.derived.files) {
    if (inline !== undefined) continue;
    assert.ok(await bucket.head(contentKey(rid, "derived", digest)), "a file of derived data is gone");
  }
  return { manifest, refs: runSync(decodeReferences(text)), objects, headers, stored };
}

/** The objects of a pack; those without contents have none. */
async function* objectsOfPack(bucket: Bucket, rid: RepoId, pack: PublishedPack) {
  const [index, whole] = [
    await readIndex(bucket, rid, pack),
    await bucket.get(contentKey(rid, pack.kind, pack.sha256)),
  ];
  assert.ok(index !== undefined && typeof whole === "object", "a pack is gone or damaged");
  const { head, records } = index;
  const blocks = Array.from({ length: head.blocks }, (_, block) => {
    const { start, end } = head.blockRange(block);
    return head.block(block, whole.bytes.subarray(start, end), (bytes) => unzlibSync(bytes));
  });
  const offset = head.pagesRange.start;
  const pages = Array.from({ length: head.pages }, (_, page) => {
    const { start, end } = head.pageRange(page);
    return head.page(page, records.subarray(start - offset, end - offset));
  });
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    const oid = oidFromBytes(records, at);
    const { block, number: place, header } = pages[head.pageOf(oid)]!.find(oid)!;
    yield { oid, header, object: block === NO_BLOCK ? undefined : blocks[block]!.object(place, oid) };
  }
}

/** A search in the multi-pack index, if there is one. */
async function readMultiPackIndex(bucket: Bucket, rid: RepoId, { index }: Manifest) {
  if (index === null) return (): readonly IndexedPlace[] => [];
  const found = await bucket.get(contentKey(rid, "index", index.sha256));
  assert.ok(found !== undefined && found !== "unchanged", "the index is gone");
  const head = new IndexHead(found.bytes.subarray(0, index.headBytes), index);
  const pages = Array.from({ length: head.pages }, (_, page) => {
    const { start, end } = head.pageRange(page);
    return head.page(page, found.bytes.subarray(start, end), (bytes) => unzlibSync(bytes));
  });
  return (oid: Oid) => pages[head.pageOf(oid)]!.find(oid);
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
  { refs, objects, headers }: ReadState,
  absent: ReadonlySet<Oid> = new Set(),
): void {
  const seen = new Set<Oid>();
  const stack = refs.flatMap(({ oid }) => oid === undefined ? [] : [oid]);
  while (stack.length > 0) {
    const oid = stack.pop()!;
    if (seen.has(oid) || absent.has(oid) || headers.has(oid)) continue;
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
