/** Requests that a replica passes on to its origin: what arrives there, what comes back, and what is refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CoreError, UnavailableError, UnsupportedError } from "../../../../src/errors.ts";
import { toResponse } from "../../../../src/http/answer.ts";
import {
  type FetchOrigin,
  MAX_FORWARDED,
  missingOrigin,
  Origin,
  type OriginOptions,
  type OriginRequest,
} from "../../../../extensions/replicas/origin/forward.ts";
import { createTestApi, OWNER } from "../../../support/api.ts";
import { ALICE } from "../../../support/world.ts";

const URL_OF_ORIGIN = "https://seed.example.org/base";

/** An origin that answers by a function, and timers that a test lets run out. */
function originOf(answer: FetchOrigin, options: Partial<OriginOptions> = {}) {
  const timers = new Map<() => void, number>();
  const origin = new Origin({
    url: URL_OF_ORIGIN,
    fetch: answer,
    startTimer(ms, call) {
      const own = () => call();
      timers.set(own, ms);
      return () => void timers.delete(own);
    },
    ...options,
  });
  /** Lets the next timer run out, when it has been started. */
  const runOut = async () => {
    while (timers.size === 0) await new Promise((resolve) => setTimeout(resolve));
    for (const [call, ms] of timers) {
      timers.delete(call);
      call();
      return ms;
    }
  };
  const ask = async (path: string, init?: RequestInit) =>
    toResponse(await origin.forward(new Request(`http://replica.example.org${path}`, init)));
  return { ask, timers, runOut };
}

