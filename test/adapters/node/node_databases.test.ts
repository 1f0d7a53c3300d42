/** SQLite files as the programs write them, read and written on whichever runtime runs this test. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { createNodeDatabase } from "../../../adapters/node/node_databases.ts";
import { parseRid } from "../../../src/ids/rid.ts";
import { parseNid } from "../../../src/ids/nid.ts";
import { DatabaseError, type DatabaseObstacle } from "../../../src/ports/node_database.ts";
import { NodeSocketError } from "../../../src/ports/node_socket.ts";
import { createHomeNode, type HomeNode } from "../../../src/seeding/home_node.ts";
import { fileSystem } from "../../support/files.ts";
import { unpackHome } from "../../support/programs.ts";

let folder: string;
before(() => folder = mkdtempSync(join(tmpdir(), "xylem-databases-")));
after(() => rmSync(folder, { recursive: true }));

let count = 0;
/** A fresh file, made by some SQL. */
function databaseOf(...sql: string[]): string {
  mkdirSync(join(folder, `${++count}`));
  const path = join(folder, `${count}`, "node.db");
  const database = new DatabaseSync(path);
  for (const one of sql) database.exec(one);
  database.close();
  return path;
}

const TABLE = ["create table t (n integer)", "insert into t values (1), (2)"];
const ALL = { sql: "select n from t order by n" };
const numbers = async (path: string) => (await createNodeDatabase(path).read(ALL))?.map((row) => row["n"]);

async function rejects(call: Promise<unknown>, obstacle: DatabaseObstacle): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof DatabaseError, String(error));
    assert.equal(error.obstacle, obstacle, error.message);
    return true;
  });
}

describe("createNodeDatabase", () => {
  it("answers queries with their values", async () => {
    const path = databaseOf(...TABLE);
    const rows = await createNodeDatabase(path).read({ sql: "select n from t where n > ?", values: [1] });
    assert.deepEqual(rows?.map((row) => ({ ...row })), [{ n: 2 }]);
  });

  it("finds nothing without a file, without the folder, and without the table", async () => {
    assert.equal(await numbers(join(folder, "none.db")), undefined);
    assert.equal(await numbers(join(folder, "none", "none.db")), undefined);
    assert.equal(await numbers(databaseOf()), undefined);
    assert.ok(!existsSync(join(folder, "none.db")));
  });

  it("reads a file with a write-ahead log, and what is only in the log", async () => {
    const path = databaseOf("pragma journal_mode = wal", ...TABLE);
    const writer = new DatabaseSync(path);
    writer.exec("insert into t values (3)");
    assert.ok(existsSync(`${path}-wal`));
    assert.deepEqual(await numbers(path), [1, 2, 3]);
    writer.close();
    assert.deepEqual(await numbers(path), [1, 2, 3]);
  });

  it("leaves no files behind when no other process has the file open", async () => {
    const path = databaseOf("pragma journal_mode = wal", ...TABLE);
    assert.deepEqual(await numbers(path), [1, 2]);
    assert.deepEqual(readdirSync(join(path, "..")), ["node.db"]);
  });

  it("reads a file of a folder where nothing can be written", async () => {
    const path = databaseOf("pragma journal_mode = wal", ...TABLE);
    chmodSync(join(path, ".."), 0o500);
    assert.deepEqual(await numbers(path), [1, 2]);
    chmodSync(join(path, ".."), 0o700);
  });

  it("does not wait for a program that changes the file", async () => {
    const path = databaseOf(...TABLE);
    const writer = new DatabaseSync(path);
    writer.exec("begin exclusive");
    await rejects(numbers(path), "busy");
    await rejects(createNodeDatabase(path).write([{ sql: "insert into t values (3)" }]), "busy");
    writer.exec("rollback");
    writer.close();
    assert.deepEqual(await numbers(path), [1, 2]);
  });

  it("distinguishes damaged files and files that are no database", async () => {
    const path = databaseOf(...TABLE);
    truncateSync(path, 4096);
    await rejects(numbers(path), "broken");
    writeFileSync(path, "this is no database ".repeat(100));
    await rejects(numbers(path), "broken");
    await rejects(createNodeDatabase(path).write([ALL]), "broken");
    truncateSync(path, 10);
    await rejects(numbers(path), "broken");
    truncateSync(path, 0);
    assert.equal(await numbers(path), undefined);
  });

  const skip = process.getuid?.() === 0 ? "the superuser may read everything" : false;
  it("reports files that may not be read", { skip }, async () => {
    const path = databaseOf(...TABLE);
    chmodSync(path, 0);
    await rejects(numbers(path), "denied");
  });

  it("takes a folder for something that cannot be used", async () => {
    mkdirSync(join(folder, "folder.db"));
    await assert.rejects(numbers(join(folder, "folder.db")), DatabaseError);
  });

  it("makes the file and its folder when something is written", async () => {
    const path = join(folder, "new", "policies.db");
    await createNodeDatabase(path).write(TABLE.map((sql) => ({ sql })));
    assert.deepEqual(await numbers(path), [1, 2]);
  });

  it("writes all statements or none", async () => {
    const path = databaseOf(...TABLE);
    const write = createNodeDatabase(path).write([{ sql: "insert into t values (3)" }, {
      sql: "insert into u values (1)",
    }]);
    await rejects(write, "broken");
    assert.deepEqual(await numbers(path), [1, 2]);
  });
});

