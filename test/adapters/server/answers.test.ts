/** Answers that their clients do not take, or take slowly. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Answers, isResponse, MAX_ANSWER_BYTES } from "../../../adapters/server/answers.ts";
import { type Answer, toResponse, withHeaders } from "../../../src/http/answer.ts";
import { bytesAnswer, jsonPieces } from "../../../src/http/respond.ts";
import { Task } from "../../../src/scheduling/task.ts";

const PIECES = 16;
const PIECE_BYTES = 64 * 1024;
const LARGE_BYTES = PIECES * PIECE_BYTES;
/** Size of an answer that is no reason to be careful. */
const SMALL_BYTES = 1000;

const request = () => new Request("http://localhost/");
const large = (bytes = LARGE_BYTES) => bytesAnswer(new Uint8Array(bytes).fill(7), { "x-own": "1" });

/** An answer that is made while it leaves, of which the first part is there. */
function streamed(heldBytes: number): Promise<Answer> {
  return jsonPieces(pieces(), () => {}, new Task(), { gatheredBytes: 0, heldBytes });

  async function* pieces() {
    for (let i = 0; i < PIECES; i++) yield new Uint8Array(PIECE_BYTES);
  }
}

/** The response that a server sends for an answer. */
function send(answers: Answers, ...given: Parameters<Answers["send"]>): Response {
  const sent = answers.send(...given);
  return isResponse(sent) ? sent : toResponse(sent);
}

describe("a large answer", () => {
  it("is the same in chunks, and counts until it has left", async () => {
    const answers = new Answers();
    const sent = send(answers, large(), request());
    const own: boolean[] = [];
    assert.equal(sent.headers.get("x-own"), "1");
    const reader = sent.body!.getReader();
    const received: number[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      assert.ok(value.length <= LARGE_BYTES / 8);
      own.push(value.buffer.byteLength === value.length);
      received.push(value.length);
      assert.equal(answers.bytes, LARGE_BYTES);
    }
    assert.equal(received.reduce((sum, length) => sum + length), LARGE_BYTES);
    // Chunks that wait in the connection are copies: a part of the answer would keep all of it in memory.
    assert.ok(own.at(-1));
    assert.equal(answers.bytes, 0);
  });

  it("that others share counts once", async () => {
    const answers = new Answers();
    const bytes = new Uint8Array(LARGE_BYTES);
    const [one, two] = [0, 1].map(() => send(answers, bytesAnswer(bytes, {}), request()));
    assert.equal(answers.bytes, LARGE_BYTES);
    await one!.body!.cancel();
    assert.equal(answers.bytes, LARGE_BYTES);
    assert.deepEqual(new Uint8Array(await two!.arrayBuffer()), bytes);
    assert.equal(answers.bytes, 0);
  });

  it("counts for more when it comes to hold more", async () => {
    const answers = new Answers();
    let heldBytes = 0;
    const answer = await jsonPieces(pieces(), () => {}, new Task(), {
      gatheredBytes: 0,
      heldBytes: () => heldBytes,
    });
    const reader = send(answers, answer, request()).body!.getReader();
    await reader.read();
    assert.ok(answers.bytes < LARGE_BYTES);
    await reader.read();
    assert.ok(answers.bytes >= LARGE_BYTES);
    await reader.cancel();
    assert.equal(answers.bytes, 0);

    async function* pieces() {
      yield "[";
      heldBytes = LARGE_BYTES;
      yield "]";
    }
  });

  it("no longer counts when its client leaves", async () => {
    const answers = new Answers();
    for (const answer of [large(), await streamed(LARGE_BYTES)]) {
      const reader = send(answers, answer, request()).body!.getReader();
      await reader.read();
      assert.ok(answers.bytes >= LARGE_BYTES);
      await reader.cancel();
      assert.equal(answers.bytes, 0);
    }
  });

  it("no longer counts when it fails", async () => {
    const answers = new Answers();
    const failing = new ReadableStream({ pull: () => Promise.reject(new Error("made badly")) });
    await assert.rejects(send(answers, new Response(failing), request()).arrayBuffer());
    assert.equal(answers.bytes, 0);
  });

  it("that is made while it leaves counts for what it holds", async () => {
    const answers = new Answers();
    const sent = send(answers, await streamed(LARGE_BYTES), request());
    assert.ok(answers.bytes >= LARGE_BYTES && answers.bytes < 2 * LARGE_BYTES);
    for await (const chunk of sent.body!) assert.equal(chunk.buffer.byteLength, chunk.length);
    assert.equal(answers.bytes, 0);
  });
});

