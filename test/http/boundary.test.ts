/** Whatever a host passes to an API, and whatever fails, its promises end in answers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Extension } from "../../src/extension.ts";
import { respond } from "../../src/http/respond.ts";
import { createTestApi } from "../support/api.ts";

/** A request as servers on `node:http` make them: its URL is put together when it is asked for. */
function requestWithout(member: keyof Request): Request {
  return Object.defineProperty(new Request("http://localhost/api/v1"), member, {
    get: () => {
      throw new TypeError("Invalid URL");
    },
  });
}

/** Requests that are none, and their statuses. */
const REQUESTS: readonly (readonly [what: string, request: unknown, status: number])[] = [
  ["whose URL cannot be read", requestWithout("url"), 400],
  ["whose URL is relative", { method: "GET", url: "/api/v1", headers: new Headers() }, 400],
  ["whose method cannot be read", requestWithout("method"), 500],
  ["that is missing", undefined, 500],
  ["that is a text", "http://localhost/", 400],
];

describe("an API", () => {
  for (const [what, request, status] of REQUESTS) {
    it(`answers a request ${what} with ${status}`, async () => {
      const { api } = createTestApi();
      const response = await api.fetch(request as Request);
      assert.equal(response.status, status);
      assert.equal((await response.json()).code, status);
    });
  }

  it("does not log that a client has left", async () => {
    const logged: unknown[] = [];
    const failing: Extension = {
      name: "failing",
      answerFirst: (request) =>
        Promise.reject(new URL(request.url).search === "" ? request.signal.reason : "other"),
    };
    const { api } = createTestApi({
      environment: { log: (...line) => void logged.push(line) },
      extensions: [failing],
    });
    const signal = AbortSignal.abort(new Error("aborted"));
    const ask = (query: string) => api.fetch(new Request(`http://localhost/api/v1${query}`, { signal }));
    assert.equal((await ask("")).status, 500);
    assert.equal(logged.length, 0);
    assert.equal((await ask("?other")).status, 500);
    assert.equal(logged.length, 1);
  });

  it("answers when its log fails", async () => {
    const { api } = createTestApi({
      environment: {
        log: () => {
          throw new Error("The disk is full");
        },
      },
    });
    assert.equal((await api.fetch(requestWithout("method"))).status, 500);
  });
});

describe("a response", () => {
  for (
    const [what, answer] of [
      ["an impossible status", { status: 42, headers: {}, body: undefined }],
      ["an impossible header field", { status: 200, headers: { "a b": "c" }, body: undefined }],
    ] as const
  ) {
    it(`of an answer with ${what} is a fault, which is logged`, () => {
      const logged: unknown[] = [];
      const response = respond(answer, (...line) => logged.push(line));
      assert.equal(response.status, 500);
      assert.equal(logged.length, 1);
    });
  }
});
