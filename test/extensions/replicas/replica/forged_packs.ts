/** Multi-pack indexes and packs that are wrong, and have the digests to fit. */
import assert from "node:assert/strict";
import { hexToBytes } from "@noble/hashes/utils.js";
import { zlibSync } from "fflate";
import { joinBytes } from "../../../../src/bytes/bytes.ts";
import { createUnpack } from "../../../../src/git/unpack.ts";
import {
  BLOCK_ROW_BYTES,
  NO_BLOCK,
  PAGE_DIGEST_DIGITS,
  PAGE_RECORDS,
  PAGE_ROW_BYTES,
  PREAMBLE_BYTES,
  RECORD_BYTES,
} from "../../../../extensions/replicas/format/block_pack.ts";
import { sha256Of } from "../../../../extensions/replicas/format/keys.ts";
import type { PublishedPack } from "../../../../extensions/replicas/format/manifest.ts";
import {
  INDEX_PAGE_DIGEST_DIGITS,
  INDEX_PAGE_ROW_BYTES,
  INDEX_PREAMBLE_BYTES,
  PACK_ROW_BYTES,
} from "../../../../extensions/replicas/format/multi_pack_index.ts";
import { digestOf } from "../../../../extensions/replicas/format/sealed_json.ts";

const unpack = createUnpack();

/** Records of the first page of the index of a pack. */
export type Records = Uint8Array[];

/** A multi-pack index in parts: heads of the packs with their numbers of blocks, and pages of starts of ids with their slots. */
export interface Index {
  bits: number;
  objects: number;
  packs: { blocks: number; head: Uint8Array }[];
  pages: { rows: [start: number, slot: number][]; count?: number; packed?: Uint8Array; digest?: string }[];
}

export function parseIndex(bytes: Uint8Array): Index {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [packs, objects, bits, headBytes] = [12, 16, 20, 24].map((at) => view.getUint32(at)) as [
    number,
    number,
    number,
    number,
  ];
  const pagesAt = INDEX_PREAMBLE_BYTES + packs * PACK_ROW_BYTES;
  let headAt = pagesAt + 2 ** bits * INDEX_PAGE_ROW_BYTES;
  let pageAt = headBytes;
  const index: Index = { bits, objects, packs: [], pages: [] };
  for (let i = 0; i < packs; i++) {
    const at = INDEX_PREAMBLE_BYTES + i * PACK_ROW_BYTES;
    const head = bytes.slice(headAt, headAt += view.getUint32(at));
    index.packs.push({ blocks: view.getUint32(at + 4), head });
  }
  for (let i = 0; i < 2 ** bits; i++) {
    const at = pagesAt + i * INDEX_PAGE_ROW_BYTES;
    const count = view.getUint32(at + 4);
    const columns = unpack(bytes.subarray(pageAt, pageAt += view.getUint32(at)), 7 * count);
    const number = (row: number, first: number, width: number) => {
      let value = 0;
      for (let i = first; i < first + width; i++) value = value * 256 + columns[i * count + row]!;
      return value;
    };
    index.pages.push({
      rows: Array.from({ length: count }, (_, row) => [number(row, 0, 4), number(row, 4, 3)]),
    });
  }
  return index;
}

/** The index with right digests, unless a page has another one. */
export function formatIndex(
  { bits, objects, packs, pages }: Index,
): { bytes: Uint8Array<ArrayBuffer>; headBytes: number } {
  const packed = pages.map((page) => page.packed ?? packRows(page.rows));
  const tables = new Uint8Array(
    INDEX_PREAMBLE_BYTES + packs.length * PACK_ROW_BYTES + pages.length * INDEX_PAGE_ROW_BYTES,
  );
  const head = joinBytes([tables, ...packs.map(({ head }) => head)]);
  const view = new DataView(head.buffer);
  head.set(new TextEncoder().encode("XYLEMIX\n"));
  [1, packs.length, objects, bits, head.length].forEach((number, i) => view.setUint32(8 + 4 * i, number));
  let at = INDEX_PREAMBLE_BYTES;
  for (const { blocks, head } of packs) {
    view.setUint32(at, head.length);
    view.setUint32(at + 4, blocks);
    at += PACK_ROW_BYTES;
  }
  for (const [i, { rows, count = rows.length, digest }] of pages.entries()) {
    view.setUint32(at, packed[i]!.length);
    view.setUint32(at + 4, count);
    head.set(hexToBytes((digest ?? digestOf(packed[i]!)).slice(0, INDEX_PAGE_DIGEST_DIGITS)), at + 8);
    at += INDEX_PAGE_ROW_BYTES;
  }
  return { bytes: joinBytes([head, ...packed]), headBytes: head.length };
}

export function packRows(rows: readonly (readonly [number, number])[]): Uint8Array<ArrayBuffer> {
  const bytes = [24, 16, 8, 0].flatMap((shift) => rows.map(([start]) => start >>> shift & 255));
  return zlibSync(
    Uint8Array.from([
      ...bytes,
      ...[16, 8, 0].flatMap((shift) => rows.map(([, slot]) => slot >>> shift & 255)),
    ]),
  );
}

/** A pack with another first page of its index, and digests to fit. */
export function forgePack(honest: Uint8Array, pack: PublishedPack, forge: (records: Records) => void) {
  const bytes = new Uint8Array(honest);
  const view = new DataView(bytes.buffer);
  const fanOutAt = PREAMBLE_BYTES + view.getUint32(12) * BLOCK_ROW_BYTES;
  const count = Math.min(PAGE_RECORDS, pack.objects);
  const page = bytes.subarray(pack.headBytes, pack.headBytes + count * RECORD_BYTES);
  const records = Array.from(
    { length: count },
    (_, i) => page.slice(i * RECORD_BYTES, (i + 1) * RECORD_BYTES),
  );
  assert.ok(records.every((record) => new DataView(record.buffer).getUint32(20) !== NO_BLOCK));
  forge(records);
  page.set(joinBytes(records));
  bytes.set(records[0]!.subarray(0, 20), fanOutAt);
  const digest = hexToBytes(sha256Of(page).slice(0, PAGE_DIGEST_DIGITS));
  bytes.set(digest, fanOutAt + PAGE_ROW_BYTES - digest.length);
  const sha256 = sha256Of(bytes);
  return { bytes, pack: { ...pack, sha256, headDigest: digestOf(bytes.subarray(0, pack.headBytes)) } };
}
