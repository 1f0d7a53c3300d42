/** What every table outside of the process must do: bounds, expiry, secrets, and several processes at once. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Session } from "../../src/ports/session_table.ts";
import { EXPIRED_LIFETIME_MS, MAX_AUTHORIZED_SESSIONS, shareOf } from "../../src/session/memory_table.ts";
import { MAX_STORED_LENGTH, type OpenSessionTable, storedKey } from "../../src/session/stored_session.ts";
import { SENDER, testSessionTable, unauthorized } from "./table_suite.ts";

/** A place for sessions, which tables of several processes open. */
export interface Place {
  /** Opens the place as a process does. */
  open(now: () => number, scope?: string): Promise<OpenSessionTable>;
  /** Everything that is stored, as text. */
  dump(): Promise<string>;
  /** The text that is stored for a session of the scope "node". */
  read(id: string): Promise<string>;
  /** Stores another text there, past the table. */
  overwrite(id: string, text: string): Promise<void>;
}

/** The clock of these tests begins now: stores expire sessions by their own clock. */
const START_MS = Date.now();

/** A waiting session, opened at a time after the start. */
const waiting = (id: string, atMs = 0): Session => unauthorized(id, START_MS + atMs);
const signedIn = (id: string, atMs = 0, mayChange = true): Session => ({
  ...waiting(id, atMs),
  status: "authorized",
  expiresAtMs: START_MS + atMs + 7 * 24 * 3_600_000,
  mayChange,
});
const SMALL = { ...shareOf(SENDER), maxOfKind: 5, maxOfSender: 3 };

