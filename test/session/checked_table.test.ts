/** A table of sessions that answers anything at all, and the service over it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NotFoundError, UnavailableError } from "../../src/errors.ts";
import type { Session, SessionTable } from "../../src/ports/session_table.ts";
import { CheckedTable, TABLE_TIMEOUT_MS } from "../../src/session/checked_table.ts";
import { createMemoryTable } from "../../src/session/memory_table.ts";
import { AUTHORIZED_LIFETIME_MS, UNAUTHORIZED_LIFETIME_MS } from "../../src/session/sessions.ts";
import { MAX_MESSAGE_LENGTH } from "../../src/session/sign_in_message.ts";
import { FakeTimers } from "../support/fake_timers.ts";
import { createSessionApi, type SessionApi } from "./session_api.ts";
import { authorized, unauthorized } from "./table_suite.ts";
import { signInMessage, Wallet } from "./wallet.ts";

const NOW_MS = 1_700_000_000_500;
const KEY_ID = "k".repeat(32);
const WALLET_ID = "f".repeat(64);

const WAITING = unauthorized(KEY_ID, NOW_MS);
const SIGNED_IN = authorized(WAITING);
const owner = new Wallet(1);
const nonce = "abcdefghij1";
const message = signInMessage({ address: owner.address, nonce });
const OF_WALLET: Session = { ...SIGNED_IN, id: WALLET_ID, nonce, message };

function nested(depth: number): unknown {
  let value: unknown = null;
  for (let i = 0; i < depth; i++) value = { id: value };
  return value;
}

const without = (name: keyof Session): unknown => {
  const { [name]: _, ...rest } = SIGNED_IN;
  return rest;
};

/** Values that are no session of {@link KEY_ID}. */
const FOREIGN: Readonly<Record<string, unknown>> = {
  "null": null,
  "a text": JSON.stringify(SIGNED_IN),
  "a long text": "x".repeat(2 ** 24),
  "a number": 1,
  "true": true,
  "a list": [SIGNED_IN],
  "nothing": {},
  "deep nesting": nested(100_000),
  "a function": () => SIGNED_IN,
  "a Map": new Map(Object.entries(SIGNED_IN)),
  "another id": { ...SIGNED_IN, id: "o".repeat(32) },
  "a long id": { ...SIGNED_IN, id: "k".repeat(2 ** 24) },
  "an id that is no text": { ...SIGNED_IN, id: [KEY_ID] },
  ...Object.fromEntries(Object.keys(SIGNED_IN).map((name) => [`no ${name}`, without(name as keyof Session)])),
  "another status": { ...SIGNED_IN, status: "owner" },
  "a status that is a list": { ...SIGNED_IN, status: ["authorized"] },
  "times that are texts": { ...SIGNED_IN, issuedAtMs: String(NOW_MS), expiresAtMs: "9".repeat(20) },
  "times that are dates": { ...SIGNED_IN, issuedAtMs: new Date(NOW_MS), expiresAtMs: new Date(NOW_MS) },
  "no number for a time": { ...SIGNED_IN, expiresAtMs: NaN },
  "no end": { ...SIGNED_IN, expiresAtMs: Infinity },
  "an end before its begin": { ...SIGNED_IN, expiresAtMs: NOW_MS - 1 },
  "a begin in the future": authorized(unauthorized(KEY_ID, NOW_MS + 3_600_000)),
  "an end in the far future": {
    ...SIGNED_IN,
    expiresAtMs: NOW_MS + UNAUTHORIZED_LIFETIME_MS + AUTHORIZED_LIFETIME_MS + 3_600_000,
  },
  "a week without a signature": { ...WAITING, expiresAtMs: NOW_MS + AUTHORIZED_LIFETIME_MS },
  "a right to change before the signature": { ...WAITING, mayChange: true },
  "a right to change that is no boolean": { ...SIGNED_IN, mayChange: "true" },
  "a nonce that is none": { ...WAITING, nonce: "a b" },
  "a long nonce": { ...WAITING, nonce: "n".repeat(2 ** 24) },
  "a message without nonce": { ...SIGNED_IN, message },
  "a message before the signature": { ...WAITING, nonce, message },
  "a nonce without message after the signature": { ...SIGNED_IN, nonce },
  "a message with another nonce": { ...SIGNED_IN, nonce: "abcdefghij2", message },
  "a message that cannot be read": { ...SIGNED_IN, nonce, message: "hello" },
  "a long message": { ...SIGNED_IN, nonce, message: message + "x".repeat(MAX_MESSAGE_LENGTH) },
};

