/** Bodies in, and the order in which they are refused (8). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { readJson } from "../../src/http/body.ts";
import { BodyBudget } from "../../src/http/receive_body.ts";
import { Task } from "../../src/scheduling/task.ts";

const LIMIT = 64;
const Draft = v.object({ title: v.string(), labels: v.optional(v.array(v.string()), []) });
const JSON_TYPE = { "content-type": "application/json" };
const encoder = new TextEncoder();

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

function post(body?: Body, headers: Record<string, string> = JSON_TYPE): Request {
  return new Request("http://localhost/", {
    method: "POST",
    headers,
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  });
}

const read = (body?: Body, headers?: Record<string, string>) =>
  readJson(post(body, headers), Draft, LIMIT, new Task());
const refused = (answer: Promise<unknown>, name: string, message?: RegExp) =>
  assert.rejects(answer, { name, ...(message && { message }) });

function streamOf(chunks: readonly Uint8Array[], onCancel = () => {}): ReadableStream<Uint8Array> {
  const rest = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = rest.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: onCancel,
  }, { highWaterMark: 0 });
}

describe("readJson", () => {
  it("gives what the schema makes of the body", async () => {
    assert.deepEqual(await read('{"title":"t","more":1}'), { title: "t", labels: [] });
  });

  for (
    const type of [
      "application/json",
      "APPLICATION/Json;charset=latin1",
      "application/vnd.api+json; charset=utf-8",
      "application/json ;",
    ]
  ) {
    it(`takes the content type ${type}`, async () => {
      assert.deepEqual(await read('{"title":"ü"}', { "content-type": type }), { title: "ü", labels: [] });
    });
  }

  for (
    const type of [
      "text/plain",
      "application/json-patch",
      "application/xml",
      "application/",
      "application/+json",
      "text/json",
      "application/json, text/plain",
      "application/json/x",
    ]
  ) {
    it(`refuses the content type ${type}`, () => refused(read("{}", { "content-type": type }), "HttpError"));
  }

  it("refuses a body without content type, even an empty one", async () => {
    await refused(readJson(post(encoder.encode("{}"), {}), Draft, LIMIT, new Task()), "HttpError");
    await refused(readJson(post(undefined, {}), Draft, LIMIT, new Task()), "HttpError");
  });

  it("says that a body is empty, broken off or not UTF-8", async () => {
    await refused(read(), "MalformedError");
    await refused(read(""), "MalformedError");
    await refused(read('{"title":'), "MalformedError");
    await refused(read(Uint8Array.of(0x22, 0xff, 0x22)), "MalformedError", /UTF-8/);
    await refused(read(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)), "MalformedError", /UTF-8/);
    await refused(read(Uint8Array.of(0x22, 0xc3)), "MalformedError", /UTF-8/);
    await refused(read('\uFEFF{"title":"t"}'), "MalformedError");
  });

  it("puts a character together that comes in two chunks", async () => {
    const bytes = encoder.encode('{"title":"ü🪵"}');
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assert.deepEqual(await read(streamOf(chunks)), { title: "ü🪵", labels: [] });
  });

  for (const text of ["null", "[]", '["t"]', '"x"', "1", "true"]) {
    it(`refuses ${text} where an object belongs`, () => refused(read(text), "InvalidError"));
  }

  it("names the member that is missing, unusable or given twice", async () => {
    await refused(read("{}"), "InvalidError", /lacks the member "title"$/);
    await refused(read('{"title":1}'), "InvalidError", /unusable member "title": expected a string$/);
    await refused(read('{"title":"t","labels":["a",2]}'), "InvalidError", /unusable member "labels.1"/);
    await refused(read('{"title":"t","title":"t"}'), "InvalidError", /member "title" twice/);
  });

  for (
    const [text, schema, words] of [
      ['{"m":1}', v.union([v.literal("delegates"), v.object({})]), /"m": expected "delegates" or an object$/],
      ['{"m":"x"}', v.picklist(["a", "b", "c|d"]), /"m": expected "a", "b" or "c\|d"$/],
      ['{"m":1}', v.boolean(), /"m": expected true or false$/],
      ['{"m":-1}', v.pipe(v.number(), v.minValue(0)), /"m": expected at least 0$/],
      ['{"m":{"a":1}}', v.strictObject({}), /"m.a": expected no such member$/],
      ['{"m":"x"}', v.pipe(v.string(), v.regex(/^y$/, "Expected a y")), /"m": expected a y$/],
      ['{"m":"x"}', v.pipe(v.string(), v.regex(/^y$/)), /"m"$/],
      ['{"m":"x"}', v.pipe(v.string(), v.length(2)), /"m"$/],
    ] as const
  ) {
    it(`says in words what a member has to be: ${words.source}`, async () => {
      const request = new Request("http://localhost", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: text,
      });
      await refused(readJson(request, v.object({ m: schema }), LIMIT, new Task()), "InvalidError", words);
    });
  }

  it("takes exactly the limit and refuses one byte more", async () => {
    const body = (size: number) => `{"title":"${"x".repeat(size - 12)}"}`;
    assert.equal((await read(body(LIMIT))).title.length, LIMIT - 12);
    await refused(read(body(LIMIT + 1)), "TooLargeError");
    await refused(read(`{"title":"${"ü".repeat(LIMIT / 2)}"}`), "TooLargeError");
  });

  it("stops reading a body that is longer than declared, or of no declared length", async () => {
    for (const headers of [JSON_TYPE, { ...JSON_TYPE, "content-length": "2" }]) {
      let isCancelled = false;
      const chunks = Array.from({ length: 100 }, () => encoder.encode(" ".repeat(10)));
      await refused(read(streamOf(chunks, () => void (isCancelled = true)), headers), "TooLargeError");
      assert.equal(isCancelled, true);
    }
  });

  it("refuses a declared length above the limit unread", async () => {
    const request = post(undefined, { ...JSON_TYPE, "content-length": String(LIMIT + 1) });
    await refused(readJson(request, Draft, LIMIT, new Task()), "TooLargeError");
  });

  it("checks the content type before the size, and the size before the text", async () => {
    const large = "{".repeat(LIMIT + 1);
    await refused(read(large, { "content-type": "text/plain" }), "HttpError");
    await refused(read(large), "TooLargeError");
  });

  it("takes a body that breaks off for the client's doing", async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("reset")),
    });
    await refused(read(body), "MalformedError");
  });
});

describe("bodies that arrive at the same time", () => {
  /** A body that has begun to arrive. */
  function arriving(budget: BodyBudget, limitBytes: number) {
    let send!: (text: string, isLast?: boolean) => void;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text, isLast = false) => {
          controller.enqueue(encoder.encode(text));
          if (isLast) controller.close();
        };
      },
    });
    return { send, value: readJson(post(body), Draft, limitBytes, new Task(), budget) };
  }

  it("have a bound together: the one that began first makes room for a later one", async () => {
    const budget = new BodyBudget(1024);
    const slow = arriving(budget, 4096);
    slow.send(`{"title":"${"s".repeat(600)}`);
    const lost = refused(slow.value, "UnavailableError");
    const quick = arriving(budget, 4096);
    quick.send(`{"title":"${"q".repeat(600)}`);
    await lost;
    quick.send('"}', true);
    assert.equal((await quick.value).title.length, 600);
  });

  it("count no longer when they have arrived or failed", async () => {
    const budget = new BodyBudget(1024);
    for (let i = 0; i < 10; i++) {
      const body = arriving(budget, 4096);
      body.send(`{"title":"${"t".repeat(600)}`);
      body.send(i % 2 === 0 ? '"}' : "", true);
      await body.value.catch(() => {});
    }
    const first = arriving(budget, 4096);
    first.send(`{"title":"${"t".repeat(600)}"}`, true);
    assert.equal((await first.value).title.length, 600);
  });

  it("may be larger than the bound, one at a time", async () => {
    const body = arriving(new BodyBudget(16), 4096);
    body.send(`{"title":"${"t".repeat(600)}"}`, true);
    assert.equal((await body.value).title.length, 600);
  });
});
