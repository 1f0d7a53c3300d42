/** Rows kept up to date beside other programs: locks, races, failures, and what is remembered of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RowWriter } from "../../../src/cob/rad_cache/cache_row_writer.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { CachedObject } from "../../../src/ports/cob_cache.ts";
import { type CachedRows, createCachedRows } from "../cached_rows.ts";
import { entryId } from "../ops.ts";

/** Time that `rad` waits for a lock, in milliseconds, and a little more. */
const RAD_WAIT_MS = 6000;
const LONG_MS = 1.1 * RAD_WAIT_MS;

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji" as RepoId;
const object = (n: number): CachedObject => ({ rid: RID, type: "xyz.radicle.issue", id: entryId(n) });
const row = (text: string | undefined) => () => Promise.resolve(text);

/** A writer of rows in memory; `obstacles` stand in the way of its first calls. */
function createSetting(obstacles: CachedRows["obstacles"] = []) {
  const cache = createCachedRows(obstacles);
  const log: string[] = [];
  const pauses: number[] = [];
  const writer = new RowWriter({
    cache,
    log: (level, message) => log.push(`${level} ${message}`),
    wait: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
  });
  return { writer, cache, rows: cache.rows, calls: cache.calls, log, pauses, obstacles };
}

describe("a writer that is closed", () => {
  it("waits for no lock any more", async () => {
    const { writer, pauses, log } = createSetting(Array(1000).fill("busy"));
    const updated = writer.update(object(1), row("a"));
    await writer.close();
    await updated;
    assert.ok(pauses.length <= 1);
    assert.deepEqual(log, [
      `warn The row of xyz.radicle.issue ${entryId(1)} of ${RID} for rad is not up to date: The service ends`,
    ]);
  });
});

describe("a row", () => {
  it("is written, then replaced", async () => {
    const { writer, rows, log } = createSetting();
    await writer.update(object(1), row("a"));
    assert.deepEqual([...rows], [[entryId(1), "a"]]);
    await writer.update(object(1), row("b"));
    assert.deepEqual([...rows], [[entryId(1), "b"]]);
    assert.deepEqual(log, []);
  });

  it("that is right already is left alone", async () => {
    const { writer, calls } = createSetting();
    await writer.update(object(1), row("a"));
    await writer.update(object(1), row("a"));
    assert.deepEqual([calls.read, calls.replace], [2, 1]);
  });

  it("is made in the form of the database", async () => {
    const { writer, rows, cache } = createSetting();
    await writer.update(object(1), (form) => Promise.resolve(form));
    cache.form = "0.10";
    await writer.update(object(2), (form) => Promise.resolve(form));
    assert.deepEqual([...rows.values()], ["newest", "0.10"]);
  });

  it("is not written when programs could not read it, or it is too large", async () => {
    const { writer, rows, log, calls } = createSetting();
    rows.set(entryId(1), "before");
    await writer.update(object(1), row(undefined));
    await writer.update(object(2), row("x".repeat(2 ** 25)));
    assert.deepEqual([...rows], [[entryId(1), "before"]]);
    assert.equal(calls.replace, 0);
    assert.deepEqual(log, [
      `warn Made no row of xyz.radicle.issue ${entryId(1)} of ${RID} for rad: rad newest could not read it`,
      `warn Made no row of xyz.radicle.issue ${entryId(2)} of ${RID} for rad: it is too large`,
    ]);
    await writer.update(object(3), row("x".repeat(2 ** 20)));
    assert.equal(rows.get(entryId(3))?.length, 2 ** 20);
  });

  it("is made again when another program has replaced it meanwhile", async () => {
    const { writer, rows } = createSetting();
    let made = 0;
    await writer.update(object(1), () => {
      if (++made === 1) rows.set(entryId(1), "theirs");
      return Promise.resolve(`ours ${made}`);
    });
    assert.deepEqual([made, rows.get(entryId(1))], [2, "ours 2"]);
  });

  it("that another program replaces all the time counts as locked", async () => {
    const { writer, rows, log, pauses } = createSetting();
    let made = 0;
    await writer.update(object(1), () => {
      rows.set(entryId(1), `theirs ${++made}`);
      return Promise.resolve("ours");
    });
    assert.ok(pauses.length > 1 && made > 2 * pauses.length && made < 1000, `${made} rows`);
    assert.match(log.join(), /^warn The row .* is not up to date: Another program keeps changing the row$/);
  });
});

describe("a missing database", () => {
  it("is nothing to talk of, and nothing to make rows for", async () => {
    const { cache } = createSetting();
    const log: string[] = [];
    const writer = new RowWriter({
      cache: { ...cache, read: () => undefined },
      log: (...line) => log.push(line.join()),
    });
    await writer.update(object(1), () => assert.fail("made a row"));
    assert.deepEqual(log, []);
  });
});