/** A table that finds one value, whatever it is asked for. */
const tableOf = (find: () => unknown, others: Partial<SessionTable> = {}): SessionTable => ({
  add: () => true,
  find: find as SessionTable["find"],
  authorize: () => true,
  remove: () => true,
  ...others,
});

function check(table: SessionTable, timers = new FakeTimers()) {
  const log: string[] = [];
  const checked = new CheckedTable(table, {
    now: () => NOW_MS,
    log: (_level, message) => void log.push(message),
    startTimer: timers.startTimer,
  });
  return { checked, log, timers };
}

describe("a checked table", () => {
  it("finds every session that a service like this one stores", async () => {
    const late = {
      ...SIGNED_IN,
      expiresAtMs: NOW_MS + UNAUTHORIZED_LIFETIME_MS + AUTHORIZED_LIFETIME_MS,
    };
    for (const session of [WAITING, SIGNED_IN, OF_WALLET, { ...WAITING, nonce }, late]) {
      assert.deepEqual(await check(tableOf(() => session)).checked.find(session.id), session);
    }
  });

  it("is the table whose answers it checks", async () => {
    const { checked } = check(createMemoryTable(() => NOW_MS));
    assert.equal(await checked.add(WAITING), true);
    assert.deepEqual(await checked.find(KEY_ID), WAITING);
    assert.equal(await checked.authorize(SIGNED_IN), true);
    assert.equal(await checked.authorize(SIGNED_IN), false);
    assert.deepEqual(await checked.find(KEY_ID), SIGNED_IN);
    assert.equal(await checked.remove(KEY_ID), true);
    assert.equal(await checked.remove(KEY_ID), false);
    assert.equal(await checked.find(KEY_ID), undefined);
  });

  it("gives on no member that a session does not have", async () => {
    const { checked } = check(tableOf(() => ({ ...SIGNED_IN, _id: 7, isOwner: true, nonce: undefined })));
    assert.deepEqual({ ...await checked.find(KEY_ID), nonce: 0 }, { ...SIGNED_IN, nonce: 0 });
  });

  for (const [name, value] of Object.entries(FOREIGN)) {
    it(`finds no session in ${name}, and says so once`, async () => {
      const { checked, log } = check(tableOf(() => value));
      assert.equal(await checked.find(KEY_ID), undefined);
      assert.equal(await checked.find(KEY_ID), undefined);
      assert.equal(await checked.remove(KEY_ID), false);
      const line = "The table of sessions has an entry that is not a session of this service";
      assert.deepEqual(log, value === null ? [] : [line]);
    });
  }

  const session = SIGNED_IN;
  const CALLS = {
    add: (table: SessionTable) => table.add(WAITING),
    find: (table: SessionTable) => table.find(KEY_ID),
    authorize: (table: SessionTable) => table.authorize(session),
    remove: (table: SessionTable) => table.remove(KEY_ID),
  } as const;
  const isAway = (error: unknown) => error instanceof UnavailableError && error.retryAfterSeconds === 5;

  for (const [name, call] of Object.entries(CALLS)) {
    it(`is away when ${name} fails, and says so`, async () => {
      let fault: unknown;
      const fails = () => {
        if (fault === undefined) return name === "find" ? session : true;
        throw fault;
      };
      const failsLater = async () => await fails();
      for (const failing of [fails, failsLater]) {
        const { checked, log } = check(tableOf(() => session, { [name]: failing }));
        fault = new Error("broken");
        await assert.rejects(Promise.resolve(call(checked)), isAway);
        assert.deepEqual(log, ["Cannot use the table of sessions: broken"]);
        fault = undefined;
        await call(checked);
        assert.deepEqual(log.splice(0).slice(1), ["The table of sessions can be used again"]);
        // The table has logged this one.
        fault = new UnavailableError("away", { retryAfterSeconds: 5 });
        await assert.rejects(Promise.resolve(call(checked)), isAway);
        assert.deepEqual(log, []);
        for (fault of [new NotFoundError("not there"), null, Symbol("fault")]) {
          await assert.rejects(Promise.resolve(call(checked)), isAway);
        }
      }
    });

    it(`is away when ${name} does not answer in ${TABLE_TIMEOUT_MS} ms`, async () => {
      const late = Promise.withResolvers<never>();
      const { checked, log, timers } = check(tableOf(() => session, { [name]: () => late.promise }));
      let answer: unknown;
      Promise.resolve(call(checked)).catch((error) => answer = error);
      await timers.advance(TABLE_TIMEOUT_MS - 1);
      assert.equal(answer, undefined);
      await timers.advance(1);
      assert.ok(isAway(answer));
      assert.deepEqual(log, ["Cannot use the table of sessions: no answer in time"]);
      // It is heard by nobody, and is no unhandled rejection.
      late.reject(new Error("too late"));
      await timers.advance(0);
      assert.equal(timers.running, 0);
    });

    if (name === "find") continue;
    it(`is away when ${name} answers something else than true or false`, async () => {
      for (const answer of [undefined, null, 1, "true", {}, []]) {
        const { checked } = check(tableOf(() => session, { [name]: () => answer }));
        await assert.rejects(Promise.resolve(call(checked)), isAway);
      }
    });
  }

  it("is unavailable when a found value cannot even be read", async () => {
    const { checked } = check(tableOf(() =>
      Object.defineProperty({}, "id", {
        get() {
          throw new TypeError("revoked");
        },
      })
    ));
    await assert.rejects(checked.find(KEY_ID), isAway);
  });
});