/** As a broken connection does. */
const breaks: FetchOrigin = (_url, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

async function refusalOf(answer: Promise<unknown>): Promise<[string, number | undefined]> {
  const error = await answer.then(() => undefined, (error) => error);
  assert.ok(error instanceof CoreError, String(error));
  return [error.name, error instanceof UnavailableError ? error.retryAfterSeconds : undefined];
}

describe("a request that is passed on", () => {
  /** Passes a request on and returns what the origin got. */
  async function sent(init: RequestInit, path = "/api/v1/sessions", options: Partial<OriginOptions> = {}) {
    const requests: { url: string; request: OriginRequest; body: string }[] = [];
    const { ask } = originOf(async (url, request) => {
      requests.push({ url, request, body: await new Response(request.body).text() });
      return new Response("answer", { status: 201 });
    }, options);
    const response = await ask(path, init);
    assert.deepEqual([response.status, await response.text()], [201, "answer"]);
    return requests[0]!;
  }

  it("keeps its method, path, query, body, Host, Origin and Authorization, and gets Via", async () => {
    const { url, request, body } = await sent({
      method: "POST",
      body: "{}",
      headers: { host: "radicle.example.org", origin: "https://app.example.org", authorization: "Bearer t" },
    }, "/api/v1/sessions?a=%20b");
    assert.equal(url, "https://seed.example.org/base/api/v1/sessions?a=%20b");
    assert.deepEqual([request.method, body, request.redirect], ["POST", "{}", "manual"]);
    const names = ["host", "origin", "authorization", "via", "x-forwarded-host", "accept-encoding"];
    assert.deepEqual(names.map((name) => request.headers.get(name)), [
      "radicle.example.org",
      "https://app.example.org",
      "Bearer t",
      "1.1 xylem-replica",
      "radicle.example.org",
      "identity",
    ]);
  });

  it("loses fields of its connection, and whatever it says of its sender", async () => {
    const { request } = await sent({
      headers: {
        connection: "close, x-secret, bad name",
        "x-secret": "1",
        "keep-alive": "timeout=5",
        "proxy-authorization": "Basic x",
        te: "trailers",
        upgrade: "h2c",
        expect: "100-continue",
        forwarded: "for=127.0.0.1",
        "x-forwarded-for": "127.0.0.1",
        "x-real-ip": "127.0.0.1",
        "x-forwarded-host": "evil.example.org",
        "if-none-match": '"tag"',
      },
    });
    assert.deepEqual([...request.headers.keys()].sort(), [
      "accept-encoding",
      "host",
      "if-none-match",
      "via",
      "x-forwarded-host",
    ]);
    assert.equal(request.headers.get("x-forwarded-host"), "replica.example.org");
  });

  it("stays with the origin, whatever its path is", async () => {
    const { url } = await sent({}, "//evil.example.org/x");
    assert.equal(url, "https://seed.example.org/base//evil.example.org/x");
  });

  it("has the base path of the origin instead of the replica's", async () => {
    const { url } = await sent({}, "/here/api/v1/node", { basePath: "here" });
    assert.equal(url, "https://seed.example.org/base/api/v1/node");
  });

  for (const via of ["1.1 proxy.example.net", "1.1 xylem-replica", ""]) {
    it(`goes nowhere when it came with Via: "${via}"`, async () => {
      const { ask } = originOf(() => assert.fail("it was passed on"));
      assert.deepEqual(await refusalOf(ask("/api/v1/sessions", { method: "POST", headers: { via } })), [
        "ForbiddenError",
        undefined,
      ]);
    });
  }

  it("never counts as the owner's at the origin, though replica and client are on its machine", async () => {
    const profile = { nodeId: ALICE, pinned: () => [], home: "/home", config: () => ({}) };
    const { api } = createTestApi({ profile });
    const { ask } = originOf((url, request) => api.fetch(new Request(url, request), OWNER), {
      url: "http://localhost",
    });
    const direct = await api.fetch(new Request("http://localhost/api/v1/profile"), OWNER);
    const forwarded = await ask("/api/v1/profile", { headers: { host: "localhost" } });
    assert.deepEqual([direct.status, forwarded.status], [200, 401]);
  });
});

describe("the body of a request that is passed on", () => {
  it("is refused when it is larger than any that the origin takes, declared or not", async () => {
    const { ask } = originOf(async (_url, { body }) => new Response(await new Response(body).text()));
    const declared = { "content-length": String(2 ** 30) };
    assert.equal(
      (await refusalOf(ask("/x", { method: "POST", body: "a", headers: declared })))[0],
      "TooLargeError",
    );
    const chunk = new Uint8Array(1024 * 1024);
    const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const init = { method: "POST", body: endless(), duplex: "half" } as RequestInit;
    assert.equal((await refusalOf(ask("/x", init)))[0], "TooLargeError");
  });

  it("that breaks off is a bad request", async () => {
    const { ask } = originOf(async (_url, { body }) => new Response(await new Response(body).text()));
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("left")) });
    assert.equal(
      (await refusalOf(ask("/x", { method: "POST", body: broken, duplex: "half" } as RequestInit)))[0],
      "MalformedError",
    );
  });
});