/** The node of a home, which is stopped. */
function nodeOf(home: string, log: string[] = []): HomeNode {
  return createHomeNode({
    home,
    fileSystem,
    openDatabase: createNodeDatabase,
    ask: () => Promise.reject(new NodeSocketError("absent", "nobody listens")),
    log: (level, message) => void log.push(`${level} ${message}`),
    pause: () => Promise.resolve(),
  });
}

const SEEDLING = parseNid("z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi");
const FRIEND = parseNid("z6Mkk7oqY4pPxhMmGEotDYsFo97vhCj85BLY1H256HrJmjN8");
const GARDEN = parseNid("z6MkrLMMsiPWUcNPHcRajuMi9mDfYckSoJyPwwnknocNYPm7");
const BLOCKED = parseNid("z6MktWkM9vcfysWFq1c2aaLjJ6j4PYYg93TLPswR4qtuoAeT");
const RID = parseRid("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");

/** Homes of all generations with the same nodes: version 2 with a rollback journal, 9 with a write-ahead log. */
const HOMES = { "2024-02": "browse.tar.gz", "today": "today/today-browse.tar.gz" } as const;

for (const [generation, archive] of Object.entries(HOMES)) {
  describe(`the databases of a home of ${generation}`, () => {
    let home: string, node: HomeNode;
    before(() => {
      home = unpackHome(archive, folder);
      node = nodeOf(home);
    });

    it("name nodes as their owner does, followed or not, otherwise as the nodes do", async () => {
      const aliases = await node.aliases([SEEDLING, FRIEND, GARDEN, BLOCKED, SEEDLING]);
      assert.deepEqual(Object.fromEntries(aliases), {
        [SEEDLING]: "seedling",
        [FRIEND]: "my-friend",
        [GARDEN]: "garden",
        [BLOCKED]: "blocked-one",
      });
    });

    it("count seeds as the inventories say", async () => {
      const inventory = await node.inventory(SEEDLING);
      assert.ok(inventory.length > 0);
      const counts = await node.seedCounts([...inventory, RID]);
      for (const rid of inventory) assert.ok(counts.get(rid)! >= 1);
      assert.equal(counts.get(RID), undefined);
      assert.deepEqual(await node.inventory(BLOCKED), []);
    });

    it("hold the policies, which a stopped node lets us change", async () => {
      const before = await node.policies();
      assert.ok(before.length > 0);
      await node.seed(RID, "all");
      assert.deepEqual(await node.policies(), [...before, { rid: RID, scope: "all", policy: "allow" }]);
      await node.seed(RID, "followed");
      assert.deepEqual((await node.policies()).at(-1), { rid: RID, scope: "followed", policy: "allow" });
      await node.unseed(RID);
      await node.unseed(RID);
      assert.deepEqual(await node.policies(), before);
    });

    it("show what another program writes at once", async () => {
      assert.equal((await node.aliases([FRIEND])).get(FRIEND), "my-friend");
      const other = new DatabaseSync(join(home, "node", "policies.db"));
      other.exec(`update following set alias = 'old-friend' where id = '${FRIEND}'`);
      assert.equal((await node.aliases([FRIEND])).get(FRIEND), "old-friend");
      other.exec(`update following set alias = 'no alias' where id = '${FRIEND}'`);
      other.close();
      assert.equal((await node.aliases([FRIEND])).get(FRIEND), "contributor");
    });
  });
}

