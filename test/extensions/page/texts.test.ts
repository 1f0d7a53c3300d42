/** The parts of the page that need no browser: sign-in links, types, and requests of the reference. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { curlOf, requestOf, shownBody } from "../../../extensions/page/browser/reference/request.ts";
import { typeParts } from "../../../extensions/page/browser/reference/type_text.ts";
import { parseSignIn } from "../../../extensions/page/browser/session.ts";

const ID = "AbCdEfGhIjKlMnOpQrStUvWxYz012345";
const PROOF = { pk: "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi", sig: "z5abc" };

describe("parseSignIn", () => {
  it("reads a token, and links to the page and to a web app", () => {
    const query = new URLSearchParams(PROOF);
    assert.deepEqual(parseSignIn(` ${ID}\n`), { id: ID });
    for (
      const link of [
        `http://127.0.0.1:8080/#/session/${ID}?${query}`,
        `/session/${ID}?${query}`,
        `https://app.example.org/session/${ID}?${query}&addr=127.0.0.1%3A8080`,
      ]
    ) assert.deepEqual(parseSignIn(link), { id: ID, proof: PROOF }, link);
  });

  it("reads nothing else", () => {
    for (
      const text of ["", "x", `${ID}0`, `/session/${ID}`, `/session/${ID}?pk=a`, `/session/short?pk=a&sig=b`]
    ) assert.equal(parseSignIn(text), undefined, text);
  });
});

describe("typeParts", () => {
  const typeOf = (schema: Parameters<typeof typeParts>[0]) =>
    typeParts(schema).map((part) => typeof part === "string" ? part : `<${part.name}>`).join("");

  it("writes schemas as types", () => {
    for (
      const [schema, text] of [
        [{ type: "string" }, "string"],
        [{}, "unknown"],
        [{ $ref: "#/components/schemas/Issue" }, "<Issue>"],
        [{ const: "open" }, '"open"'],
        [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
        [{ type: "array", items: { type: "string" } }, "string[]"],
        [{ type: "array", items: { $ref: "#/components/schemas/Oid" } }, "<Oid>[]"],
        [{ type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } }, "(string | null)[]"],
        [{ type: "array" }, "unknown[]"],
        [{ prefixItems: [{ type: "string" }, { type: "integer" }] }, "[string, integer]"],
        [{ type: "object", additionalProperties: { type: "integer" } }, "Record<string, integer>"],
        [
          {
            type: "object",
            properties: {
              id: { $ref: "#/x/Oid", description: "Its id." },
              inner: { type: "object", properties: { a: {} } },
            },
            required: ["id"],
          },
          "{\n  /** Its id. */\n  id: <Oid>;\n  inner?: {\n    a?: unknown;\n  };\n}",
        ],
      ] as const
    ) assert.equal(typeOf(schema), text);
  });
});

describe("requestOf", () => {
  it("fills path and query, and leaves out what is empty", () => {
    const request = requestOf({
      method: "get",
      template: "/api/v1/projects/{project}/tree/{sha}/{path}",
      parameters: [
        { name: "project", in: "path", value: "rad:z123" },
        { name: "sha", in: "path", value: "abc" },
        { name: "path", in: "path", value: "docs/a b?" },
        { name: "page", in: "query", value: "0" },
        { name: "since", in: "query", value: "" },
        { name: "If-None-Match", in: "header", value: "" },
      ],
      body: undefined,
      token: undefined,
    });
    assert.deepEqual(request, {
      method: "GET",
      path: "/api/v1/projects/rad:z123/tree/abc/docs/a%20b%3F?page=0",
      headers: {},
      body: undefined,
    });
  });

  it("carries the token and the body, and is a command that has neither in a harmful way", () => {
    const request = requestOf({
      method: "patch",
      template: "/x",
      parameters: [{ name: "If-None-Match", in: "header", value: '"a"' }],
      body: `{"body":"it's"}`,
      token: ID,
    });
    assert.deepEqual(request.headers, {
      "if-none-match": '"a"',
      authorization: `Bearer ${ID}`,
      "content-type": "application/json",
    });
    assert.equal(
      curlOf("http://h", request),
      `curl -i -X PATCH -H 'if-none-match: "a"' -H "Authorization: Bearer $token" ` +
        `-H 'content-type: application/json' --data-binary '{"body":"it'\\''s"}' 'http://h/x'`,
    );
  });
});

describe("requestOf a change without a body", () => {
  it("names a type, without which guards against forged forms refuse it", () => {
    const change = { template: "/x", parameters: [], body: undefined, token: undefined };
    for (const method of ["post", "put", "patch", "delete"]) {
      assert.deepEqual(requestOf({ ...change, method }).headers, { "content-type": "application/json" });
    }
  });
});

describe("shownBody", () => {
  it("indents JSON alone", () => {
    assert.equal(shownBody('{"a":1}', "application/json"), '{\n  "a": 1\n}');
    assert.equal(shownBody("{broken", "application/json"), "{broken");
    assert.equal(shownBody('{"a":1}', "text/plain"), '{"a":1}');
  });
});
