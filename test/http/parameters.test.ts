/** What comes in through paths and queries, and what goes out. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { DamagedError, NotFoundError } from "../../src/errors.ts";
import { HttpError } from "../../src/http/errors.ts";
import { isMediaType, mediaTypeOf } from "../../src/http/media_type.ts";
import { pageOf, pagingEntries } from "../../src/http/paging.ts";
import { decodePercent, readQuery, SignedInteger } from "../../src/http/parameters.ts";
import { toResponse } from "../../src/http/answer.ts";
import { json, jsonPieces, toErrorAnswer } from "../../src/http/respond.ts";
import { Task } from "../../src/scheduling/task.ts";

/** Answers up to this length have a `Content-Length`; longer ones may be sent while they are made. */
const MIB = 2 ** 20;

const isBadParameter = (error: unknown) => error instanceof HttpError;
const Query = v.object({
  ...pagingEntries,
  since: v.optional(SignedInteger),
  path: v.optional(v.string()),
});
const read = (query: string) => readQuery(new URL(`http://localhost/?${query}`), Query);

describe("decodePercent", () => {
  it("decodes UTF-8 and leaves broken escapes as they are", () => {
    assert.equal(decodePercent("a%2Fb%20%C3%BC%zz%2", "path"), "a/b ü%zz%2");
    assert.equal(decodePercent("%EF%BB%BFbom", "path"), "\uFEFFbom");
  });

  it("refuses bytes that are not UTF-8", () => {
    for (const text of ["%ff", "%c3", "%ed%a0%80"]) {
      assert.throws(() => decodePercent(text, "path"), isBadParameter);
    }
  });
});

describe("readQuery", () => {
  it("has defaults and ignores what it does not know", () => {
    assert.deepEqual(read("x=1&x=2&%ff=%ff"), { page: 0 });
  });

  it("reads what the URL Standard reads, with names in any encoding", () => {
    for (
      const query of [
        "path=a+b%20c",
        "p%61th=%C3%BC&&x",
        "path=%EF%BF%BD",
        "path",
        "path==&x=path",
        "path=100%",
        "path=%zz%2",
        "=x&path=a=b",
        "path=é?#path=x",
        "path=%EF%BB%BFx",
      ]
    ) {
      const url = new URL(`http://localhost/?${query}`);
      assert.equal(readQuery(url, Query).path, url.searchParams.get("path"), query);
    }
  });

  it("reads integers with an encoded plus sign", () => {
    assert.deepEqual(read("page=%2B2&perPage=0&since=-5"), { page: 2, perPage: 0, since: -5 });
    assert.deepEqual(read("perPage=18446744073709551615"), { page: 0, perPage: 18446744073709551615 });
  });

  for (
    const query of [
      "page",
      "page=",
      "page=-1",
      "page=+1",
      "page=1.5",
      "page=0x1",
      "page=1&page=1",
      "perPage=18446744073709551616",
      "since=9223372036854775808",
      "page=%ff",
      "path=%FF.txt",
      "path=caf%E9",
      "path=%ED%A0%80",
      "path=a&p%61th=%C3",
      "page=١",
      "since=99999999999999999999",
    ]
  ) {
    it(`refuses ?${query}`, () => assert.throws(() => read(query), isBadParameter));
  }
});

describe("pageOf", () => {
  const items = Array.from({ length: 25 }, (_, i) => i);

  it("takes ten items a page by default", () => {
    assert.deepEqual(pageOf(items, { page: 2 }).items, [20, 21, 22, 23, 24]);
    assert.deepEqual(pageOf(items, { page: 1, perPage: 3 }).items, [3, 4, 5]);
  });

  it("is empty past the end, however far, and for no items a page", () => {
    assert.deepEqual(pageOf(items, { page: 3 }).items, []);
    assert.deepEqual(pageOf(items, { page: 1.8e19, perPage: 1.8e19 }).items, []);
    assert.deepEqual(pageOf(items, { page: 0, perPage: 0 }).items, []);
  });
});

