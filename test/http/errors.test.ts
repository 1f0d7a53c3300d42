import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ConflictError,
  DamagedError,
  ForbiddenError,
  HistoryTooLongError,
  InvalidError,
  MalformedError,
  NotFoundError,
  TooLargeError,
  UnauthorizedError,
  UnavailableError,
  UnreadableIdError,
  UnsupportedError,
} from "../../src/errors.ts";
import { HttpError } from "../../src/http/errors.ts";
import { toErrorAnswer } from "../../src/http/respond.ts";

const CASES: readonly (readonly [error: unknown, status: number, isLogged?: boolean])[] = [
  [new UnreadableIdError("words"), 400],
  [new MalformedError("words"), 400],
  [new HttpError("badParameter", "words"), 400],
  [new UnauthorizedError("words"), 401],
  [new ForbiddenError("words"), 403],
  [new NotFoundError("words"), 404],
  [new DamagedError("a secret path"), 404, true],
  [new ConflictError("words"), 409],
  [new TooLargeError("words"), 413],
  [new HistoryTooLongError("words"), 413],
  [new HttpError("unsupportedMediaType", "words"), 415],
  [new InvalidError("words"), 422],
  [new HttpError("overShare", "words", { retryAfterSeconds: 3 }), 429],
  [new TypeError("a secret path"), 500, true],
  ["a secret path", 500, true],
  [new UnsupportedError("words", { cause: "a secret path" }), 501, true],
  [new UnavailableError("words", { retryAfterSeconds: 3 }), 503],
  [new UnavailableError("words", { cause: "a secret path" }), 503],
];

describe("the answer to an error", () => {
  for (const [error, status, isLogged = false] of CASES) {
    const name = error instanceof Error ? error.name : "something else";
    it(`${name} has status ${status}${isLogged ? " and is logged" : ""}`, async () => {
      let lines = 0;
      const { status: answered, headers, body } = toErrorAnswer(error, () => lines++);
      assert.equal(answered, status);
      assert.equal(lines, isLogged ? 1 : 0);
      const text = await new Response(body as Uint8Array<ArrayBuffer>).text();
      assert.doesNotMatch(text, /secret/);
      const { code, success } = JSON.parse(text);
      assert.equal(code, status);
      assert.equal(success, /UnreadableId|Http/.test(name) && status === 400 ? false : undefined);
      const retryAfter = (error as { retryAfterSeconds?: number }).retryAfterSeconds;
      assert.equal(headers["retry-after"], retryAfter?.toString());
    });
  }
});
