/** Queries in bytes that are not UTF-8: a text with replacements would be another text (4.1). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allEndpoints } from "../../build/contract/all.ts";
import { createTestApi, OWNER } from "../support/api.ts";
import { ALICE } from "../support/world.ts";

describe("a query that is not UTF-8", () => {
  const { get, world: { helloRid, commits: [first] } } = createTestApi({ api: "both" });
  const parts: Record<string, string> = {
    ...{ project: helloRid, rid: helloRid, name: `${helloRid.slice("rad:".length)}.git`, nid: ALICE },
    ...{ sha: first, oid: first, path: "README", archive: `${first}.tar`, delegate: `did:key:${ALICE}` },
  };

  for (const { method, path, query } of allEndpoints("key", "both")) {
    if (method !== "GET" || query === undefined) continue;
    for (const name of Object.keys(query.entries)) {
      it(`is refused: GET ${path}?${name}`, async () => {
        const filled = path.replaceAll(/[:*](\w+)/g, (_, part: string) => parts[part] ?? "x");
        const { status, body } = await get(`/${filled}?${name}=%FF.txt`, OWNER);
        assert.equal(status, 400, JSON.stringify(body));
      });
    }
  }
});
