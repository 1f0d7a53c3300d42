/** The page as it is carried: made from its sources, small, and without anything that its policy forbids. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { openApiDocument } from "../../src/contract/document.ts";
import { pageModule } from "../../build/carry_page.ts";
import { PAGE_FILES } from "../../src/page/carried/files.js";
import { ROOT } from "../support/programs.ts";

/** Largest size of all that the page loads at first, compressed, in bytes: far below the 300 kB of a heavy page. */
const MAX_PAGE_BYTES = 20_000;
/** Largest size of the reference, likewise, its document included: far below 600 kB. */
const MAX_REFERENCE_BYTES = 50_000;

const names = Object.keys(PAGE_FILES);
const sizeOf = (those: readonly string[]) =>
  those.reduce((sum, name) => sum + gzipSync(PAGE_FILES[name]!.text).length, 0);
const isOfReference = (name: string) => name.startsWith("view.");

describe("src/page/carried/files.js", () => {
  it("is what `node build/carry_page.ts` writes", () => {
    const isSame = readFileSync(join(ROOT, "src/page/carried/files.js"), "utf8") === pageModule();
    assert.ok(isSame, "src/page/ or src/client/ has changed: run `node build/carry_page.ts`");
  });

  it(`has a page of at most ${MAX_PAGE_BYTES} bytes, compressed`, () => {
    const size = sizeOf(names.filter((name) => !isOfReference(name)));
    assert.ok(size <= MAX_PAGE_BYTES, `${size} bytes`);
  });

  it(`has a reference of at most ${MAX_REFERENCE_BYTES} bytes, which the page loads on demand`, () => {
    const [reference] = names.filter(isOfReference);
    const document = openApiDocument({
      version: "",
      basePath: "",
      signIn: "key",
      dialect: "both",
      page: true,
    });
    const size = sizeOf([reference!]) + gzipSync(JSON.stringify(document)).length;
    assert.ok(size <= MAX_REFERENCE_BYTES, `${size} bytes`);
    const main = PAGE_FILES[names.find((name) => name.startsWith("main."))!]!.text;
    assert.ok(main.includes(`import("./${reference}")`));
    assert.ok(!PAGE_FILES["index.html"]!.text.includes(reference!));
  });

  it("makes neither HTML nor code of text, and has no address of another host", () => {
    for (const [name, { text }] of Object.entries(PAGE_FILES)) {
      assert.doesNotMatch(
        text,
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc/,
        name,
      );
      assert.doesNotMatch(text.replaceAll("http://www.w3.org/2000/svg", ""), /https?:\/\/\w/, name);
    }
  });
});
