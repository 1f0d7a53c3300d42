/** The rules of sessions that do not depend on how one signs in. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SessionTable } from "../../src/ports/session_table.ts";
import { createMemoryTable } from "../../src/session/memory_table.ts";
import { AUTHORIZED_LIFETIME_MS, Sessions, UNAUTHORIZED_LIFETIME_MS } from "../../src/session/sessions.ts";
import { SENDER } from "./table_suite.ts";

const NOW_MS = 1_700_000_000_123;

function makeSessions(wrap: (table: SessionTable) => SessionTable = (table) => table) {
  const clock = { nowMs: NOW_MS };
  const now = () => clock.nowMs;
  return { clock, sessions: new Sessions(wrap(createMemoryTable(now)), now) };
}

const fails = (answer: Promise<unknown>, name: string, message: string) =>
  assert.rejects(answer, { name, message });

describe("sessions", () => {
  it("last a minute, and a week once they are authorized", async () => {
    const { clock, sessions } = makeSessions();
    const session = await sessions.open({ id: "a" }, SENDER);
    assert.equal(UNAUTHORIZED_LIFETIME_MS, 60_000);
    assert.equal(session.expiresAtMs, NOW_MS + 60_000);
    clock.nowMs += 5000;
    const authorized = await sessions.authorize(session, { mayChange: true });
    assert.equal(AUTHORIZED_LIFETIME_MS, 604_800_000);
    assert.deepEqual(authorized, {
      id: "a",
      status: "authorized",
      issuedAtMs: NOW_MS,
      expiresAtMs: NOW_MS + 5000 + 604_800_000,
      mayChange: true,
    });
    assert.deepEqual(await sessions.find("a"), authorized);
  });

  it("end sooner when their authorization says so, and never later", async () => {
    const { sessions } = makeSessions();
    for (
      const [id, untilMs, expiresAtMs] of [
        ["soon", NOW_MS + 1, NOW_MS + 1],
        ["late", NOW_MS + 2 * AUTHORIZED_LIFETIME_MS, NOW_MS + AUTHORIZED_LIFETIME_MS],
      ] as const
    ) {
      const session = await sessions.open({ id }, SENDER);
      assert.equal(
        (await sessions.authorize(session, { mayChange: true, untilMs })).expiresAtMs,
        expiresAtMs,
      );
    }
  });

  it("are authorized once, even when two requests do it at the same time", async () => {
    const { sessions } = makeSessions();
    const session = await sessions.open({ id: "a" }, SENDER);
    const both = await Promise.allSettled([1, 2].map(() => sessions.authorize(session, { mayChange: true })));
    assert.deepEqual(both.map(({ status }) => status), ["fulfilled", "rejected"]);
    await fails(
      sessions.authorize(session, { mayChange: true }),
      "UnauthorizedError",
      "Session already authorized",
    );
  });

  it("expire at the very millisecond", async () => {
    const { clock, sessions } = makeSessions();
    const session = await sessions.open({ id: "a" }, SENDER);
    clock.nowMs = session.expiresAtMs - 1;
    sessions.requireUnexpired(session);
    clock.nowMs++;
    assert.throws(() => sessions.requireUnexpired(session), {
      name: "UnauthorizedError",
      message: "Session expired",
    });
    assert.deepEqual(await sessions.find("a"), session);
  });

  it("are deleted by their bearer alone, whatever their status", async () => {
    const { clock, sessions } = makeSessions();
    const session = await sessions.open({ id: "a" }, SENDER);
    clock.nowMs = session.expiresAtMs;
    for (const token of ["", "b", "aa", " a"]) {
      await fails(sessions.remove("a", token), "UnauthorizedError", "Not authorized to delete this session");
    }
    await sessions.remove("a", "a");
    await fails(sessions.remove("a", "a"), "NotFoundError", "Session was not found");
    await fails(sessions.find("a"), "NotFoundError", "Session was not found");
  });
});

describe("the session of a bearer", () => {
  it("lets changes through while it is authorized", async () => {
    const { clock, sessions } = makeSessions();
    const authorized = await sessions.authorize(await sessions.open({ id: "a" }, SENDER), {
      mayChange: true,
    });
    clock.nowMs = authorized.expiresAtMs - 1;
    assert.deepEqual(await sessions.requireChange("a"), authorized);
  });

  it("is refused when it is unknown, unauthorized or expired", async () => {
    const { clock, sessions } = makeSessions();
    await sessions.open({ id: "open" }, SENDER);
    const authorized = await sessions.authorize(await sessions.open({ id: "a" }, SENDER), {
      mayChange: true,
    });
    for (const token of ["", "unknown", "open", "a b", "A"]) {
      await fails(sessions.requireChange(token), "UnauthorizedError", "Unauthorized");
    }
    clock.nowMs = authorized.expiresAtMs;
    await fails(sessions.requireChange("a"), "UnauthorizedError", "Unauthorized");
  });

  it("is forbidden to change anything when who signed in may not", async () => {
    const { sessions } = makeSessions();
    await sessions.authorize(await sessions.open({ id: "guest" }, SENDER), { mayChange: false });
    await fails(sessions.requireChange("guest"), "ForbiddenError", "This session may not change anything");
  });

  it("may come from a table that takes its time", async () => {
    const { sessions } = makeSessions((table) => ({
      add: async (session) => await table.add(session),
      find: async (id) => await table.find(id),
      authorize: async (session) => await table.authorize(session),
      remove: async (id) => await table.remove(id),
    }));
    await sessions.authorize(await sessions.open({ id: "a" }, SENDER), { mayChange: true });
    assert.equal((await sessions.requireChange("a")).id, "a");
    await sessions.remove("a", "a");
    await fails(sessions.requireChange("a"), "UnauthorizedError", "Unauthorized");
  });
});
