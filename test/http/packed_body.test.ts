/** Request bodies as bytes, packed or not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BodyBudget } from "../../src/http/receive_body.ts";
import { readBytes } from "../../src/http/body.ts";

const LIMIT = 1000;

function request(body: BodyInit | null, coding?: string): Request {
  const headers: Record<string, string> = coding === undefined ? {} : { "content-encoding": coding };
  return new Request("http://localhost/", { method: "POST", body, headers });
}

async function gzip(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

describe("readBytes", () => {
  const content = new Uint8Array(LIMIT).map((_, at) => at);

  it("reads a plain body, an empty one, and a missing one", async () => {
    assert.deepEqual(await readBytes(request(content), LIMIT), content);
    assert.equal((await readBytes(request(""), LIMIT)).length, 0);
    assert.equal((await readBytes(request(null), LIMIT)).length, 0);
  });

  for (const coding of ["gzip", "x-gzip", "GZIP"]) {
    it(`unpacks ${coding}`, async () => {
      assert.deepEqual(await readBytes(request(await gzip(content), coding), LIMIT), content);
    });
  }

  it("takes so many bytes and no more, packed or unpacked", async () => {
    const longer = new Uint8Array(LIMIT + 1);
    const tooLarge = { name: "TooLargeError" };
    await assert.rejects(readBytes(request(longer), LIMIT), tooLarge);
    await assert.rejects(readBytes(request(await gzip(longer), "gzip"), LIMIT), tooLarge);
    const bomb = await gzip(new Uint8Array(16 * 1024 * 1024));
    await assert.rejects(readBytes(request(bomb, "gzip"), bomb.length), tooLarge);
  });

  it("refuses other codings, and what is not gzip", async () => {
    await assert.rejects(readBytes(request(content, "br"), LIMIT), { code: "unsupportedMediaType" });
    await assert.rejects(readBytes(request(content, "gzip"), LIMIT), { name: "MalformedError" });
    const cut = (await gzip(content)).slice(0, -20);
    await assert.rejects(readBytes(request(cut, "gzip"), LIMIT), { name: "MalformedError" });
  });

  it("unpacks in short steps, however much arrives at once", async () => {
    const own = globalThis.DecompressionStream;
    const steps: number[] = [];
    globalThis.DecompressionStream = class {
      readonly readable: ReadableStream;
      readonly writable: WritableStream;

      constructor(format: CompressionFormat) {
        const noting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            steps.push(chunk.length);
            controller.enqueue(chunk);
          },
        });
        this.writable = noting.writable;
        this.readable = noting.readable.pipeThrough(new own(format));
      }
    } as typeof own;
    try {
      const packed = await gzip(crypto.getRandomValues(new Uint8Array(65_536)));
      assert.equal((await readBytes(request(packed, "gzip"), packed.length)).length, 65_536);
      assert.ok(Math.max(...steps) <= 2048, `${steps}`);
    } finally {
      globalThis.DecompressionStream = own;
    }
  });

  it("gives up a body when later ones need the memory", async () => {
    const budget = new BodyBudget(LIMIT);
    let feed: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        feed = controller;
        controller.enqueue(new Uint8Array(LIMIT / 2));
      },
    });
    const init = { method: "POST", body: slow, duplex: "half" };
    const first = readBytes(new Request("http://localhost/", init as RequestInit), LIMIT, budget);
    first.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal((await readBytes(request(content), LIMIT, budget)).length, LIMIT);
    await assert.rejects(first, { name: "UnavailableError" });
    assert.ok(feed! !== undefined);
  });
});