describe("a locked database", () => {
  it("is tried again, first soon, then less often", async () => {
    const { writer, rows, pauses, log } = createSetting(["busy", "busy", undefined, "busy", "busy"]);
    await writer.update(object(1), row("a"));
    assert.equal(rows.get(entryId(1)), "a");
    assert.deepEqual(pauses, [1, 2, 4, 8].map((times) => times * pauses[0]!));
    assert.ok(pauses[0]! < 100);
    assert.deepEqual(log, []);
  });

  it("is given up after a while, with one line in the log", async () => {
    const { writer, rows, pauses, log } = createSetting(Array(1000).fill("busy"));
    await writer.update(object(1), row("a"));
    assert.equal(rows.size, 0);
    const waitedMs = pauses.reduce((sum, ms) => sum + ms, 0);
    assert.ok(waitedMs >= RAD_WAIT_MS && waitedMs < LONG_MS, `${waitedMs} ms`);
    // Locks are short, so a longer pause would wait in vain.
    assert.ok(Math.max(...pauses) < RAD_WAIT_MS / 10);
    assert.deepEqual(log, [
      `warn The row of xyz.radicle.issue ${entryId(1)} of ${RID} for rad is not up to date: it is busy`,
    ]);
  });

  it("is waited for once by all who write at that time", async () => {
    const { writer, pauses, log } = createSetting(Array(1000).fill("busy"));
    await Promise.all([1, 2, 3].map((n) => writer.update(object(n), row("a"))));
    const waitedMs = pauses.reduce((sum, ms) => sum + ms, 0);
    assert.ok(waitedMs < LONG_MS, `${waitedMs} ms`);
    assert.equal(log.length, 3);
  });

  it("gets its rows with the next one, as the objects are then", async () => {
    const { writer, rows, log, obstacles } = createSetting(Array(1000).fill("busy"));
    let state = "early";
    await writer.update(object(1), () => Promise.resolve(state));
    await writer.update(object(1), () => Promise.resolve(`${state} and last`));
    obstacles.length = 0;
    state = "late";
    await writer.update(object(2), row("b"));
    // The one that waits longest comes first.
    assert.deepEqual([...rows], [[entryId(1), "late and last"], [entryId(2), "b"]]);
    assert.equal(log.length, 2);
  });
});

describe("a database that cannot be used", () => {
  it("is left alone with one line in the log when it is of an unknown kind", async () => {
    const { writer, rows, log, obstacles, calls } = createSetting(["foreign", "foreign", "foreign"]);
    for (const n of [1, 2, 3]) await writer.update(object(n), row("a"));
    assert.deepEqual(log, ["warn Cannot keep rad's cache (cobs/cache.db) up to date: it is foreign"]);
    assert.deepEqual([obstacles.length, calls.read], [0, 3]);
    await writer.update(object(4), row("d"));
    assert.deepEqual([...rows.keys()], [entryId(4)]);
  });

  it("gets its rows later when it was damaged, with one line in the log for each object", async () => {
    const { writer, rows, log, pauses } = createSetting(["broken", "broken", "broken"]);
    await writer.update(object(1), row("a"));
    await writer.update(object(2), row("b"));
    assert.deepEqual(pauses, []);
    assert.deepEqual(log.map((line) => line.slice(-12)), ["it is broken", "it is broken"]);
    await writer.update(object(3), row("c"));
    assert.deepEqual([...rows.values()].sort(), ["a", "b", "c"]);
    assert.equal(log.length, 2);
  });

  it("stops nothing: a row that cannot be made is a line in the log", async () => {
    const { writer, rows, log } = createSetting();
    let fails = true;
    await writer.update(
      object(1),
      () => fails ? Promise.reject(new Error("secret path")) : Promise.resolve("a"),
    );
    assert.deepEqual(log, [
      `warn The row of xyz.radicle.issue ${
        entryId(1)
      } of ${RID} for rad is not up to date: it could not be made`,
    ]);
    fails = false;
    await writer.update(object(2), row("b"));
    assert.equal(rows.size, 2);
  });

  it("costs memory only for a limited number of rows", async () => {
    const { writer, rows, obstacles } = createSetting();
    const many = 5000;
    obstacles.push(...Array(many).fill("broken"));
    await Promise.all(Array.from({ length: many }, (_, n) => writer.update(object(n), row("a"))));
    obstacles.length = 0;
    await writer.update(object(9999), row("b"));
    assert.ok(rows.size < many / 2, `${rows.size} rows`);
    assert.ok(rows.has(entryId(many - 1)));
    assert.ok(!rows.has(entryId(0)) && rows.has(entryId(9999)));
  });
});

describe("writing at the same time", () => {
  it("makes rows one after the other, and of one object the latest", async () => {
    const { writer, rows } = createSetting();
    let running = 0;
    const made: string[] = [];
    const make = (text: string) => async () => {
      assert.equal(++running, 1);
      await Promise.resolve();
      made.push(text);
      running--;
      return text;
    };
    await Promise.all([
      writer.update(object(1), make("a")),
      writer.update(object(2), make("b")),
      writer.update(object(2), make("c")),
      writer.update(object(1), make("d")),
    ]);
    assert.deepEqual([rows.get(entryId(1)), rows.get(entryId(2))], ["d", "c"]);
    assert.ok(made.indexOf("d") > made.indexOf("a"));
  });
});
