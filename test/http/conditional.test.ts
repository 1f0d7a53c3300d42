/** Entity tags and `304 Not Modified`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entityTag, holdsTag, isAnyTag, notModified } from "../../src/http/conditional.ts";

const TAG = entityTag("what it stands for");

describe("entityTag", () => {
  it("is strong, short and other for other texts", () => {
    assert.match(TAG, /^"[0-9a-f]{32}"$/);
    assert.equal(entityTag("what it stands for"), TAG);
    assert.notEqual(entityTag("what it stands for "), TAG);
  });
});

describe("holdsTag", () => {
  const cases: [value: string, holds: boolean][] = [
    [TAG, true],
    [` ${TAG} `, true],
    [`W/${TAG}`, true],
    [`"a", W/"b,c" ,, ${TAG}`, true],
    [`"a"\t,\t${TAG},"b"`, true],
    [`"", ${TAG}`, true],
    ["", false],
    ["*", false],
    [`"a", "b"`, false],
    [TAG.slice(1, -1), false],
    [TAG.slice(0, -1), false],
    [`w/${TAG}`, false],
    [`"a" ${TAG}`, false],
    [`"a""b"`, false],
    [`"a b", ${TAG}`, false],
    [TAG.toUpperCase().replace("W/", ""), TAG === TAG.toUpperCase()],
  ];
  for (const [value, holds] of cases) {
    it(`is ${holds} of ${JSON.stringify(value)} (RFC 9110, 13.1.2)`, () =>
      assert.equal(holdsTag(value, TAG), holds));
  }

  it("takes long lists in their stride", () => {
    assert.ok(holdsTag(`${'"a", '.repeat(10_000)}${TAG}`, TAG));
    assert.ok(!holdsTag(`${" ".repeat(100_000)}x`, TAG));
  });
});

describe("isAnyTag", () => {
  it("is true of the asterisk alone", () => {
    assert.ok(isAnyTag("*") && isAnyTag(" * "));
    assert.ok(!isAnyTag('"*"') && !isAnyTag("*, *") && !isAnyTag(""));
  });
});

describe("notModified", () => {
  it("repeats what caches need, and nothing of the body (RFC 9110, 15.4.5)", () => {
    const answer = notModified({
      etag: TAG,
      "cache-control": "no-cache",
      vary: "origin",
      "content-type": "text/plain",
      "content-length": "5",
      "content-security-policy": "sandbox",
    });
    assert.deepEqual([answer.status, answer.body], [304, undefined]);
    assert.deepEqual(answer.headers, {
      etag: TAG,
      "cache-control": "no-cache",
      vary: "origin",
    });
  });
});
