import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatRid, type RepoId } from "../../src/ids/rid.ts";
import type { Row, Statement } from "../../src/ports/node_database.ts";
import { BusyRetryDatabase } from "../../src/seeding/busy_retry_database.ts";
import { LIST_POLICIES, MAX_POLICIES } from "../../src/seeding/policy.ts";
import { countSeeds, MAX_INVENTORY, readAliases, readInventory } from "../../src/seeding/routing.ts";
import { ALICE, BOB } from "../support/world.ts";

/** A database that answers every query alike, and the queries it got. */
function databaseOf(rows: readonly Row[] = []) {
  const queries: Statement[] = [];
  const database = new BusyRetryDatabase({
    path: "/h/x.db",
    fileSystem: { stat: () => undefined },
    log: () => {},
    database: {
      read: (query) => (queries.push(query), Promise.resolve(rows)),
      write: () => Promise.resolve(),
    },
  });
  return { database, queries };
}

const ridOf = (n: number): RepoId =>
  formatRid(Uint8Array.from({ length: 20 }, (_, i) => n >> (8 * (19 - i)) & 0xff));

describe("questions to the databases", () => {
  it("ask for many ids at once, as many as SQLite takes, each id one time", async () => {
    const rids = Array.from({ length: 2001 }, (_, n) => ridOf(n));
    const { database, queries } = databaseOf();
    await countSeeds(database, [...rids, ...rids]);
    const counts = queries.map(({ values }) => values!.length);
    assert.equal(counts.reduce((sum, count) => sum + count), rids.length);
    assert.ok(counts.length < 20 && Math.max(...counts) < 1000, counts.join());
  });

  it("are not asked about nothing", async () => {
    const { database, queries } = databaseOf();
    assert.equal((await countSeeds(database, [])).size, 0);
    assert.equal((await readAliases(database, database, [])).size, 0);
    assert.deepEqual(queries, []);
  });

  it("are the same whatever the order of the ids, so that answers can be remembered", async () => {
    const { database, queries } = databaseOf();
    await countSeeds(database, [ridOf(1), ridOf(2)]);
    await countSeeds(database, [ridOf(2), ridOf(1)]);
    assert.equal(queries.length, 1);
  });

  it(`take ${MAX_INVENTORY} repositories of a node and ${MAX_POLICIES} policies at most`, async () => {
    const { database, queries } = databaseOf();
    await readInventory(database, BOB);
    assert.deepEqual(queries[0]?.values, [BOB, MAX_INVENTORY]);
    assert.deepEqual(LIST_POLICIES.values, [MAX_POLICIES]);
    for (const { sql } of [...queries, LIST_POLICIES]) assert.match(sql, / limit \?$/);
  });
});

describe("readInventory", () => {
  it("orders repositories by the bytes of their ids, and leaves out invalid ids", async () => {
    const repos = [ridOf(256 ** 3), ridOf(1), "rad:zz", null];
    const { database } = databaseOf(repos.map((repo) => ({ repo })));
    assert.deepEqual(await readInventory(database, BOB), [ridOf(1), ridOf(256 ** 3)]);
  });
});

describe("readAliases", () => {
  it("asks what a node calls itself only where its owner has not named it", async () => {
    const policies = databaseOf([{ id: ALICE, alias: "friend" }, { id: BOB, alias: "" }]);
    const node = databaseOf([{ id: BOB, alias: "bob" }]);
    const aliases = await readAliases(policies.database, node.database, [ALICE, BOB]);
    assert.deepEqual(Object.fromEntries(aliases), { [ALICE]: "friend", [BOB]: "bob" });
    assert.deepEqual(node.queries[0]?.values, [BOB]);
  });
});
