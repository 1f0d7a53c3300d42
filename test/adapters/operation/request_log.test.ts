/** Lines of requests: what is in them and what is not. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, it } from "node:test";
import { LineWriter, MAX_WAITING_CHARACTERS } from "../../../adapters/operation/line_writer.ts";
import {
  formatLeftOut,
  formatMessage,
  formatRequest,
  isLogged,
  levelOf,
  type LoggedRequest,
} from "../../../adapters/operation/request_log.ts";

const TIME = new Date(0);
/** Bytes that a pipe of Linux takes in one piece (PIPE_BUF), so that lines of two programs do not mix. */
const MAX_LINE_BYTES = 4096;
const REQUEST: LoggedRequest = {
  method: "GET",
  pattern: "/api/v1/projects/:project",
  target: "/api/v1/projects/rad:z1?q=maple",
  status: 200,
  bytes: 512,
  seconds: 0.01234,
  id: "abc",
  client: undefined,
  error: undefined,
};
const textOf = (changes: Partial<LoggedRequest>) => formatRequest({ ...REQUEST, ...changes }, "text", TIME);
const jsonOf = (changes: Partial<LoggedRequest>) =>
  JSON.parse(formatRequest({ ...REQUEST, ...changes }, "json", TIME));

describe("the line of a request", () => {
  it("has what an operator asks for, and no query", () => {
    assert.equal(
      textOf({ client: "192.0.2.7" }),
      "1970-01-01T00:00:00.000Z info GET /api/v1/projects/:project /api/v1/projects/rad:z1 200 bytes=512 ms=12.3 " +
        "abc client=192.0.2.7\n",
    );
    assert.deepEqual(jsonOf({}), {
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      method: "GET",
      pattern: "/api/v1/projects/:project",
      path: "/api/v1/projects/rad:z1",
      status: 200,
      bytes: 512,
      ms: 12.3,
      id: "abc",
    });
  });

  it("has no token, whether or not its path is a route", () => {
    const pattern = "/api/v1/sessions/:id";
    assert.equal(jsonOf({ pattern, target: "/api/v1/sessions/SECRET" }).path, pattern);
    for (
      const target of [
        "/api/v1/sessions/SECRET/",
        "/x/%73essions/SECRET",
        "/SESSIONS/SECRET",
        "/a#session=SECRET",
      ]
    ) {
      assert.ok(!textOf({ pattern: undefined, target }).includes("SECRET"), target);
    }
  });

  it("is a single line of bounded length, whatever a client sends", () => {
    for (const target of ["/a\nb\r\0\x1b[2J\x85\u2028", `/${"a".repeat(20_000)}`, "*", ""]) {
      for (const form of ["text", "json"] as const) {
        const line = formatRequest(
          { ...REQUEST, pattern: undefined, target, method: "A\n".repeat(9000) },
          form,
          TIME,
        );
        assert.match(line, /^[^\p{Cc}\u2028\u2029]+\n$/u);
        assert.ok(Buffer.byteLength(line) < MAX_LINE_BYTES);
      }
    }
  });

  it("says what is behind a fault", () => {
    const error = new TypeError("no such\nthing");
    assert.equal(jsonOf({ status: 500, error }).error, "no such thing");
    assert.equal(levelOf({ status: 500, error: undefined }), "error");
    assert.equal(levelOf({ status: 503, error: undefined }), "warn");
    assert.equal(levelOf({ status: 404, error: undefined }), "info");
    assert.deepEqual(["error", "warn", "info"].map((level) => isLogged(level as "info", "warn")), [
      true,
      true,
      false,
    ]);
  });

  it("has the same form as lines of messages", () => {
    const line = formatMessage("warn", "Cannot\nread", new Error("gone"), TIME);
    assert.deepEqual(JSON.parse(line), {
      time: "1970-01-01T00:00:00.000Z",
      level: "warn",
      message: "Cannot\nread",
      cause: "gone",
    });
    assert.match(formatLeftOut(3, "text", TIME), /^1970\S+ warn 3 lines were dropped\n$/);
    assert.equal(JSON.parse(formatLeftOut(3, "json", TIME)).level, "warn");
  });
});

describe("a writer of lines", () => {
  it("writes in order, and leaves out what a slow reader has no room for", async () => {
    const written: string[] = [];
    const { promise: first, resolve: goOn } = Promise.withResolvers<void>();
    const writer = new LineWriter(
      async (text) => {
        written.push(text);
        await first;
      },
      (lines) => `left out: ${lines}\n`,
      50,
    );
    writer.add("a\n");
    const flushed = writer.flush();
    await Promise.resolve();
    const line = `${"x".repeat(1023)}\n`;
    for (let i = 0; i < MAX_WAITING_CHARACTERS / 1024 + 5; i++) writer.add(line);
    goOn();
    await flushed;
    const all = written.join("");
    assert.ok(all.startsWith("a\nx"));
    assert.ok(all.endsWith("left out: 5\n"));
    assert.equal(all.length, 2 + MAX_WAITING_CHARACTERS + "left out: 5\n".length);
    writer.add("b\n");
    await writer.flush();
    assert.equal(written.at(-1), "b\n");
  });

  it("goes on when the output fails", async () => {
    let calls = 0;
    const writer = new LineWriter(() => Promise.reject(new Error(`closed ${++calls}`)), () => "", 0);
    writer.add("a\n");
    await writer.flush();
    writer.add("b\n");
    await writer.flush();
    assert.equal(calls, 2);
  });
});
