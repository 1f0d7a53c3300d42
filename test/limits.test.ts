/** `docs/limits.md` shows the limits as they stand in the code, and tests depend on no other numbers. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { limitsDocument } from "../build/carry_limits.ts";
import { CHAPTERS } from "../build/limits.ts";

const ROOT = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");

describe("docs/limits.md", () => {
  it("shows the limits as the code has them (node build/carry_limits.ts writes it)", async () => {
    assert.equal(read("docs/limits.md"), await limitsDocument());
  });
});

/** Constants of formats, of protocols and of other programs, which do not change when the code does. */
const FIXED: ReadonlySet<string> = new Set([
  "BLOCK_BYTES",
  "DEMO_EDITION",
  "NO_AUTHOR",
  "OID_BYTES",
  "PACK_VERSION",
  "PREAMBLE_BYTES",
  "PUBLISHED_FORMAT",
  "SECRET_KEY_BYTES",
]);

/** Numbers that a module exports, by their text. */
function exportedNumbers(source: string): Set<string> {
  return new Set(
    [...source.matchAll(/^export const (?:([A-Z][A-Z0-9_]*)(?:: [^=]+)? = [\d(-]|\[([A-Z0-9_, ]+)\])/gm)]
      .flatMap(([, name, names]) => name ?? names!.split(", ")),
  );
}

describe("tests", () => {
  it("import no number by which the code is tuned: a limit has its row in build/limits.ts", () => {
    const limits = JSON.stringify(CHAPTERS);
    const tests = readdirSync(new URL("test/", ROOT), { recursive: true, encoding: "utf8" })
      .map((name) => `test/${name.replaceAll("\\", "/")}`).filter((path) => path.endsWith(".test.ts"));
    const tuned = tests.filter((path) => {
      const imports = read(path).matchAll(
        /^import \{([^}]*)\} from "([./]+\/(?:src|extensions|adapters)\/[^"]+)";/gm,
      );
      return [...imports].some(([, names, module]) => {
        const { pathname } = new URL(module!, new URL(path, "file:///"));
        const numbers = exportedNumbers(read(pathname.slice(1)));
        return names!.split(",").map((name) => name.trim())
          .some((name) => numbers.has(name) && !FIXED.has(name) && !limits.includes(`#${name}"`));
      });
    });
    assert.deepEqual(tuned, []);
  });
});
