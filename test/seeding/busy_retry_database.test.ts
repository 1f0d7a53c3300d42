import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FileStat } from "../../src/ports/file_system.ts";
import {
  DatabaseError,
  type DatabaseObstacle,
  type Row,
  type Statement,
} from "../../src/ports/node_database.ts";
import { BusyRetryDatabase } from "../../src/seeding/busy_retry_database.ts";

const QUERY: Statement = { sql: "select 1", values: ["a"] };
/** Times that Radicle's own readers and writers wait for a lock, in milliseconds. */
const [READ_WAIT_MS, WRITE_WAIT_MS] = [3000, 6000];
const START_MS = 1_700_000_000_000;
const LONG_AGO_MS = START_MS - 60_000;

const file = (modifiedMs: number, size = 1): FileStat => ({
  kind: "file",
  size,
  modifiedMs,
  inode: 1,
  links: 1,
});

/** A database in a file, whose answers and whose time a test holds. */
function setUp(answer: () => readonly Row[] | undefined = () => [{ n: 1 }]) {
  const state = {
    nowMs: START_MS,
    reads: 0,
    writes: 0,
    log: [] as string[],
    stats: { "/h/node.db": file(LONG_AGO_MS) } as Record<string, FileStat | undefined>,
    answer,
  };
  const database = new BusyRetryDatabase({
    path: "/h/node.db",
    fileSystem: { stat: (path) => state.stats[path] },
    log: (level, message, cause) => void state.log.push(`${level} ${message}: ${(cause as Error).message}`),
    now: () => state.nowMs,
    pause: (ms) => Promise.resolve(void (state.nowMs += ms)),
    database: {
      read: async () => (state.reads++, await Promise.resolve(), state.answer()),
      write: async () => (state.writes++, await Promise.resolve(), void state.answer()),
    },
  });
  return { state, database };
}

const fail = (obstacle: DatabaseObstacle) => (): never => {
  throw new DatabaseError(obstacle, `it is ${obstacle}`);
};

describe("BusyRetryDatabase", () => {
  it("asks once while its file stays as it is", async () => {
    const { state, database } = setUp();
    for (let i = 0; i < 3; i++) assert.deepEqual(await database.read(QUERY), [{ n: 1 }]);
    assert.equal(state.reads, 1);
    await database.read({ ...QUERY, values: ["b"] });
    assert.equal(state.reads, 2);
  });

  it("asks again when the file or its write-ahead log has changed", async () => {
    const { state, database } = setUp();
    await database.read(QUERY);
    state.stats["/h/node.db"] = file(LONG_AGO_MS, 2);
    await database.read(QUERY);
    assert.equal(state.reads, 2);
    state.stats["/h/node.db-wal"] = file(LONG_AGO_MS);
    await database.read(QUERY);
    assert.equal(state.reads, 3);
    await database.read(QUERY);
    assert.equal(state.reads, 3);
  });

  it("asks every time while the file may still change under the same time stamp", async () => {
    const { state, database } = setUp();
    state.stats["/h/node.db"] = file(START_MS);
    await database.read(QUERY);
    await database.read(QUERY);
    assert.equal(state.reads, 2);
  });

  it("sees a file that comes", async () => {
    const { state, database } = setUp(() => undefined);
    delete state.stats["/h/node.db"];
    assert.deepEqual(await database.read(QUERY), []);
    assert.deepEqual(await database.read(QUERY), []);
    assert.equal(state.reads, 1);
    state.stats["/h/node.db"] = file(LONG_AGO_MS);
    state.answer = () => [{ n: 2 }];
    assert.deepEqual(await database.read(QUERY), [{ n: 2 }]);
  });

  it("remembers long answers, and none of very many rows", async () => {
    const readsOf = async (length: number) => {
      const rows = Array.from({ length }, () => ({}));
      const { state, database } = setUp(() => rows);
      for (let i = 0; i < 2; i++) await database.read(QUERY);
      return state.reads;
    };
    assert.deepEqual([await readsOf(10_000), await readsOf(1_000_000)], [1, 2]);
  });

  it("waits for another program with pauses, and then answers", async () => {
    const { state, database } = setUp();
    state.answer = () => state.reads < 4 ? fail("busy")() : [{ n: 4 }];
    assert.deepEqual(await database.read(QUERY), [{ n: 4 }]);
    assert.ok(state.nowMs > START_MS && state.nowMs < START_MS + 300, "three short pauses");
    assert.deepEqual(state.log, []);
  });

  it(`gives up a question after ${READ_WAIT_MS} ms and a change after ${WRITE_WAIT_MS} ms`, async () => {
    const { state, database } = setUp(fail("busy"));
    await assert.rejects(database.read(QUERY), { obstacle: "busy" });
    assert.equal(state.nowMs, START_MS + READ_WAIT_MS);
    assert.deepEqual(await database.readIfPossible(QUERY), []);
    state.nowMs = START_MS;
    await assert.rejects(database.write([QUERY]), { obstacle: "busy" });
    assert.equal(state.nowMs, START_MS + WRITE_WAIT_MS);
  });

  it("takes what it may not read for missing, with one line in the log", async () => {
    const { state, database } = setUp(fail("denied"));
    for (let i = 0; i < 3; i++) assert.deepEqual(await database.read(QUERY), []);
    assert.deepEqual(state.log, ["warn Cannot read a database of the home: it is denied"]);
  });

  it("reports a damaged file each time it becomes damaged", async () => {
    const { state, database } = setUp(fail("broken"));
    await assert.rejects(database.read(QUERY), { obstacle: "broken" });
    assert.deepEqual(await database.readIfPossible(QUERY), []);
    assert.equal(state.log.length, 1);
    state.answer = () => [];
    await database.read(QUERY);
    state.answer = fail("broken");
    state.stats["/h/node.db"] = file(LONG_AGO_MS, 3);
    await database.readIfPossible(QUERY);
    assert.equal(state.log.length, 2);
  });

  it("tries to read a file even if it may not stat it", async () => {
    const { state, database } = setUp(fail("denied"));
    Object.defineProperty(state.stats, "/h/node.db", { get: () => fail("denied")() });
    assert.deepEqual(await database.read(QUERY), []);
    assert.equal(state.reads, 1);
  });
});
