/** Parts of answers, by the examples and rules of RFC 9110, 14. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, toResponse } from "../../src/http/answer.ts";
import { rangedAnswer } from "../../src/http/range.ts";

const TEXT = "0123456789";
const ETAG = '"tag"';

/** An answer with the text: whole, or in pieces of so many bytes. */
function answerOf(text: string, pieceBytes?: number): Answer & { readonly made: () => number } {
  const bytes = new TextEncoder().encode(text);
  const headers = { etag: ETAG, "content-length": String(bytes.length), "content-type": "text/plain" };
  let made = 0;
  if (pieceBytes === undefined) return { status: 200, headers, body: bytes, made: () => made };
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (made >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(made, made += pieceBytes));
    },
  }, { highWaterMark: 0 });
  return { status: 200, headers, body: { stream, heldBytes: 0 }, made: () => made };
}

async function ask(range: string | undefined, text = TEXT, fields: Record<string, string> = {}) {
  const headers = { ...fields, ...(range !== undefined && { range }) };
  const request = new Request("http://localhost/", { headers });
  const shown = await Promise.all([undefined, 1, 3, 100].map(async (pieceBytes) => {
    const response = toResponse(await rangedAnswer(request, answerOf(text, pieceBytes)));
    const body = response.status === 416 ? "" : await response.text();
    const part = response.headers.get("content-range");
    if (response.status !== 416) assert.equal(response.headers.get("content-length"), String(body.length));
    return [response.status, body, part];
  }));
  for (const one of shown) assert.deepEqual(one, shown[0]);
  return shown[0]!;
}

describe("a range of bytes", () => {
  const parts: Record<string, readonly [text: string, part: string]> = {
    "bytes=0-0": ["0", "0-0"],
    "bytes=2-5": ["2345", "2-5"],
    "bytes=7-": ["789", "7-9"],
    "bytes=0-": [TEXT, "0-9"],
    "bytes=7-7000": ["789", "7-9"],
    "bytes=-3": ["789", "7-9"],
    "bytes=-300": [TEXT, "0-9"],
    "Bytes= 2-5 ": ["2345", "2-5"],
    "bytes=9-99999999999999999999999999": ["9", "9-9"],
  };
  for (const [range, [text, part]] of Object.entries(parts)) {
    it(`is answered with that part: ${range}`, async () => {
      assert.deepEqual(await ask(range), [206, text, `bytes ${part}/10`]);
    });
  }

  for (const range of ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999999-"]) {
    it(`is a 416 where there are no such bytes: ${range}`, async () => {
      assert.deepEqual(await ask(range), [416, "", "bytes */10"]);
    });
  }

  const passedOver = [
    "bytes=5-4",
    "bytes=-",
    "bytes=",
    "bytes=0-1,3-4",
    "lines=0-1",
    "bytes=a-b",
    "0-1",
    "bytes=0 - 1",
  ];
  for (const range of passedOver) {
    it(`is ignored when it is invalid, or several: ${range}`, async () => {
      assert.deepEqual(await ask(range), [200, TEXT, null]);
    });
  }

  it("of an empty file is passed over at its end, and not to be had elsewhere", async () => {
    assert.deepEqual(await ask("bytes=-1", ""), [200, "", null]);
    assert.deepEqual(await ask("bytes=0-", ""), [416, "", "bytes */0"]);
  });

  it("counts only with the strong tag that the client has", async () => {
    assert.deepEqual(await ask("bytes=0-1", TEXT, { "if-range": ETAG }), [206, "01", "bytes 0-1/10"]);
    for (const other of ['"other"', `W/${ETAG}`, "Mon, 01 Jan 2024 00:00:00 GMT", "*"]) {
      assert.deepEqual(await ask("bytes=0-1", TEXT, { "if-range": other }), [200, TEXT, null]);
      assert.deepEqual(await ask("bytes=50-", TEXT, { "if-range": other }), [200, TEXT, null]);
    }
  });

  it("counts only for GET and for whole answers, which say that parts can be had", async () => {
    const headers = { range: "bytes=0-1" };
    const head = await rangedAnswer(
      new Request("http://localhost/", { method: "HEAD", headers }),
      answerOf(TEXT),
    );
    assert.deepEqual([head.status, head.headers["accept-ranges"]], [200, "bytes"]);
    const same: Answer = { status: 304, headers: {}, body: undefined };
    assert.equal(await rangedAnswer(new Request("http://localhost/", { headers }), same), same);
  });

  it("of a streamed answer reads nothing behind it", async () => {
    const answer = answerOf(TEXT, 1);
    const request = new Request("http://localhost/", { headers: { range: "bytes=1-2" } });
    assert.equal(await toResponse(await rangedAnswer(request, answer)).text(), "12");
    assert.equal(answer.made(), 3);
  });
});
