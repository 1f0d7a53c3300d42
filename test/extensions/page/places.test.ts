/** Addresses of the page, and lines of files in them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  atPath,
  branchOfNode,
  formatLines,
  hashOf,
  inRepository,
  parseLines,
  parsePlace,
  shownRevision,
} from "../../../extensions/page/browser/places.ts";

describe("parsePlace", () => {
  it("reads addresses of the page", () => {
    for (const hash of ["", "#", "#/"]) assert.deepEqual(parsePlace(hash), { parts: [], query: {} }, hash);
    assert.deepEqual(parsePlace("#/search/a%20b%2Fc?page=2"), {
      parts: ["search", "a b/c"],
      query: { page: "2" },
    });
    assert.deepEqual(parsePlace("#/100%/x"), { parts: ["100%", "x"], query: {} });
  });

  it("reads what is written, with all names of branches, files and words", () => {
    for (
      const text of [
        "docs",
        "feature/birds",
        "a b/c#d/e?f&g=h",
        "100%/%2F",
        "日本語/木.md",
        "<img src=x onerror=alert(1)>",
      ]
    ) {
      assert.deepEqual(parsePlace(hashOf(["search", text], { q: text, none: undefined, empty: "" })), {
        parts: ["search", text],
        query: { q: text },
      });
      const hash = atPath("rad:z123", "blob", text, text, { lines: "3-4" });
      assert.ok(hash.startsWith("#/repositories/rad:z123/blob/"), hash);
      assert.deepEqual(parsePlace(hash), {
        parts: ["repositories", "rad:z123", "blob", text, ...text.split("/")],
        query: { lines: "3-4" },
      });
    }
    assert.equal(inRepository("rad:z123"), "#/repositories/rad:z123");
  });
});

describe("parseLines", () => {
  it("reads a line and a range, in any order", () => {
    for (
      const [text, start, end] of [["12", 12, 12], ["12-20", 12, 20], ["L20-L12", 12, 20], [
        " 3 - 4 ",
        3,
        4,
      ]] as const
    ) assert.deepEqual(parseLines(text), { start, end }, text);
    assert.equal(parseLines(undefined), undefined);
    for (const text of ["", "0", "1-0", "x", "1-2-3", "-1", "123456789"]) {
      assert.equal(parseLines(text), undefined, text);
    }
    for (const text of ["7", "7-9"]) assert.equal(formatLines(parseLines(text)!), text);
  });
});

describe("shownRevision", () => {
  it("shortens ids and branches of nodes", () => {
    assert.equal(shownRevision("feature/birds"), "feature/birds");
    assert.equal(shownRevision("a".repeat(40)), "aaaaaaa");
    assert.equal(shownRevision(branchOfNode("z6MkabcdefghijkL", "main")), "main of z6Mkabcdefgh…");
  });
});
