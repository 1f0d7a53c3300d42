/** Pages of history: of one file or folder, and with as much of the diffs as is wanted. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { type Answer, createTestApi, STRANGER } from "../support/api.ts";
import { createWorld, type Folder, putCommit, setHead, START_SECONDS } from "../support/world.ts";

const TEXT = "Line one\nLine two\n";

/** A branch on which a file is made, changed and moved; its commits, the oldest first. */
function createHistory() {
  const world = createWorld();
  const commits: Oid[] = [];
  const folders: Folder[] = [
    { README: "1\n" },
    { README: "1\n", docs: { guide: TEXT } },
    { README: "2\n", docs: { guide: TEXT } },
    { README: "2\n", docs: { guide: `${TEXT}Three\n` } },
    { README: "2\n", docs: { manual: `${TEXT}Three\n` } },
    { README: "3\n", docs: { manual: `${TEXT}Three\n` } },
    { README: "3\n", docs: { manual: `${TEXT}Three\nFour\n` } },
  ];
  for (const [i, folder] of folders.entries()) {
    const parents = commits.slice(-1);
    const timeSeconds = START_SECONDS + 10_000 + i;
    commits.push(putCommit(world.hello, { folder, parents, message: `${i}\n`, timeSeconds }));
  }
  setHead(world.hello, commits.at(-1)!);
  const { get } = createTestApi({ api: "both" }, world);
  const numbersOf = ({ body, status }: Answer): number[] => {
    assert.equal(status, 200);
    const items: { id?: Oid; commit?: { id: Oid } }[] = body.commits ?? body;
    return items.map(({ id, commit }) => commits.indexOf((id ?? commit?.id)!));
  };
  const lists = ["projects", "repos"].map((dialect) => `/${dialect}/${world.helloRid}/commits`);
  return { world, commits, get, numbersOf, lists };
}

describe("GET /commits?path=", () => {
  it("shows the commits that changed a file or something in a folder", async () => {
    const { get, numbersOf, lists } = createHistory();
    for (const list of lists) {
      const found = async (query: string) => numbersOf(await get(`${list}?${query}`));
      assert.deepEqual(await found("path=README"), [5, 2, 0]);
      for (const path of ["docs", "docs/", "docs%2F"]) {
        assert.deepEqual(await found(`path=${path}`), [6, 4, 3, 1], path);
      }
      assert.deepEqual(await found("path=docs/manual"), [6, 4]);
      assert.deepEqual(await found("path=docs/guide"), [4, 3, 1]);
      assert.deepEqual(await found("path=none/at/all"), []);
      assert.deepEqual(await found(`path=docs&since=${START_SECONDS + 10_003}`), [6, 4, 3]);
      assert.deepEqual(await found(`path=docs&until=${START_SECONDS + 10_004}&perPage=1`), [3]);
    }
  });

  it("begins with the commit that is asked for", async () => {
    const { get, numbersOf, lists, commits } = createHistory();
    for (const list of lists) {
      assert.deepEqual(numbersOf(await get(`${list}?path=docs&parent=${commits[3]}`)), [3, 1]);
      assert.deepEqual(numbersOf(await get(`${list}?path=docs&parent=HEAD`)), [6, 4, 3, 1]);
    }
  });

  it("goes on under the names that a file had before when renames are followed", async () => {
    const { get, numbersOf, lists } = createHistory();
    for (const list of lists) {
      const answer = await get(`${list}?path=docs/manual&follow=true&diff=none`);
      assert.deepEqual(numbersOf(answer), [6, 4, 3, 1]);
      assert.deepEqual(numbersOf(await get(`${list}?path=docs/manual&follow=false`)), [6, 4]);
      assert.deepEqual(numbersOf(await get(`${list}?path=docs&follow=true`)), [6, 4, 3, 1]);
      assert.equal(numbersOf(await get(`${list}?follow=true`)).length, 7);
    }
  });

  it("comes in pages that know of each other, and how many commits there are at the end", async () => {
    const { get, numbersOf, lists, commits } = createHistory();
    for (const list of lists) {
      const first = await get(`${list}?path=docs&perPage=3`);
      const next = `?parent=${commits.at(-1)}&path=docs&perPage=3&page=1`;
      assert.match(first.headers.get("link")!, new RegExp(`<${next.replaceAll("?", "\\?")}>; rel="next"`));
      assert.equal(first.headers.get("x-total-count"), null);
      const last = await get(list + next);
      assert.deepEqual([numbersOf(last), last.headers.get("x-total-count")], [[1], "4"]);
      assert.doesNotMatch(last.headers.get("link")!, /next/);
      const whole = await get(`${list}?path=docs&perPage=4`);
      assert.equal(whole.headers.get("x-total-count"), "4");
      assert.deepEqual(numbersOf(await get(`${list}?path=docs&perPage=0`)), []);
      assert.deepEqual(numbersOf(await get(`${list}?path=docs&page=9`)), []);
    }
  });

  it("is cached as other pages, and made again when the branch moves", async () => {
    const { world, get, numbersOf, lists, commits } = createHistory();
    for (const list of lists) {
      const path = `${list}?path=README`;
      const { headers } = await get(path);
      const asked = { headers: { "if-none-match": headers.get("etag")! } };
      assert.equal((await get(path, STRANGER, asked)).status, 304);
      setHead(world.hello, commits[2]!);
      const moved = await get(path, STRANGER, asked);
      assert.deepEqual(numbersOf(moved), [2, 0]);
      setHead(world.hello, commits.at(-1)!);
    }
  });

  it("refuses what is no path, and other values", async () => {
    const { get, lists } = createHistory();
    const paths = ["", "/", "/README", "a//b", ".", "..", "a/../b", "a%00", "a".repeat(4097)];
    const queries = [...paths.map((path) => `path=${path}`), "follow=", "follow=1", "path=a&path=b"];
    for (const list of lists) {
      for (const query of queries) {
        const { status, body } = await get(`${list}?${query}`);
        assert.equal(status, 400, query);
        assert.match(body.error, /^(Cannot read q|Q)uery parameter "(path|follow)"/);
      }
    }
  });
});

describe("GET /commits?diff=", () => {
  it("leaves out diffs, or shows their statistics alone", async () => {
    const { get, lists: [list] } = createHistory();
    const full = await get(`${list}?diff=full`);
    assert.deepEqual(full.body, (await get(list!)).body);
    const without = await get(`${list}?diff=none`);
    const stats = await get(`${list}?diff=stats`);
    type Item = { diff?: { stats: unknown }; commit: unknown; branches: unknown };
    const items: Item[] = full.body.commits;
    assert.ok(items.every(({ diff }) => diff !== undefined));
    assert.deepEqual(without.body, {
      ...full.body,
      commits: items.map(({ commit, branches }) => ({ commit, branches })),
    });
    assert.deepEqual(stats.body, {
      ...full.body,
      commits: items.map(({ commit, branches, diff }) => ({ commit, stats: diff?.stats, branches })),
    });
    assert.match(without.headers.get("link")!, /diff=none/);
    assert.doesNotMatch(full.headers.get("link")!, /diff/);
    for (const query of ["diff=", "diff=some", "diff=none&diff=none"]) {
      assert.equal((await get(`${list}?${query}`)).status, 400, query);
    }
  });

  it("is a parameter of version 1 alone: today's lists have no diffs", async () => {
    const { get, lists: [, list] } = createHistory();
    assert.deepEqual((await get(`${list}?diff=some`)).body, (await get(list!)).body);
  });
});