describe("the answer of an origin", () => {
  it("is passed back with status and fields, without fields of the connection, with Via", async () => {
    const { ask } = originOf(() =>
      Promise.resolve(
        new Response("gone", {
          status: 404,
          headers: {
            "content-type": "text/plain",
            connection: "x-hop",
            "x-hop": "1",
            "content-encoding": "gzip",
            "content-length": "9",
            "cache-control": "no-store",
            "set-cookie": "a=b",
            via: "1.1 nginx",
          },
        }),
      )
    );
    const response = await ask("/x");
    assert.deepEqual([response.status, await response.text()], [404, "gone"]);
    assert.deepEqual(Object.fromEntries(response.headers), {
      "cache-control": "no-store",
      "content-type": "text/plain",
      via: "1.1 nginx, 1.1 xylem-replica",
    });
  });

  it("without a body stays without one: 304 and HEAD", async () => {
    const { ask } = originOf((_url, { method }) =>
      Promise.resolve(method === "HEAD" ? new Response("x") : new Response(null, { status: 304 }))
    );
    assert.equal((await ask("/x")).status, 304);
    assert.equal((await ask("/x", { method: "HEAD" })).body, null);
  });

  for (const status of [301, 302, 307, 502, 504]) {
    it(`becomes 503 with Retry-After when it is ${status}`, async () => {
      const { ask, timers } = originOf(() =>
        Promise.resolve(new Response("", { status, headers: { location: "http://localhost/" } }))
      );
      assert.deepEqual(await refusalOf(ask("/x")), ["UnavailableError", 5]);
      assert.equal(timers.size, 0);
    });
  }

  it("503 keeps its own Retry-After", async () => {
    const { ask } = originOf(() =>
      Promise.resolve(new Response("busy", { status: 503, headers: { "retry-after": "77" } }))
    );
    assert.equal((await ask("/x")).headers.get("retry-after"), "77");
  });

  it("is 503 when nothing can be reached, and when nothing comes in time", async () => {
    const away = originOf(() => Promise.reject(new TypeError("refused: http://10.0.0.1 secret")));
    assert.deepEqual(await refusalOf(away.ask("/x")), ["UnavailableError", 5]);
    const silent = originOf(breaks);
    const answer = refusalOf(silent.ask("/x"));
    assert.ok((await silent.runOut())! < 10_000);
    assert.deepEqual(await answer, ["UnavailableError", 5]);
  });

  it("breaks off when the origin falls silent within it", async () => {
    const { ask, runOut, timers } = originOf((_url, { signal }) =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode("begun"));
              signal.addEventListener("abort", () => controller.error(signal.reason));
            },
          }),
        ),
      )
    );
    const reader = (await ask("/x")).body!.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), "begun");
    // Nobody reads: the client's time is not the origin's.
    assert.equal(timers.size, 0);
    const rest = reader.read().then(() => "read", (error) => error.message);
    assert.ok((await runOut())! <= 60_000);
    assert.equal(await rest, "The origin closed the connection within its answer");
  });

  it("ends at the origin when the client leaves", async () => {
    const signals: AbortSignal[] = [];
    const { ask } = originOf((_url, { signal }) => {
      signals.push(signal);
      return Promise.resolve(new Response(new ReadableStream({ pull() {} })));
    });
    await (await ask("/x")).body!.cancel();
    assert.equal(signals[0]!.aborted, true);
  });
});

describe("requests under way at an origin", () => {
  it(`are ${MAX_FORWARDED}; the next is refused until one has ended`, async () => {
    const { ask } = originOf(() => Promise.resolve(new Response("answer")));
    const answers = [];
    for (let i = 0; i < MAX_FORWARDED; i++) answers.push(await ask("/x"));
    assert.deepEqual(await refusalOf(ask("/x")), ["UnavailableError", 5]);
    await answers[0]!.text();
    answers.push(await ask("/x"));
    assert.deepEqual(await refusalOf(ask("/x")), ["UnavailableError", 5]);
    await answers[1]!.body!.cancel();
    assert.equal(await (await ask("/x")).text(), "answer");
  });
});

describe("an origin", () => {
  it("is a URL of HTTP without credentials, which no error shows", () => {
    for (
      const url of [
        "",
        "seed",
        "ftp://seed",
        "https://a:secret@seed",
        "https://seed/?q=secret",
        "https://seed/#a",
      ]
    ) {
      assert.throws(
        () => new Origin({ url }),
        (error) => error instanceof TypeError && !/secret/.test(error.message),
      );
    }
  });

  it("that is missing refuses changes with 503, searches and clones with 501", () => {
    const change = missingOrigin("change");
    assert.ok(change instanceof UnavailableError);
    for (const kind of ["search", "git"] as const) assert.ok(missingOrigin(kind) instanceof UnsupportedError);
  });
});

describe("requests of one client that are passed on", () => {
  it("have a quarter of the places", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const origin = new Origin({ url: URL_OF_ORIGIN, fetch: () => promise.then((answer) => answer.clone()) });
    const ask = (client?: string) =>
      origin.forward(new Request("http://replica.example.org/api/v1/sessions"), client ? { client } : {});
    const asked = Array.from({ length: MAX_FORWARDED / 4 }, () => ask("192.0.2.7"));
    assert.deepEqual(await refusalOf(ask("192.0.2.7")), ["UnavailableError", 5]);
    asked.push(ask("192.0.2.8"), ask());
    resolve(new Response(null, { status: 204 }));
    await Promise.all(asked);
  });
});
