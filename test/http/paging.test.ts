/** Pages of lists. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageFields, pageOf, pageOfFound } from "../../src/http/paging.ts";

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
      assert.deepEqual((await pageOfFound(find(), paging)).items, pageOf(ITEMS, paging).items);
    }
  });

  it("reads one item beyond the page to know whether there is a next page", async () => {
    const { total, hasNext } = await pageOfFound(find(), { page: 1, perPage: 4 });
    assert.deepEqual([found.length, total, hasNext], [9, undefined, true]);
  });

  it("knows the size of a list that ends on the page, or before it", async () => {
    for (const paging of [{ page: 4, perPage: 5 }, { page: 2 }, { page: 9 }]) {
      const { total, hasNext } = await pageOfFound(find(), paging);
      assert.deepEqual([total, hasNext], [ITEMS.length, false]);
    }
  });
});

describe("pageFields", () => {
  it("escapes what was asked for", () => {
    const { link } = pageFields({ q: `a>b, "c" & ü`, label: undefined }, { page: 0 }, { hasNext: false });
    assert.equal(link, '<?q=a%3Eb%2C+%22c%22+%26+%C3%BC&perPage=10&page=0>; rel="first"');
  });

  it("leaves out a link that is too long for proxies, but not the count", () => {
    const fieldsOf = (length: number) =>
      pageFields({ q: "x".repeat(length) }, { page: 0 }, { total: 1, hasNext: false });
    // nginx takes header fields of 4 KiB together by default.
    assert.ok(fieldsOf(1000)["link"]!.length > 2000);
    assert.deepEqual(fieldsOf(2000), { "x-total-count": "1" });
  });
});
