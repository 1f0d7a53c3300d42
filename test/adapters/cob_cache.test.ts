/** `cobs/cache.db` as programs of every generation leave it, locked, damaged and foreign, on the runtime that executes this. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { createCobCache } from "../../adapters/node/cob_cache.ts";
import { RowWriter } from "../../src/cob/rad_cache/cache_row_writer.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { CachedObject, CachedType, CobCache, CobCacheObstacle } from "../../src/ports/cob_cache.ts";
import { removeFolder, temporaryFolder } from "../support/programs.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji" as RepoId;
/** Attempts at a locked database. */
const ATTEMPTS = 1000;
const ISSUE = "xyz.radicle.issue";
const PATCH = "xyz.radicle.patch";
const NODE = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";
const oid = (n: number) => n.toString(16).padStart(40, "0") as Oid;
const object = (n: number, type: CachedType = ISSUE): CachedObject => ({ rid: RID, type, id: oid(n) });

/** As the programs make them; STRICT keeps numbers and bytes out. */
const TABLES = `
  create table "issues" ("id" text primary key not null, "repo" text not null, "issue" text not null) strict;
  create table "patches" ("id" text primary key not null, "repo" text not null, "patch" text not null) strict;`;

const folder = temporaryFolder("cob-cache");
after(() => removeFolder(folder));
let count = 0;

interface Database {
  readonly path: string;
  readonly cache: CobCache;
  /** Runs SQL over a connection of its own. */
  run(sql: string): void;
  rows(table: "issues" | "patches"): Record<string, unknown>[];
}

/** A new database of a version. */
function createDatabase(version = 3, more = ""): Database {
  const path = join(folder, `${++count}.db`);
  const within = <T>(step: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path);
    try {
      return step(database);
    } finally {
      database.close();
    }
  };
  const run = (sql: string) => within((database) => database.exec(sql));
  run(`${TABLES} pragma user_version = ${version}; ${more}`);
  return {
    path,
    cache: createCobCache(path),
    run,
    rows: (table) => within((database) => database.prepare(`select * from ${table} order by id`).all()),
  };
}

/** Writes a row, as a rowWriter does that is alone. */
async function write(cache: CobCache, target: CachedObject, text: string): Promise<void> {
  const before = await cache.read(target);
  assert.ok(before);
  assert.equal(await cache.replace(target, before, text), true);
}

/** For `assert.rejects`: the error that says so, with the path, which is for the log alone. */
function obstacle(kind: CobCacheObstacle, { path }: Database, message: RegExp) {
  return { name: "CobCacheError", obstacle: kind, message: new RegExp(`${path}.*${message.source}`) };
}

