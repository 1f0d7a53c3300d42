/** Queries of a large index: their turns beside others, their time, and how far they page. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RepoId } from "../../../mod.ts";
import type { ScanResult, SearchIndex } from "../../../extensions/search/search_index.ts";
import { SCAN_TEXTS } from "../../../adapters/node/search_database.ts";
import { createCore } from "../../../src/core.ts";
import { MAX_SEARCHES_OF_CLIENT, Search } from "../../../extensions/search/search.ts";
import {
  MAX_QUERY_MS,
  MAX_RANKED,
  type Query,
  type QueryResult,
  runQuery,
} from "../../../extensions/search/query.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { createTestApi, type TestApi } from "../../support/api.ts";
import { createTestIndex } from "../../support/search.ts";
import { createRepository, createWorld } from "../../support/world.ts";

const REPOSITORIES = 3;
const TEXTS = 15_000;
const LOOKS = Math.ceil(REPOSITORIES * TEXTS / SCAN_TEXTS);
/** Texts that are put at once. */
const PORTION = 1000;

const world = createWorld();
const big = createTestIndex({ fileBytes: 2 ** 28, repositoryBytes: 2 ** 25, repositoryTexts: TEXTS });
const rids: readonly RepoId[] = [
  world.helloRid,
  ...Array.from(
    { length: REPOSITORIES - 1 },
    (_, i) => createRepository(world.storage, { name: `big${i}` }).rid,
  ),
];

before(async () => {
  for (const rid of rids) {
    for (let at = 0; at < TEXTS; at += PORTION) {
      const texts = Array.from({ length: PORTION }, (_, i) => ({
        key: `issue ${String(at + i).padStart(40, "0")}`,
        title: "common",
        body: `common ${(at + i) % 5000 === 0 ? "needle " : ""}words of text`,
        status: "open",
      }));
      await big.put("public", rid, texts);
    }
  }
});
after(() => big.close());

/** An API whose searches look at the big index. */
function bigApi(): TestApi {
  const searchIndex: SearchIndex = {
    ...createTestIndex(),
    scan: (scan) => big.scan(scan),
    texts: (found) => big.texts(found),
  };
  return createTestApi({ searchIndex }, world);
}

/** Runs a query of the big index, or another one. */
function ask(query: Partial<Query>, index: SearchIndex = big): Promise<QueryResult> {
  return runQuery(index, {
    expression: '"common"',
    parts: ["public"],
    offset: 0,
    limit: 10,
    task: new Task(),
    isVisible: () => Promise.resolve(true),
    inTurn: (work) => work(),
    ...query,
  });
}

describe("a client that floods searches of 45,000 texts", () => {
  it("delays another one by about as many turns as that one takes", async () => {
    const { cobs, identities, graphs } = createCore({});
    const looks: string[] = [];
    const begun = Promise.withResolvers<void>();
    const search = new Search({
      index: {
        ...createTestIndex(),
        async scan(scan) {
          looks.push(scan.expression);
          begun.resolve();
          // As a thread does, it lets this one go on.
          await new Promise((resume) => setTimeout(resume));
          return await big.scan(scan);
        },
        texts: (found) => big.texts(found),
      },
      storage: { repositoryIds: () => [], repository: () => undefined },
      evaluation: "newest",
      log: () => {},
      ...{ cobs, identities, graphs },
    });
    const find = (query: string, client: string) => {
      const isVisible = () => Promise.resolve(true);
      return search.find({
        query,
        client,
        isVisible,
        offset: 0,
        limit: 10,
        task: new Task(),
        isOwner: false,
      });
    };
    const flood = Array.from({ length: MAX_SEARCHES_OF_CLIENT }, () => find("common", "192.0.2.7"));
    await begun.promise;
    const startedAt = looks.length;
    const { total, isComplete } = await find("needle", "198.51.100.1");
    const meanwhile = looks.slice(startedAt);
    const own = meanwhile.filter((expression) => expression.includes("needle")).length;
    assert.deepEqual([total, isComplete, own], [9, true, LOOKS]);
    // One before each look and before the texts are read, the one under way, and one pause of its task.
    const most = own + 2 + MAX_SEARCHES_OF_CLIENT;
    assert.ok(meanwhile.length - own <= most, `${meanwhile.length - own} turns beside ${own}`);
    const before = looks.length;
    for (const { hits } of await Promise.all(flood)) assert.equal(hits.length, 10);
    assert.ok(looks.length > before, "the flood was over");
    await search.close();
  });
});

describe("a query", () => {
  it("scans all texts in several turns, and counts and ranks as in one", async () => {
    let turns = 0;
    const inTurn: Query["inTurn"] = (work) => (turns++, work());
    const { total, hits, isWhole } = await ask({ inTurn });
    assert.deepEqual([total, hits.length, isWhole], [REPOSITORIES * TEXTS, 10, true]);
    assert.equal(turns, LOOKS + 1);
    const { hits: more } = await ask({ limit: 500 });
    assert.deepEqual(more.slice(0, 10), hits);
    assert.equal(new Set(more.map(({ rid, key }) => `${rid} ${key}`)).size, 500);
  });

  it("finds only what the client may read, in its order", async () => {
    const only = rids[1]!;
    const { total, hits } = await ask({ isVisible: (rid) => Promise.resolve(rid === only), limit: 1000 });
    assert.deepEqual([total, hits.length, new Set(hits.map(({ rid }) => rid)).size], [TEXTS, 1000, 1]);
    const { total: none } = await ask({ isVisible: () => Promise.resolve(false) });
    assert.equal(none, 0);
  });

  it("ends when its time is over, with what it has found", async () => {
    const tookMs = MAX_QUERY_MS / 4;
    let looks = 0;
    const slow: SearchIndex = {
      ...big,
      scan({ from, part }): Promise<ScanResult> {
        looks++;
        const best = [{
          part,
          row: from + 1,
          rid: world.helloRid,
          key: `issue ${String(from).padStart(40, "0")}`,
          rank: -from,
        }];
        return Promise.resolve({ counts: new Map([[world.helloRid, 1]]), best, next: from + 1, tookMs });
      },
      texts: (found) =>
        Promise.resolve(found.map(({ rid, key }) => ({ rid, key, title: "", body: "", status: "" }))),
    };
    const { total, hits, isWhole } = await ask({ parts: ["public", "private"] }, slow);
    assert.deepEqual([looks, total, isWhole], [4, 4, false]);
    assert.deepEqual(hits.map(({ key }) => key.slice(-1)), ["3", "2", "1", "0"]);
    const { api, get } = createTestApi({
      searchIndex: { ...createTestIndex(), scan: slow.scan, texts: slow.texts },
    }, world);
    const { status, body, headers } = await get("/search?q=common");
    assert.deepEqual([status, body.length, headers.get("x-total-count")], [200, 4, null]);
    await api.close();
  });

  it("pages through the best texts, and counts all", async () => {
    const { api, get } = bigApi();
    const last = await get(`/search?q=common&perPage=100&page=${MAX_RANKED / 100 - 1}`);
    assert.deepEqual([last.body.length, last.headers.get("x-total-count")], [
      100,
      String(REPOSITORIES * TEXTS),
    ]);
    assert.doesNotMatch(last.headers.get("link")!, /rel="next"/);
    for (const page of [MAX_RANKED / 100, 2 ** 40, "18446744073709551615"]) {
      const { status, body } = await get(`/search?q=common&perPage=100&page=${page}`);
      assert.deepEqual([status, body], [200, []]);
    }
    await api.close();
  });
});
