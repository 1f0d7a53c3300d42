/** Bytes whose memory is returned at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { releaseBytes, releasingAfter } from "../../src/bytes/bytes.ts";

const LARGE_BYTES = 2 ** 20;

describe("released bytes", () => {
  it("take no memory any more", () => {
    const bytes = new Uint8Array(LARGE_BYTES);
    releaseBytes(bytes);
    assert.equal(bytes.length, 0);
    assert.equal(bytes.buffer.byteLength, 0);
    releaseBytes(bytes);
  });

  it("include what stands around most of a buffer", () => {
    const bytes = new Uint8Array(LARGE_BYTES + 20).subarray(20);
    releaseBytes(bytes);
    assert.equal(bytes.buffer.byteLength, 0);
  });

  it("are never short, and never one part of many", () => {
    for (
      const bytes of [
        new Uint8Array(100),
        new Uint8Array(2 * LARGE_BYTES).subarray(0, LARGE_BYTES),
      ]
    ) {
      const { length } = bytes;
      releaseBytes(bytes);
      assert.equal(bytes.length, length);
    }
  });
});

describe("bytes behind pieces", () => {
  async function* count() {
    for (let i = 0; i < 3; i++) yield i;
  }

  it("are released after the last piece, or when the reader leaves", async () => {
    let released = 0;
    const pieces: number[] = [];
    for await (const piece of releasingAfter(count(), () => released++)) {
      assert.equal(released, 0);
      pieces.push(piece);
    }
    assert.deepEqual(pieces, [0, 1, 2]);
    assert.equal(released, 1);
    const left = releasingAfter(count(), () => released++);
    await left.next();
    await left.return(undefined);
    assert.equal(released, 2);
  });

  it("stay when they may not be released", async () => {
    const pieces = count();
    assert.equal(releasingAfter(pieces, undefined), pieces);
    await pieces.return();
  });
});
