/** The page as it is carried: made from its sources, small, and without anything that its policy forbids. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { openApiDocument } from "../../../build/contract/document.ts";
import { pageModule } from "../../../build/carry_page.ts";
import { PAGE_FILES } from "../../../extensions/page/carried/files.js";
import { ROOT } from "../../support/programs.ts";

/** Largest size of all that the first view loads, compressed, in bytes: far below the 300 kB of a heavy page. */
const MAX_FIRST_VIEW_BYTES = 30_000;
/** Largest size of all files together, likewise: a visitor who opens everything in all languages. */
const MAX_PAGE_BYTES = 135_000;
/** Largest size of the reference, likewise, its document included: far below 600 kB. */
const MAX_REFERENCE_BYTES = 50_000;

const names = Object.keys(PAGE_FILES);
const sizeOf = (those: readonly string[]) =>
  those.reduce((sum, name) => sum + gzipSync(PAGE_FILES[name]!.text).length, 0);
const isOfReference = (name: string) => name.startsWith("view.");
/** The files that are loaded with one: those that it imports, and those that these import. */
function loadedWith(name: string, loaded: Set<string> = new Set()): Set<string> {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  const { text } = PAGE_FILES[name]!;
  for (const [, other] of text.matchAll(/(?:from|import)"\.\/([\w.]+)"/g)) loadedWith(other!, loaded);
  return loaded;
}

describe("extensions/page/carried/files.js", () => {
  it("is what `node build/carry_page.ts` writes", () => {
    const isSame = readFileSync(join(ROOT, "extensions/page/carried/files.js"), "utf8") === pageModule();
    assert.ok(isSame, "extensions/page/ or src/client/ has changed: run `node build/carry_page.ts`");
  });

  it(`has a first view of at most ${MAX_FIRST_VIEW_BYTES} bytes, compressed, and files of ${MAX_PAGE_BYTES}`, () => {
    const main = names.find((name) => name.startsWith("main."))!;
    const first = sizeOf(["index.html", ...loadedWith(main)]);
    assert.ok(first <= MAX_FIRST_VIEW_BYTES, `${first} bytes`);
    assert.ok(sizeOf(names) <= MAX_PAGE_BYTES, `${sizeOf(names)} bytes`);
    assert.ok(![...loadedWith(main)].some((name) => /^(?:markdown|highlight)\./.test(name)));
  });

  it("names all that the first view loads in its text, so that nothing waits for another file", () => {
    const main = names.find((name) => name.startsWith("main."))!;
    const { text } = PAGE_FILES["index.html"]!;
    const named = [...text.matchAll(/(?:href|src)="page\/([^"]+)"/g)].map(([, name]) => name!);
    assert.deepEqual(named.toSorted(), [...loadedWith(main)].toSorted());
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
    assert.ok(!PAGE_FILES["index.html"]!.text.includes(`"page/${reference}"`));
  });

  it("makes neither HTML nor code of text, and has no address of another host", () => {
    const sources = readdirSync(join(ROOT, "extensions/page"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("carried"));
    assert.ok(sources.length > 20);
    for (const name of sources) {
      const text = readFileSync(join(ROOT, "extensions/page", name), "utf8");
      const made = /innerHTML|outerHTML|insertAdjacentHTML|DOMParser|createContextualFragment/i.exec(text);
      assert.equal(made?.[0], undefined, name);
    }
    for (const [name, { text }] of Object.entries(PAGE_FILES)) {
      assert.equal(/document\.write|\beval\(|new Function|srcdoc=/.exec(text)?.[0], undefined, name);
      // Names of namespaces, and words for the console.
      const others = text.replace(
        /https?:\/\/(?:www\.w3\.org|github\.com\/(?:highlightjs|markedjs))\/[\w/.-]*/g,
        "",
      );
      assert.equal(/https?:\/\/\w.{0,40}/.exec(others)?.[0], undefined, name);
    }
  });
});
