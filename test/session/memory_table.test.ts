/** The table in memory, its bounds and what it forgets. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createMemoryTable,
  MAX_AUTHORIZED_SESSIONS,
  MAX_UNAUTHORIZED_SESSIONS,
} from "../../src/session/memory_table.ts";
import { authorized, testSessionTable, unauthorized } from "./table_suite.ts";

const HOUR_MS = 3_600_000;

testSessionTable("the table in memory", () => createMemoryTable(() => 0));

function makeTable() {
  const clock = { nowMs: 0 };
  return { clock, table: createMemoryTable(() => clock.nowMs) };
}

describe("the table in memory: room", () => {
  it(`holds ${MAX_UNAUTHORIZED_SESSIONS} unauthorized sessions, and drops only expired ones for a new one`, async () => {
    const { clock, table } = makeTable();
    for (let i = 0; i < MAX_UNAUTHORIZED_SESSIONS; i++) await table.add(unauthorized(`id${i}`, i));
    clock.nowMs = 59_999;
    assert.equal(await table.add(unauthorized("one more", 59_999)), false);
    assert.equal(await table.find("one more"), undefined);
    assert.ok(await table.find("id0"));
    clock.nowMs = 60_000;
    assert.equal(await table.add(unauthorized("one more", 60_000)), true);
    assert.equal(await table.find("id0"), undefined);
    assert.ok(await table.find("id1"));
    assert.ok(await table.find("one more"));
  });

  it("never drops authorized sessions for unauthorized ones", async () => {
    const { table } = makeTable();
    await table.add(unauthorized("owner"));
    await table.authorize(authorized(unauthorized("owner")));
    for (let i = 0; i <= MAX_UNAUTHORIZED_SESSIONS; i++) await table.add(unauthorized(`id${i}`));
    assert.ok(await table.find("owner"));
  });

  async function signIn(table: ReturnType<typeof makeTable>["table"], id: string, mayChange: boolean) {
    await table.add(unauthorized(id));
    await table.authorize(authorized(unauthorized(id), mayChange));
  }

  it(`keeps ${MAX_AUTHORIZED_SESSIONS} authorized sessions and drops one that may not change anything first`, async () => {
    const { table } = makeTable();
    await signIn(table, "owner", true);
    for (let i = 1; i < MAX_AUTHORIZED_SESSIONS; i++) await signIn(table, `guest${i}`, false);
    await signIn(table, "one more", false);
    assert.ok(await table.find("owner"));
    assert.equal(await table.find("guest1"), undefined);
    assert.ok(await table.find("guest2"));
    assert.ok(await table.find("one more"));
  });

  it("drops the oldest authorized session when all may change things", async () => {
    const { table } = makeTable();
    for (let i = 0; i <= MAX_AUTHORIZED_SESSIONS; i++) await signIn(table, `owner${i}`, true);
    assert.equal(await table.find("owner0"), undefined);
    assert.ok(await table.find("owner1"));
  });
});

describe("the table in memory: expiry", () => {
  it("keeps an expired session for an hour, then forgets it", async () => {
    const { clock, table } = makeTable();
    const session = unauthorized("a");
    await table.add(session);
    clock.nowMs = session.expiresAtMs + HOUR_MS - 1;
    assert.deepEqual(await table.find("a"), session);
    clock.nowMs++;
    assert.equal(await table.find("a"), undefined);
  });

  it("makes room by purging what it forgot, not by dropping what is alive", async () => {
    const { clock, table } = makeTable();
    for (let i = 0; i < MAX_UNAUTHORIZED_SESSIONS / 2; i++) await table.add(unauthorized(`old${i}`));
    clock.nowMs = 60_000 + HOUR_MS;
    for (let i = 0; i < MAX_UNAUTHORIZED_SESSIONS; i++) await table.add(unauthorized(`new${i}`, clock.nowMs));
    assert.ok(await table.find("new0"));
  });

  it("forgets authorized sessions by their own expiry", async () => {
    const { clock, table } = makeTable();
    for (const id of ["a", "b"]) await table.add(unauthorized(id));
    const session = authorized(unauthorized("a"));
    await table.authorize(session);
    clock.nowMs = session.expiresAtMs + HOUR_MS;
    await table.authorize(authorized(unauthorized("b", clock.nowMs)));
    assert.equal(await table.find("a"), undefined);
    assert.ok(await table.find("b"));
  });
});
