/** Block packs: the same objects again, or a refusal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { joinBytes } from "../../../../src/bytes/bytes.ts";
import { DamagedError } from "../../../../src/errors.ts";
import { hashObject } from "../../../../src/git/encode.ts";
import { MAX_BLOB_BYTES } from "../../../../src/git/objects.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { ObjectKind } from "../../../../src/ports/storage.ts";
import {
  Block,
  encodeBlock,
  MAX_BLOCK_BYTES,
  type NamedObject,
} from "../../../../extensions/replicas/format/block.ts";
import {
  NO_BLOCK,
  PACK_VERSION,
  PackHead,
  PREAMBLE_BYTES,
} from "../../../../extensions/replicas/format/block_pack.ts";
import {
  BlockPackWriter,
  type WrittenPack,
} from "../../../../extensions/replicas/format/block_pack_writer.ts";
import { sha256Of } from "../../../../extensions/replicas/format/keys.ts";
import { createUnpack } from "../../../../src/git/unpack.ts";
import { assertRefusesDamage, damaged, randomNumbers } from "./fuzz.ts";

const unpack = createUnpack();
const KINDS: readonly ObjectKind[] = ["commit", "tree", "blob", "tag"];
const TOO_LARGE = { oid: "ab".repeat(20) as Oid, kind: "blob" as const, size: 5 * 2 ** 32 + 7 };

/** Objects of all kinds; the contents need not be those of git. */
function makeObjects(count: number): NamedObject[] {
  const random = randomNumbers(count);
  return Array.from({ length: count }, (_, i) => {
    const kind = KINDS[i % 4]!;
    const bytes = new TextEncoder().encode(`${i} ${"text ".repeat(Math.floor(random() * 40))}`);
    return { oid: hashObject(kind, bytes), kind, bytes };
  });
}

function write(objects: readonly NamedObject[], blockBytes = 4000): WrittenPack {
  const writer = new BlockPackWriter("history", (bytes) => zlibSync(bytes), blockBytes);
  for (const object of objects) writer.add(object);
  writer.addHeader(TOO_LARGE.oid, TOO_LARGE);
  return writer.finish();
}

const objects = makeObjects(3000);
const written = write(objects);
const { pack } = written;
const bytes = joinBytes(written.parts);
const decodeHead = () => new PackHead(bytes.subarray(0, pack.headBytes), pack);
const part = ({ start, end }: { start: number; end: number }) => bytes.subarray(start, end);

describe("a block pack", () => {
  it("has the length and the digest that the manifest says", () => {
    assert.equal(bytes.length, pack.bytes);
    assert.equal(sha256Of(bytes), pack.sha256);
    assert.equal(pack.objects, objects.length + 1);
  });

  it("finds each object by a page of the index and a block", () => {
    const head = decodeHead();
    assert.ok(head.pages > 1);
    assert.ok(head.blocks > 10);
    for (const { oid, kind, bytes } of objects) {
      const number = head.pageOf(oid);
      const place = head.page(number, part(head.pageRange(number))).find(oid);
      assert.ok(place);
      assert.deepEqual(place.header, { kind, size: bytes.length });
      const block = head.block(place.block, part(head.blockRange(place.block)), unpack);
      assert.equal(block.oid(place.number), oid);
      assert.equal(block.find(oid), place.number);
      assert.deepEqual(block.header(place.number), place.header);
      assert.deepEqual(block.object(place.number), { kind, bytes });
    }
  });

  it("knows kind and size of an object beyond the limits", () => {
    const head = decodeHead();
    const number = head.pageOf(TOO_LARGE.oid);
    const place = head.page(number, part(head.pageRange(number))).find(TOO_LARGE.oid);
    assert.equal(place?.block, NO_BLOCK);
    assert.deepEqual(place.header, { kind: TOO_LARGE.kind, size: TOO_LARGE.size });
  });

  it("finds no object that it does not have", () => {
    const head = decodeHead();
    for (const oid of ["0".repeat(40), "f".repeat(40), "8".repeat(40)] as Oid[]) {
      const number = head.pageOf(oid);
      if (number >= 0) assert.equal(head.page(number, part(head.pageRange(number))).find(oid), undefined);
    }
    assert.equal(head.block(0, part(head.blockRange(0)), unpack).find("f".repeat(40) as Oid), -1);
  });

  it("may be empty", () => {
    const { pack, parts } = new BlockPackWriter("cobs", (bytes) => zlibSync(bytes)).finish();
    const head = new PackHead(joinBytes(parts), pack);
    assert.equal(head.blocks, 0);
    assert.equal(head.pageOf("0".repeat(40) as Oid), -1);
  });

  it("is the same for the same objects in the same order", () => {
    assert.equal(write(objects).pack.sha256, pack.sha256);
    assert.notEqual(write([...objects].reverse()).pack.sha256, pack.sha256);
  });

  it("has a block of its own for a large object, and where the writer ends one", () => {
    const writer = new BlockPackWriter("blobs", (bytes) => zlibSync(bytes), 1000);
    const [a, b, c, d] = makeObjects(4) as [NamedObject, NamedObject, NamedObject, NamedObject];
    const large = new Uint8Array(5000);
    writer.add({ ...a, bytes: a.bytes.slice(0, 1) });
    writer.add({ oid: hashObject("blob", large), kind: "blob", bytes: large });
    writer.add(b);
    writer.add(c);
    writer.endBlock();
    writer.add(d);
    writer.add(d);
    assert.equal(writer.objects, 5);
    const { pack, parts } = writer.finish();
    const head = new PackHead(parts[0]!, pack);
    assert.equal(head.blocks, 4);
  });

  it("has its index between its head and its blocks", () => {
    const head = decodeHead();
    assert.equal(head.pageRange(0).start, pack.headBytes);
    assert.equal(head.pagesRange.end, head.blockRange(0).start);
    assert.equal(head.blockRange(head.blocks - 1).end, pack.bytes);
  });

  it("has longer blocks after many short ones", () => {
    const writer = new BlockPackWriter("blobs", (bytes) => zlibSync(bytes), 100);
    for (const object of makeObjects(3000)) writer.add(object);
    const { pack, parts } = writer.finish();
    const head = new PackHead(parts[0]!, pack);
    assert.ok(head.rawBytes(10) < 400);
    assert.ok(head.rawBytes(head.blocks - 2) > 600, `${head.rawBytes(head.blocks - 2)}`);
  });

  it("takes no object beyond the limits of reads", () => {
    const writer = new BlockPackWriter("blobs", (bytes) => zlibSync(bytes));
    const bytes = new Uint8Array(MAX_BLOB_BYTES + 1);
    assert.throws(() => writer.add({ oid: TOO_LARGE.oid, kind: "blob", bytes }), RangeError);
    assert.equal(writer.objects, 0);
  });
});