describe("a home whose databases", () => {
  const homeWith = (name: string, content?: string) => {
    const home = join(folder, name);
    mkdirSync(join(home, "node"), { recursive: true });
    for (const file of ["node.db", "policies.db"]) {
      if (content !== undefined) writeFileSync(join(home, "node", file), content);
    }
    return home;
  };

  it("are missing knows of nothing, until a policy is set", async () => {
    const log: string[] = [];
    const node = nodeOf(join(folder, "empty"), log);
    assert.deepEqual(await node.policies(), []);
    assert.deepEqual(await node.inventory(SEEDLING), []);
    assert.equal((await node.aliases([SEEDLING])).size, 0);
    assert.equal((await node.seedCounts([RID])).size, 0);
    await node.seed(RID, "all");
    assert.deepEqual(await node.policies(), [{ rid: RID, scope: "all", policy: "allow" }]);
    assert.deepEqual(log, []);
  });

  it("are damaged still lists, and cannot answer for them", async () => {
    const log: string[] = [];
    const node = nodeOf(homeWith("damaged", "nothing of use ".repeat(100)), log);
    assert.equal((await node.aliases([SEEDLING])).size, 0);
    assert.equal((await node.seedCounts([RID])).size, 0);
    await assert.rejects(node.policies(), { name: "UnavailableError" });
    await assert.rejects(node.inventory(SEEDLING), { name: "UnavailableError" });
    await assert.rejects(node.seed(RID, "all"), { name: "UnavailableError" });
    assert.deepEqual(log, [
      "warn Cannot read a database of the home",
      "warn Cannot read a database of the home",
      "warn Cannot write a policy",
    ]);
  });

  it("are locked for good answers as if they were damaged", async () => {
    const home = homeWith("locked", "");
    const writer = new DatabaseSync(join(home, "node", "policies.db"));
    writer.exec("create table seeding (id text primary key, scope text, policy text)");
    writer.exec("begin exclusive");
    let nowMs = 0;
    const node = createHomeNode({
      home,
      fileSystem,
      openDatabase: createNodeDatabase,
      ask: () => Promise.reject(new NodeSocketError("absent", "nobody listens")),
      log: () => {},
      now: () => nowMs,
      pause: (ms) => Promise.resolve(void (nowMs += ms)),
    });
    await assert.rejects(node.policies(), { name: "UnavailableError" });
    await assert.rejects(node.seed(RID, "all"), { name: "UnavailableError" });
    assert.equal((await node.aliases([SEEDLING])).size, 0);
    writer.exec("rollback");
    writer.close();
    assert.deepEqual(await node.policies(), []);
  });

  it("are of the first version shows what is there", async () => {
    const home = homeWith("first", "");
    const first = new DatabaseSync(join(home, "node", "node.db"));
    first.exec(
      `create table nodes (id text primary key not null, features integer not null, alias text not null);
      insert into nodes values ('${SEEDLING}', 1, 'sprout'); pragma user_version = 1`,
    );
    first.close();
    const node = nodeOf(home);
    assert.deepEqual([...await node.aliases([SEEDLING])], [[SEEDLING, "sprout"]]);
    assert.deepEqual(await node.inventory(SEEDLING), []);
  });

  it("hold what no program writes leaves that out", async () => {
    const home = homeWith("strange", "");
    const strange = new DatabaseSync(join(home, "node", "policies.db"));
    strange.exec(`create table seeding (id, scope, policy);
      insert into seeding values ('rad:nonsense', 'all', 'allow'), (7, 'all', 'allow'), ('${RID}', 'some', 'allow'),
        ('${RID}', 'all', 'perhaps'), (null, null, null), ('${RID}', 'all', 'block');
      create table following (id, alias, policy);
      insert into following values ('${FRIEND}', '${"a".repeat(32)}', 'allow'), ('${SEEDLING}', '${
      "a".repeat(33)
    }', 'allow'),
        ('${GARDEN}', x'ff', 'allow'), ('${BLOCKED}', null, 'allow')`);
    strange.close();
    const node = nodeOf(home);
    assert.deepEqual(await node.policies(), [{ rid: RID, scope: "all", policy: "block" }]);
    const aliases = await node.aliases([FRIEND, SEEDLING, GARDEN, BLOCKED]);
    assert.deepEqual([...aliases], [[FRIEND, "a".repeat(32)]]);
  });
});
