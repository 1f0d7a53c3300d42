/** Copies of streams for a cache: whole, in bounded memory, and only of what was read to its end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Memory } from "../../src/cache/memory.ts";
import { StreamCopies } from "../../src/http/stream_copies.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const MIB = 2 ** 20;

/** A stream of chunks, and whether its reader has left. */
function streamOf(
  ...chunks: readonly (Bytes | Error)[]
): { stream: ReadableStream<Bytes>; hasLeft(): boolean } {
  let at = 0;
  let isCanceled = false;
  const stream = new ReadableStream<Bytes>({
    pull(controller) {
      const chunk = chunks[at++];
      if (chunk === undefined) controller.close();
      else if (chunk instanceof Error) controller.error(chunk);
      else controller.enqueue(chunk);
    },
    cancel() {
      isCanceled = true;
    },
  }, { highWaterMark: 0 });
  return { stream, hasLeft: () => isCanceled };
}

/** A cache that admits a number of bytes and notes what it gets. */
function createTarget(
  most: number,
): { taken: Bytes[]; admits(bytes: number): boolean; take(bytes: Bytes): void } {
  const taken: Bytes[] = [];
  return { taken, admits: (bytes) => bytes <= most, take: (bytes) => void taken.push(bytes) };
}

async function bytesOf(stream: ReadableStream<Bytes>): Promise<number[]> {
  return [...new Uint8Array(await new Response(stream).arrayBuffer())];
}

const bytes = (...values: number[]) => new Uint8Array(values);

describe("a copy of a stream", () => {
  it("has all bytes once the stream has been read", async () => {
    const copies = new StreamCopies(new Memory());
    const target = createTarget(5);
    const copied = copies.copy(streamOf(bytes(1, 2), bytes(3), bytes(4, 5)).stream, target);
    assert.deepEqual(await bytesOf(copied), [1, 2, 3, 4, 5]);
    assert.deepEqual(target.taken, [bytes(1, 2, 3, 4, 5)]);
    assert.equal(copies.bytes, 0);
  });

  it("is given up when the cache does not admit it", async () => {
    const copies = new StreamCopies(new Memory());
    const target = createTarget(4);
    const copied = copies.copy(streamOf(bytes(1, 2), bytes(3), bytes(4, 5)).stream, target);
    assert.deepEqual(await bytesOf(copied), [1, 2, 3, 4, 5]);
    assert.deepEqual(target.taken, []);
    assert.equal(copies.bytes, 0);
  });

  it("is given up when the reader leaves, and the source is cancelled", async () => {
    const copies = new StreamCopies(new Memory());
    const target = createTarget(5);
    const source = streamOf(bytes(1), bytes(2));
    const reader = copies.copy(source.stream, target).getReader();
    await reader.read();
    assert.equal(copies.bytes, 1);
    await reader.cancel();
    assert.equal(source.hasLeft(), true);
    assert.equal(copies.bytes, 0);
    assert.deepEqual(target.taken, []);
  });

  it("is given up when the stream fails, and so does the reader's", async () => {
    const copies = new StreamCopies(new Memory());
    const target = createTarget(5);
    const copied = copies.copy(streamOf(bytes(1), new Error("broken off")).stream, target);
    await assert.rejects(bytesOf(copied), /broken off/);
    assert.equal(copies.bytes, 0);
    assert.deepEqual(target.taken, []);
  });

  it("makes room when others need it, the one first that was read longest ago", async () => {
    const memory = new Memory();
    const copies = new StreamCopies(memory);
    const half = Math.floor(memory.share("streamCopies") / 2);
    const target = createTarget(2 * half);
    const chunks = () => streamOf(new Uint8Array(half - MIB), new Uint8Array(MIB)).stream;
    const [stalled, reading, third] = [chunks(), chunks(), chunks()]
      .map((stream) => copies.copy(stream, target).getReader());
    for (const reader of [stalled!, reading!, third!]) await reader.read();
    assert.ok(copies.bytes <= 2 * half);
    for (const reader of [stalled!, reading!, third!]) {
      assert.equal((await reader.read()).value?.length, MIB);
      assert.equal((await reader.read()).done, true);
    }
    assert.deepEqual(target.taken.map(({ length }) => length), [half, half]);
  });
});
