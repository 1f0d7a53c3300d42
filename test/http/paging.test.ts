/** Pages of lists. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageOf, pageOfFound } from "../../src/http/paging.ts";

const ITEMS = Array.from({ length: 25 }, (_, i) => i);

describe("pageOfFound", () => {
  const found: number[] = [];
  async function* find() {
    found.length = 0;
    for (const item of ITEMS) {
      found.push(item);
      yield await Promise.resolve(item);
    }
  }

  it("takes what a page of the whole list would hold", async () => {
    for (
      const paging of [
        { page: 0 },
        { page: 1 },
        { page: 2 },
        { page: 3 },
        { page: 1, perPage: 7 },
        { page: 0, perPage: 0 },
        { page: Number.MAX_SAFE_INTEGER, perPage: 100 },
      ]
    ) {
      assert.deepEqual(await pageOfFound(find(), paging), pageOf(ITEMS, paging));
    }
  });

  it("looks for nothing after the page", async () => {
    await pageOfFound(find(), { page: 1, perPage: 4 });
    assert.equal(found.length, 8);
  });
});