describe("a service over a table that others write", () => {
  const bearer = { authorization: `Bearer ${KEY_ID}` };
  const json = { "content-type": "application/json" };

  async function statusesOf({ ask, sign, nodeId }: SessionApi): Promise<Readonly<Record<string, number>>> {
    const id = KEY_ID;
    const proof = { sig: await sign(`${id}:${nodeId}`), pk: nodeId };
    const rid = "rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG";
    const edit = { type: "edit", title: "t" };
    const issue = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
    const patch = {
      title: "t",
      description: "d",
      target: "0".repeat(40),
      oid: "1".repeat(40),
      labels: [],
    };
    const object = "2".repeat(40);
    const asks: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ["GET", `/sessions/${id}`],
      ["PUT", `/sessions/${id}`, proof],
      ["DELETE", `/sessions/${id}`],
      ["POST", `/projects/${rid}/issues`, issue],
      ["PATCH", `/projects/${rid}/issues/${object}`, edit],
      ["POST", `/projects/${rid}/patches`, patch],
      ["PATCH", `/projects/${rid}/patches/${object}`, { ...edit, target: "delegates" }],
      ["PUT", `/node/policies/repos/${rid}`, { scope: "all" }],
      ["DELETE", `/node/policies/repos/${rid}`],
    ];
    const statuses: Record<string, number> = {};
    for (const [method, path, body] of asks) {
      const { status } = await ask(method, path, body, { ...bearer, ...body !== undefined && json });
      statuses[`${method} ${path.replace(/\/[^/]{32,}$/, "/:id")}`] = status;
    }
    return statuses;
  }

  /** The answers when the id of the session is unknown. */
  const UNKNOWN = createSessionApi({ sessionTable: tableOf(() => undefined, { remove: () => false }) }).then(
    statusesOf,
  );

  for (const [name, value] of Object.entries(FOREIGN)) {
    it(`answers every request with a session that is ${name} as if the id were unknown`, async () => {
      const unknown = await UNKNOWN;
      assert.deepEqual(new Set(Object.values(unknown)), new Set([401, 404]), JSON.stringify(unknown));
      const sessionTable = tableOf(() => value);
      assert.deepEqual(await statusesOf(await createSessionApi({ sessionTable })), unknown);
    });
  }

  it("answers 503 with Retry-After to every request with a session while the table fails", async () => {
    const fails = () => Promise.reject(new Error("broken"));
    const sessionTable = { add: fails, find: fails, authorize: fails, remove: fails };
    const api = await createSessionApi({ sessionTable });
    assert.deepEqual(new Set(Object.values(await statusesOf(api))), new Set([503]));
    const { status, headers } = await api.ask("POST", "/sessions");
    assert.deepEqual([status, headers.get("retry-after")], [503, "5"]);
    assert.deepEqual(api.log, ["Cannot use the table of sessions: broken"]);
  });

  it("shows a wallet's session only with a message that can be read", async () => {
    const options = { wallets: { addresses: [owner.address], domain: "localhost:3000" } };
    const values = [
      null,
      { ...OF_WALLET, message: "hello" },
      { ...OF_WALLET, message: undefined },
      { ...OF_WALLET, nonce: "other" },
    ];
    for (const value of values) {
      const { ask } = await createSessionApi({ ...options, sessionTable: tableOf(() => value) });
      assert.equal((await ask("GET", `/sessions/${WALLET_ID}`)).status, 404);
      const proof = { message, signature: owner.signHex(message) };
      assert.equal((await ask("PUT", `/sessions/${WALLET_ID}`, proof)).status, 404);
    }
    const { ask } = await createSessionApi({ ...options, sessionTable: tableOf(() => OF_WALLET) });
    assert.equal((await ask("GET", `/sessions/${WALLET_ID}`)).body.session.nonce, nonce);
  });
});