describe("decoders of block packs", () => {
  it("refuse a damaged head", () => {
    assertRefusesDamage(bytes.slice(0, pack.headBytes), 50, (head) => void new PackHead(head, pack));
  });

  it("refuse a head with numbers that cannot be, also when its digest fits", async () => {
    const { digestOf } = await import("../../../../extensions/replicas/format/sealed_json.ts");
    const head = bytes.slice(0, pack.headBytes);
    for (const wrong of damaged(head, 300)) {
      const sealed = { ...pack, headBytes: wrong.length, headDigest: digestOf(wrong) };
      try {
        const decoded = new PackHead(wrong, sealed);
        // Damage in the fan-out, or in unpacked sizes, shows when the page or the block is read.
        for (let i = 0; i < decoded.blocks; i++) assert.ok(decoded.rawBytes(i) <= MAX_BLOCK_BYTES);
        assert.equal(decoded.blockRange(decoded.blocks - 1).end, pack.bytes);
      } catch (error) {
        assert.ok(error instanceof DamagedError, String(error));
      }
    }
  });

  it("refuse another version", async () => {
    const { digestOf } = await import("../../../../extensions/replicas/format/sealed_json.ts");
    const head = bytes.slice(0, pack.headBytes);
    head[11] = PACK_VERSION + 1;
    assert.throws(
      () => new PackHead(head, { ...pack, headDigest: digestOf(head) }),
      (error) => error instanceof DamagedError && /version/.test(error.message),
    );
  });

  it("refuse a damaged page of the index, and the page of another place", () => {
    const head = decodeHead();
    assertRefusesDamage(part(head.pageRange(2)), 20, (page) => void head.page(2, page));
    assert.throws(() => head.page(0, part(head.pageRange(1))), DamagedError);
  });

  it("hand out no wrong object from a damaged block", () => {
    const head = decodeHead();
    const read = (packed: Uint8Array) => {
      const block = head.block(0, packed, unpack);
      for (let i = 0; i < block.count; i++) block.object(i);
    };
    read(part(head.blockRange(0)));
    for (const wrong of damaged(part(head.blockRange(0)), 100)) {
      // A flipped bit may leave a stream of the same content: then nothing is wrong.
      try {
        read(wrong);
      } catch (error) {
        assert.ok(error instanceof DamagedError, String(error));
      }
    }
    assert.throws(() => head.block(0, part(head.blockRange(1)), unpack), DamagedError);
  });

  it("refuse directories that do not fit, and contents with other ids", () => {
    const raw = encodeBlock(objects.slice(0, 5));
    for (const wrong of damaged(raw, 200)) {
      try {
        const block = new Block(wrong);
        for (let i = 0; i < block.count; i++) {
          const { kind, bytes } = block.object(i);
          assert.equal(hashObject(kind, bytes), block.oid(i));
        }
      } catch (error) {
        assert.ok(error instanceof DamagedError, String(error));
      }
    }
    const swapped = encodeBlock(
      objects.slice(0, 2).map((object, i) => ({ ...object, oid: objects[1 - i]!.oid })),
    );
    assert.throws(() => new Block(swapped).object(0), DamagedError);
  });

  it("refuse a block that would unpack to more than its stream can hold", async () => {
    const { digestOf } = await import("../../../../extensions/replicas/format/sealed_json.ts");
    const head = bytes.slice(0, pack.headBytes);
    const view = new DataView(head.buffer);
    const refuses = () => {
      assert.throws(() => new PackHead(head, { ...pack, headDigest: digestOf(head) }), DamagedError);
    };
    view.setUint32(PREAMBLE_BYTES + 8, MAX_BLOCK_BYTES);
    refuses();
    view.setUint32(PREAMBLE_BYTES + 4, MAX_BLOCK_BYTES);
    refuses();
  });
});