/** Runs the suite; `makePlace` makes a new, empty place for each test. */
export function testSharedTable(name: string, makePlace: () => Promise<Place>): void {
  testSessionTable(name, async () => (await makePlace()).open(() => 0));

  describe(`${name}, shared`, () => {
    const setUp = async () => {
      const clock = { nowMs: START_MS };
      const place = await makePlace();
      const tables = [await place.open(() => clock.nowMs), await place.open(() => clock.nowMs)] as const;
      return { clock, place, tables };
    };

    it("is shared by all processes, and outlasts them", async () => {
      const { place, tables: [one, two] } = await setUp();
      assert.equal(await one.add(waiting("a")), true);
      const session = { ...signedIn("a"), message: "m" };
      assert.equal(await two.authorize(session), true);
      assert.equal(await one.authorize(session), false);
      one.close();
      two.close();
      const three = await place.open(() => START_MS);
      assert.deepEqual(await three.find("a"), session);
      assert.equal(await three.remove("a"), true);
      assert.equal(await three.find("a"), undefined);
    });

    it("takes a sign-in once when all processes try at once", async () => {
      const { tables } = await setUp();
      await tables[0].add(waiting("a"));
      const tries = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => tables[i % 2]!.authorize(signedIn("a"))));
      assert.equal(tries.filter(Boolean).length, 1);
    });

    it("has no session of another node", async () => {
      const { place, tables: [table] } = await setUp();
      await table.add(waiting("a"));
      await table.authorize(signedIn("a"));
      const other = await place.open(() => START_MS, "another node");
      assert.equal(await other.find("a"), undefined);
      assert.equal(await other.remove("a"), false);
      assert.equal(await other.authorize(signedIn("a")), false);
    });

    it("stores neither tokens nor addresses", async () => {
      const { place, tables: [table] } = await setUp();
      await table.add({ ...waiting("Token1"), nonce: "n" }, SMALL);
      await table.add(waiting("Token2"), SMALL);
      await table.authorize(signedIn("Token2"));
      const dump = await place.dump();
      assert.match(dump, /authorized/);
      for (const secret of ["Token1", "Token2", SENDER.client]) assert.ok(!dump.includes(secret), secret);
    });

    it("finds no session where something else is stored, and does not reveal it", async () => {
      const { place, tables: [table] } = await setUp();
      for (const id of ["a", "b"]) {
        await table.add(waiting(id));
        await table.authorize(signedIn(id));
      }
      const [own, others] = [await place.read("a"), await place.read("b")];
      const foreign = [
        "",
        "null",
        "true",
        "1",
        '"text"',
        "[]",
        "{}",
        "{",
        "\0",
        own.slice(0, -1),
        `[${own}]`,
        "[".repeat(MAX_STORED_LENGTH),
        '{"key":'.repeat(1000),
        own.replace("{", `{"more":"${"x".repeat(MAX_STORED_LENGTH)}",`),
        "x".repeat(2 ** 24),
        // Of another session.
        others,
      ];
      for (const text of foreign) {
        await place.overwrite("a", text);
        assert.equal(await table.find("a"), undefined, text.slice(0, 50));
      }
      await place.overwrite("a", own);
      assert.deepEqual(await table.find("a"), signedIn("a"));
      assert.deepEqual(await table.find("b"), signedIn("b"));
    });

    it("finds no session that is stored for another node", async () => {
      const { place, tables: [table] } = await setUp();
      const other = await place.open(() => START_MS, "another node");
      for (const one of [table, other]) await one.add(waiting("a"));
      const own = await place.read("a");
      assert.match(own, /^\{.*"status":"unauthorized".*\}$/);
      const ofOther = own.replace(/[0-9a-f]{64}/, storedKey("another node", "a"));
      assert.notEqual(ofOther, own);
      await place.overwrite("a", ofOther);
      assert.equal(await table.find("a"), undefined);
      assert.deepEqual(await other.find("a"), waiting("a"));
    });

    it("bounds the sign-ins of a sender and of a class in all processes together", async () => {
      const { clock, tables } = await setUp();
      const add = (id: string, sender: string) =>
        tables[id.length % 2]!.add(unauthorized(id, clock.nowMs), { ...SMALL, sender });
      const added = [];
      for (const id of ["a", "bb", "ccc", "dddd"]) added.push(await add(id, "one"));
      assert.deepEqual(added, [true, true, true, false]);
      assert.deepEqual([await add("e", "two"), await add("ff", "two"), await add("g", "three")], [
        true,
        true,
        false,
      ]);
      // A sign-in that was begun stays until its minute is over.
      clock.nowMs += 59_999;
      assert.equal(await add("hh", "one"), false);
      assert.ok(await tables[0].find("a"));
      clock.nowMs += 1;
      assert.equal(await add("i", "one"), true);
    });

    it("counts a sign-in no longer when it is done or taken back", async () => {
      const { tables: [table] } = await setUp();
      for (const id of ["a", "b", "c"]) await table.add(waiting(id), SMALL);
      await table.authorize(signedIn("a"));
      await table.remove("b");
      assert.deepEqual([await table.add(waiting("d"), SMALL), await table.add(waiting("e"), SMALL)], [
        true,
        true,
      ]);
      assert.equal(await table.add(waiting("f"), SMALL), false);
    });

    it("finds an expired session for an hour, then no more", async () => {
      const { clock, tables: [table] } = await setUp();
      const session = waiting("a");
      await table.add(session);
      clock.nowMs = session.expiresAtMs + EXPIRED_LIFETIME_MS - 1;
      assert.deepEqual(await table.find("a"), session);
      clock.nowMs++;
      assert.equal(await table.find("a"), undefined);
    });

    it(`has ${MAX_AUTHORIZED_SESSIONS} signed-in sessions, and drops the oldest that may not change anything`, async () => {
      const { tables: [table] } = await setUp();
      const signIn = async (id: string, mayChange: boolean) => {
        await table.add(waiting(id));
        assert.equal(await table.authorize(signedIn(id, 0, mayChange)), true);
      };
      await signIn("owner", true);
      for (let i = 1; i < MAX_AUTHORIZED_SESSIONS; i++) await signIn(`guest${i}`, false);
      await signIn("one more", true);
      assert.equal(await table.find("guest1"), undefined);
      for (const id of ["owner", "guest2", `guest${MAX_AUTHORIZED_SESSIONS - 1}`, "one more"]) {
        assert.ok(await table.find(id), id);
      }
    });
  });
}