describe("a database of rad", () => {
  for (const [version, form] of [[1, "0.10"], [2, "1.1"], [3, "newest"]] as const) {
    for (const journal of ["delete", "wal"] as const) {
      it(`of version ${version} takes rows, journal ${journal}`, async () => {
        const database = createDatabase(version, `pragma journal_mode = ${journal};`);
        const { cache } = database;
        assert.deepEqual(await cache.read(object(1)), { form, text: undefined });
        await write(cache, object(1), `{"a":1}`);
        await write(cache, object(1), `{"a":2}`);
        await write(cache, object(2, PATCH), `{"b":"ä€😀"}`);
        assert.deepEqual(await cache.read(object(1)), { form, text: `{"a":2}` });
        assert.deepEqual(database.rows("issues").map((row) => ({ ...row })), [
          { id: oid(1), repo: RID, issue: `{"a":2}` },
        ]);
        assert.deepEqual(database.rows("patches").map((row) => ({ ...row })), [
          { id: oid(2), repo: RID, patch: `{"b":"ä€😀"}` },
        ]);
        for (const name of ["-journal", "-wal", "-shm"]) {
          assert.equal(existsSync(database.path + name), false);
        }
      });
    }
  }

  it("of version 1 belongs to release 1.0 when reviews are lists", async () => {
    const patch = (reviews: string) =>
      `{"title":"\\"reviews\\":{\\"${NODE}\\":[","revisions":{"r":{"reviews":${reviews}}}}`;
    const { cache } = createDatabase(1);
    await write(cache, object(1, PATCH), patch("{}"));
    await write(cache, object(2, PATCH), patch(`{"${NODE}":{}}`));
    await write(cache, object(3, PATCH), patch(`{"${NODE}":null}`));
    assert.equal((await cache.read(object(9, PATCH)))?.form, "0.10");
    await write(cache, object(4, PATCH), patch(`{"${NODE}":[]}`));
    assert.equal((await cache.read(object(9, PATCH)))?.form, "1.0");
  });

  it("takes no row in the place of one that has changed since it was read", async () => {
    const { cache } = createDatabase();
    const missing = await cache.read(object(1));
    await write(cache, object(1), "a");
    assert.equal(await cache.replace(object(1), missing!, "late"), false);
    const present = await cache.read(object(1));
    await write(cache, object(1), "b");
    assert.equal(await cache.replace(object(1), present!, "late"), false);
    assert.equal((await cache.read(object(1)))?.text, "b");
  });

  it("takes no row made for another version", async () => {
    const { cache, run } = createDatabase(1);
    const before = await cache.read(object(1));
    run("pragma user_version = 2");
    assert.equal(await cache.replace(object(1), before!, "early"), false);
    assert.deepEqual(await cache.read(object(1)), { form: "1.1", text: undefined });
  });

  it("finds the rows that are missing or do not mention an entry", async () => {
    const { cache } = createDatabase();
    await write(cache, object(1), `{"timeline":["${oid(1)}","${oid(7)}"]}`);
    await write(cache, object(2), `{"timeline":["${oid(2)}"]}`);
    const entries = new Map([[oid(1), oid(7)], [oid(2), oid(8)], [oid(3), oid(3)]]);
    assert.deepEqual(await cache.findBehind(RID, ISSUE, entries), [oid(2), oid(3)]);
    assert.deepEqual(await cache.findBehind(RID, PATCH, new Map()), []);
  });

  it("may be replaced by another one at any time", async () => {
    const [first, second] = [createDatabase(3), createDatabase(2)];
    await write(first.cache, object(1), "a");
    renameSync(second.path, first.path);
    assert.deepEqual(await first.cache.read(object(1)), { form: "1.1", text: undefined });
  });
});

describe("a missing database", () => {
  it("is not made", async () => {
    const path = join(folder, "missing.db");
    const cache = createCobCache(path);
    assert.equal(await cache.read(object(1)), undefined);
    assert.equal(await cache.replace(object(1), { form: "newest", text: undefined }, "a"), false);
    assert.deepEqual(await cache.findBehind(RID, ISSUE, new Map([[oid(1), oid(1)]])), []);
    assert.equal(existsSync(path), false);
  });
});

describe("a locked database", () => {
  it("is not waited for", async () => {
    const database = createDatabase();
    const other = new DatabaseSync(database.path);
    try {
      other.exec("begin exclusive");
      const busy = obstacle("busy", database, /locked/);
      // So many attempts would take very long if one of them waited.
      for (let i = 0; i < ATTEMPTS; i++) {
        await assert.rejects(async () => await database.cache.read(object(1)), busy);
        await assert.rejects(
          async () => await database.cache.findBehind(RID, ISSUE, new Map([[oid(1), oid(1)]])),
          busy,
        );
      }
      other.exec("commit; begin immediate");
      const before = await database.cache.read(object(1));
      await assert.rejects(async () => await database.cache.replace(object(1), before!, "a"), busy);
      // Readers keep a writer from its end only.
      other.exec("commit; begin; select * from issues");
      await assert.rejects(async () => await database.cache.replace(object(1), before!, "a"), busy);
      other.exec("commit");
      assert.equal(await database.cache.replace(object(1), before!, "a"), true);
    } finally {
      other.close();
    }
  });

  it("gets its row when the lock is gone", async () => {
    const { path, cache, rows } = createDatabase();
    const other = new DatabaseSync(path);
    other.exec(`begin exclusive; insert into issues values ('${oid(1)}', '${RID}', 'theirs')`);
    let pauses = 0;
    const rowWriter = new RowWriter({
      cache,
      log: () => assert.fail("logged"),
      wait: () => {
        if (++pauses === 5) other.exec("commit");
        return Promise.resolve();
      },
    });
    await rowWriter.update(object(1), () => Promise.resolve("ours"));
    other.close();
    assert.deepEqual([pauses, rows("issues").map(({ issue }) => issue)], [5, ["ours"]]);
  });

  it("with a write-ahead log lets others read meanwhile", async () => {
    const { path, cache, rows } = createDatabase(3, "pragma journal_mode = wal;");
    const other = new DatabaseSync(path);
    other.exec("begin; select * from issues");
    await write(cache, object(1), "a");
    assert.deepEqual({ ...other.prepare("select count(*) as n from issues").get() }, { n: 0 });
    other.exec("commit");
    assert.deepEqual({ ...other.prepare("select count(*) as n from issues").get() }, { n: 1 });
    other.close();
    assert.equal(rows("issues").length, 1);
  });
});