describe("json", () => {
  it("carries its type and its length in bytes", async () => {
    const response = toResponse(json({ text: "ü" }));
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.equal(response.headers.get("content-length"), "13");
    assert.equal(await response.text(), `{"text":"ü"}`);
  });
});

describe("jsonPieces", () => {
  async function* pieces(count: number, seen: { made: number; ended: boolean }): AsyncGenerator<string> {
    try {
      for (; seen.made < count; seen.made++) yield "x".repeat(MIB / 4);
    } finally {
      seen.ended = true;
    }
  }

  it("gathers a small answer, so that it has a length", async () => {
    const response = toResponse(await jsonPieces(pieces(2, { made: 0, ended: false }), () => {}, new Task()));
    assert.equal(response.headers.get("content-length"), String(MIB / 2));
  });

  it("streams a large one whole", async () => {
    const response = toResponse(
      await jsonPieces(pieces(40, { made: 0, ended: false }), () => {}, new Task()),
    );
    assert.equal(response.headers.get("content-length"), null);
    assert.equal((await response.text()).length, 10 * MIB);
  });

  it("breaks off, and logs why, when a later part cannot be made", async () => {
    const logged: unknown[] = [];
    async function* breaking(): AsyncGenerator<string> {
      yield "x".repeat(2 * MIB);
      throw new Error("/home/me is full");
    }
    const response = toResponse(
      await jsonPieces(breaking(), (_level, message) => logged.push(message), new Task()),
    );
    await assert.rejects(response.text(), (error: Error) => !error.message.includes("/home"));
    assert.deepEqual(logged, ["An answer was cut off"]);
  });

  it("stops making it when the client leaves", async () => {
    const seen = { made: 0, ended: false };
    const response = toResponse(await jsonPieces(pieces(1_000_000, seen), () => {}, new Task()));
    await response.body?.cancel();
    assert.ok(seen.ended);
    assert.ok(seen.made < 20);
  });
});

describe("toErrorAnswer", () => {
  const logged: string[] = [];
  const answer = async (error: unknown) => {
    const response = toResponse(toErrorAnswer(error, (message) => logged.push(message)));
    return [response.status, await response.json()];
  };

  it("says what the client did wrong", async () => {
    assert.deepEqual(await answer(new NotFoundError('Path "x" was not found')), [404, {
      error: 'Path "x" was not found',
      code: 404,
    }]);
    assert.deepEqual(await answer(new HttpError("badParameter", "Cannot read it")), [400, {
      success: false,
      error: "Cannot read it",
      code: 400,
    }]);
    assert.deepEqual(logged, []);
  });

  it("keeps everything else for the log", async () => {
    assert.deepEqual(await answer(new DamagedError("/home/me/pack is short")), [404, {
      error: "Repository data is damaged",
      code: 404,
    }]);
    assert.deepEqual(await answer(new TypeError("secret")), [500, {
      error: "Internal Server Error",
      code: 500,
    }]);
    assert.equal(logged.length, 2);
  });
});

describe("mediaTypeOf", () => {
  it("knows what browsers show and calls the rest text", () => {
    assert.equal(mediaTypeOf("a/b.PNG"), "image/png");
    for (const path of ["README", "src/main.rs", "x.constructor", "dir.png/file", "a.ts", "a.md", ".bin/x"]) {
      assert.equal(mediaTypeOf(path), "text/plain; charset=utf-8", path);
    }
  });

  it("is only what can stand in a header", () => {
    for (const type of ["text/plain", "image/svg+xml", "image/png;x=1", "text/html; charset=utf-8"]) {
      assert.ok(isMediaType(type), type);
    }
    for (const type of ["", "text", "a b", "\uFFFD", "text/html\r\nx: y", "text/html; \u0100", "/", "a/"]) {
      assert.ok(!isMediaType(type), type);
    }
  });
});
