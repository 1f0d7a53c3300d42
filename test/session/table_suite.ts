/** What every table of sessions must do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Session, SessionTable } from "../../src/ports/session_table.ts";
import type { Sender } from "../../src/session/memory_table.ts";

/** An unauthorized session that was opened at `issuedAtMs` and lasts a minute. */
export function unauthorized(id: string, issuedAtMs = 0): Session {
  return { id, status: "unauthorized", issuedAtMs, expiresAtMs: issuedAtMs + 60_000, mayChange: false };
}

/** Somebody of whom nothing special is known. */
export const SENDER: Sender = { kind: "other", client: "192.0.2.7" };

/** The same session, authorized. */
export function authorized(session: Session, mayChange = true): Session {
  return { ...session, status: "authorized", expiresAtMs: session.issuedAtMs + 120_000, mayChange };
}

/** Runs the suite for one implementation; `make` builds an empty table whose clock stands at 0. */
export function testSessionTable(name: string, make: () => SessionTable | Promise<SessionTable>): void {
  describe(name, () => {
    it("finds what was added, with all its members", async () => {
      const table = await make();
      const session = { ...unauthorized("a"), nonce: "n" };
      assert.equal(await table.add(session), true);
      assert.equal(await table.add(unauthorized("b")), true);
      assert.deepEqual(await table.find("a"), session);
      assert.equal(await table.find("c"), undefined);
      assert.equal(await table.find("__proto__"), undefined);
    });

    it("authorizes an unauthorized session once", async () => {
      const table = await make();
      await table.add(unauthorized("a"));
      const session = { ...authorized(unauthorized("a")), message: "m" };
      assert.equal(await table.authorize(session), true);
      assert.deepEqual(await table.find("a"), session);
      assert.equal(await table.authorize(authorized(unauthorized("a"), false)), false);
      assert.deepEqual(await table.find("a"), session);
    });

    it("does not authorize a session that is gone", async () => {
      const table = await make();
      await table.add(unauthorized("a"));
      await table.remove("a");
      assert.equal(await table.authorize(authorized(unauthorized("a"))), false);
      assert.equal(await table.find("a"), undefined);
    });

    it("removes sessions of either status once", async () => {
      const table = await make();
      await table.add(unauthorized("a"));
      await table.add(unauthorized("b"));
      await table.authorize(authorized(unauthorized("b")));
      for (const id of ["a", "b"]) {
        assert.equal(await table.remove(id), true);
        assert.equal(await table.find(id), undefined);
        assert.equal(await table.remove(id), false);
      }
    });
  });
}
