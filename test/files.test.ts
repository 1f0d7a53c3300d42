/** Which runtime runs which tests: every place in the lists is there, and nothing is left out that should not be. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { filesOf, PLACES } from "./files.ts";

describe("the tests of a runtime", () => {
  it("are chosen by places that exist", () => {
    assert.deepEqual(PLACES.filter((place) => !existsSync(new URL(`../${place}`, import.meta.url))), []);
  });

  it("are all of them on Node.js, and on the others when all are asked for", () => {
    const all = filesOf("node", false);
    assert.ok(all.length > 300);
    for (const runtime of ["node", "deno", "bun"]) assert.deepEqual(filesOf(runtime, true), all);
  });

  it("cover requests, files and everything else that a runtime brings, on all three", () => {
    // Of routes, those whose answers are computed from objects in memory are none of a runtime's business.
    const everywhere = ["deno", "bun"].map((runtime) => new Set(filesOf(runtime, false)));
    const missing = filesOf("node", false).filter((path) => !everywhere.every((files) => files.has(path)));
    const kept =
      /^test\/(?:adapters\/(?!closing|concurrent)|client\/client|diff_service|extensions\/(?:clients|[a-z]+\/(?:home|like_git|requests|routes))\.test|extensions\/git\/|http|keys|routes\/(?!commits|history|issue|large_objects|lists|long_objects|many_values|patch|strangers|today_changes|tree|turns_private)|session)/;
    assert.deepEqual(missing.filter((path) => kept.test(path)), []);
  });
});
