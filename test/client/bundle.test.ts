/** The client's types are those of the contract, and its code is small and runs anywhere. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { clientTypes } from "../../build/client_types.ts";
import { ERROR_CODES } from "../../src/client/contract.ts";
import { ERRORS } from "../../build/contract/errors.ts";
import { ROOT } from "../support/programs.ts";

/** Largest size of the client, minified and compressed, in bytes. */
const MAX_BYTES = 15 * 1024;

/** A module without what the formatter changes. */
function unformatted(text: string): string {
  return text.replace(/\s+/g, "").replace(/,(?=[\]})])/g, "").replace(/(?<=[=:(])\|/g, "").replace(
    /"(\w+)":/g,
    "$1:",
  );
}

describe("src/client/contract.ts", () => {
  it("is what `node build/client_types.ts` writes", () => {
    const text = readFileSync(join(ROOT, "src/client/contract.ts"), "utf8");
    assert.equal(unformatted(text), unformatted(clientTypes()));
  });

  it("has the code of each status of an error", () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      assert.equal(ERROR_CODES[status], code === "badParameter" ? "badRequest" : code);
    }
  });
});

describe("the client in a bundle for browsers", () => {
  const esbuild = join(ROOT, "node_modules/.bin/esbuild");
  const entry = join(ROOT, "src/client/mod.ts");
  const bundle = execFileSync(esbuild, [entry, "--bundle", "--minify", "--format=esm", "--platform=browser"]);

  it(`has at most ${MAX_BYTES} bytes, compressed`, () => {
    const { length } = gzipSync(bundle);
    assert.ok(length <= MAX_BYTES, `${length} bytes`);
  });

  it("has no schemas in it, and imports nothing", () => {
    const text = bundle.toString();
    assert.doesNotMatch(text, /\bimport\b|\bprocess\b|~standard/);
    assert.match(text, /createClient/);
  });
});