describe("a database of an unknown kind is left alone:", () => {
  const cases: readonly [string, string, RegExp][] = [
    ["one without a version", "pragma user_version = 0", /version 0/],
    ["one of a later version", "pragma user_version = 4", /version 4/],
    ["one of a strange version", "pragma user_version = -1", /version -1/],
    ["one without the table", "drop table issues", /no table issues/],
    [
      "one with a further column",
      "alter table issues add column timestamp integer not null default 0",
      /no table issues/,
    ],
    ["one with another column", "alter table issues rename column issue to body", /no table issues/],
    [
      "one with another key",
      "drop table issues; create table issues (id text not null, repo text not null, issue text not null, primary key (id, repo))",
      /no table issues/,
    ],
  ];
  for (const [name, sql, message] of cases) {
    it(name, async () => {
      const database = createDatabase();
      database.run(sql);
      const foreign = obstacle("foreign", database, message);
      await assert.rejects(async () => await database.cache.read(object(1)), foreign);
      await assert.rejects(async () => await database.cache.findBehind(RID, ISSUE, new Map()), foreign);
      const before = { form: "newest", text: undefined } as const;
      await assert.rejects(async () => await database.cache.replace(object(1), before, "a"), foreign);
    });
  }

  it("an empty file", async () => {
    const path = join(folder, "empty.db");
    writeFileSync(path, "");
    await assert.rejects(async () => await createCobCache(path).read(object(1)), { obstacle: "foreign" });
  });
});

describe("a database that cannot be used", () => {
  it("is no database", async () => {
    const database = createDatabase();
    writeFileSync(database.path, "no database ".repeat(1000));
    const broken = obstacle("broken", database, /not a database/);
    await assert.rejects(async () => await database.cache.read(object(1)), broken);
  });

  it("is a folder", async () => {
    const path = join(folder, "folder.db");
    mkdirSync(path);
    await assert.rejects(async () => await createCobCache(path).read(object(1)), { obstacle: "broken" });
  });

  it("is cut off", async () => {
    const database = createDatabase();
    for (let n = 0; n < 50; n++) await write(database.cache, object(n), "x".repeat(2000));
    truncateSync(database.path, 8192);
    await assert.rejects(async () => {
      for (let n = 0; n < 50; n++) await write(database.cache, object(n), "y".repeat(2000));
    }, { name: "CobCacheError", obstacle: "broken" });
  });

  it("cannot be written, for no journal can be made", async () => {
    const database = createDatabase();
    await write(database.cache, object(1), "a");
    mkdirSync(`${database.path}-journal`);
    const broken = obstacle("broken", database, /./);
    await assert.rejects(async () => await write(database.cache, object(1), "b"), broken);
    rmdirSync(`${database.path}-journal`);
    assert.equal((await database.cache.read(object(1)))?.text, "a");
    await write(database.cache, object(1), "b");
  });

  it("may be read only", async () => {
    const database = createDatabase();
    await write(database.cache, object(1), "a");
    chmodSync(database.path, 0o444);
    chmodSync(folder, 0o755);
    await asNobody(async () => {
      assert.equal((await database.cache.read(object(1)))?.text, "a");
      const broken = obstacle("broken", database, /readonly/);
      await assert.rejects(async () => await write(database.cache, object(1), "b"), broken);
    });
  });
});

/** Does something without the rights of the superuser, whom no file mode hinders. */
async function asNobody(step: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await step();
  process.seteuid?.(65534);
  try {
    await step();
  } finally {
    process.seteuid?.(0);
  }
}