describe("an answer that is not large", () => {
  it("stays in one piece, as long as few such answers are on their way", async () => {
    const answers = new Answers();
    const left: (() => void)[] = [];
    const sendWhole = async () => {
      const before = left.length;
      const response = send(answers, large(LARGE_BYTES), request(), (call) => left.push(call));
      const isWhole = left.length > before;
      if (isWhole) assert.equal((await response.arrayBuffer()).byteLength, LARGE_BYTES);
      return isWhole;
    };
    assert.equal(await sendWhole(), true);
    while (await sendWhole()) assert.ok(answers.bytes < MAX_ANSWER_BYTES);
    assert.equal(answers.bytes, (left.length + 1) * LARGE_BYTES);
    left[0]!();
    assert.equal(await sendWhole(), true);
    assert.equal(await sendWhole(), false);
  });
});

describe("when the bound is reached", () => {
  const limits = { maxBytes: 2 * LARGE_BYTES };

  it("a further large answer becomes a 503 that any page may read", async () => {
    const answers = new Answers(limits);
    for (let i = 0; i < 2; i++) send(answers, large(), request());
    const more = withHeaders(large(), { "access-control-allow-origin": "*" });
    const refused = send(answers, more, request());
    assert.equal(refused.status, 503);
    assert.deepEqual(await refused.json(), { error: "Service Unavailable", code: 503 });
    assert.equal(refused.headers.get("retry-after"), "5");
    assert.equal(refused.headers.get("access-control-allow-origin"), "*");
    assert.equal(send(answers, await streamed(LARGE_BYTES), request()).status, 503);
    assert.equal(answers.bytes, 2 * LARGE_BYTES);
  });

  it("small answers are not concerned", async () => {
    const answers = new Answers(limits);
    for (let i = 0; i < 2; i++) send(answers, large(), request());
    assert.equal(await send(answers, new Response("small"), request()).text(), "small");
    assert.equal(send(answers, large(SMALL_BYTES), request()).status, 200);
    assert.equal(send(answers, new Response(null, { status: 304 }), request()).status, 304);
  });

  it("an answer whose client reads nothing is cut off, and one that is being read is not", async () => {
    const answers = new Answers({ ...limits, stallMs: 0 });
    const still = send(answers, large(), request()).body!.getReader();
    const busy = send(answers, await streamed(LARGE_BYTES - PIECE_BYTES), request()).body!.getReader();
    await still.read();
    const reading = busy.read();
    assert.equal(send(answers, large(), request()).status, 200);
    await assert.rejects(still.read(), { message: "The client does not read the answer" });
    assert.ok((await reading).value!.length > 0);
  });

  it("an answer alone is sent, however large it is", async () => {
    const answers = new Answers({ maxBytes: PIECE_BYTES });
    assert.equal((await send(answers, large(), request()).arrayBuffer()).byteLength, LARGE_BYTES);
  });

  it("an answer of unknown size is broken off when it turns out to be large", async () => {
    const answers = new Answers(limits);
    for (let i = 0; i < 2; i++) send(answers, large(), request());
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(LARGE_BYTES)),
    });
    const sent = send(answers, new Response(body), request());
    await assert.rejects(sent.arrayBuffer(), {
      message: "The client reads too slowly while much is being sent",
    });
    assert.equal(answers.bytes, 2 * LARGE_BYTES);
  });

  it("what is to be made waits until there is room, in its order", async () => {
    const answers = new Answers(limits);
    const [first, second, third] = [request(), request(), request()];
    assert.equal(await answers.reserve(first, 2 * LARGE_BYTES), true);
    const order: string[] = [];
    const waiting = [
      answers.reserve(second, 2 * LARGE_BYTES).then(() => order.push("second")),
      answers.reserve(third, LARGE_BYTES).then(() => order.push("third")),
    ];
    send(answers, new Response(null), first);
    await waiting[0];
    answers.discard(new Response(null), second);
    await waiting[1];
    assert.deepEqual(order, ["second", "third"]);
    answers.discard(new Response(null), third);
    assert.equal(answers.bytes, 0);
  });

  it("what is to be made is turned away when there is no room for long", async () => {
    const answers = new Answers({ ...limits, waitMs: 1 });
    assert.equal(await answers.reserve(request(), 2 * LARGE_BYTES), true);
    assert.equal(await answers.reserve(request(), 1), false);
  });
});

describe("the bound", () => {
  it("lets a process stay below 256 MiB more than it has when idle", () => {
    assert.ok(MAX_ANSWER_BYTES <= 64 * 2 ** 20);
  });
});
