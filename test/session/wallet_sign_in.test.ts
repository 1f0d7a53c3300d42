/** Sign-in with a wallet (4.8, alternate variant). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryTable } from "../../src/session/memory_table.ts";
import { AUTHORIZED_LIFETIME_MS, Sessions } from "../../src/session/sessions.ts";
import {
  createWalletRules,
  openWalletSession,
  signInWithWallet,
  type WalletOptions,
  type WalletRules,
} from "../../src/session/wallet_sign_in.ts";
import { type MessageParts, signInMessage, Wallet } from "./wallet.ts";
import { SENDER } from "./table_suite.ts";

const NOW_MS = Date.UTC(2023, 0, 27, 9, 5, 10);
const DOMAIN = "localhost:3000";
const OWNER = new Wallet(1);
const GUEST = new Wallet(2);
const rulesOf = (settings: Partial<WalletOptions> = {}) =>
  createWalletRules({ domain: DOMAIN, addresses: [OWNER.address], ...settings });
const RULES = rulesOf();
const GARBAGE = new Uint8Array(65);

async function start(rules: WalletRules = RULES) {
  const clock = { nowMs: NOW_MS };
  const now = () => clock.nowMs;
  const sessions = new Sessions(createMemoryTable(now), now);
  const session = await openWalletSession(sessions, SENDER);
  const signIn = (message: string, signature: Uint8Array = OWNER.sign(message), id = session.id) =>
    signInWithWallet(sessions, rules, id, { message, signature }, now());
  const message = (parts: Partial<MessageParts> = {}) =>
    signInMessage({ address: OWNER.address, nonce: session.nonce!, ...parts });
  return { clock, sessions, session, signIn, message };
}

const fails = (answer: Promise<unknown>, name: string, message: string | RegExp) =>
  assert.rejects(answer, { name, message });

describe("sign-in with a wallet", () => {
  it("starts with an id of 32 letters and digits (2.1) and a nonce of 11 letters and digits", async () => {
    const { session } = await start();
    assert.match(session.id, /^[A-Za-z0-9]{32}$/);
    assert.match(session.nonce!, /^[A-Za-z0-9]{11}$/);
    assert.equal(session.expiresAtMs, NOW_MS + 60_000);
  });

  it("lets the wallets that the host names change things", async () => {
    const { sessions, session, signIn, message } = await start();
    const authorized = await signIn(message());
    assert.equal(authorized.status, "authorized");
    assert.equal(authorized.message, message());
    assert.equal(authorized.expiresAtMs, NOW_MS + AUTHORIZED_LIFETIME_MS);
    assert.equal((await sessions.requireChange(session.id)).mayChange, true);
  });

  it("lets other wallets in, but not change anything", async () => {
    const { sessions, session, signIn, message } = await start();
    const text = message({ address: GUEST.address });
    assert.equal((await signIn(text, GUEST.sign(text))).mayChange, false);
    await fails(sessions.requireChange(session.id), "ForbiddenError", /may not change/);
  });

  it("ends a session when its message does", async () => {
    const { signIn, message } = await start();
    const session = await signIn(message({ more: ["Expiration Time: 2023-01-27T10:00:00Z"] }));
    assert.equal(session.expiresAtMs, Date.UTC(2023, 0, 27, 10));
  });

  it("takes the domain in any case, and its port to the digit", async () => {
    for (
      const [domain, isTaken] of [["LocalHost:3000", true], ["localhost:300", false], [
        "localhost",
        false,
      ]] as const
    ) {
      const { signIn, message } = await start();
      const answer = signIn(message({ domain }));
      await (isTaken ? answer : fails(answer, "UnauthorizedError", "Invalid domain"));
    }
  });
});

describe("sign-in with a wallet refuses", () => {
  it("a message whose bounds do not hold now", async () => {
    const { signIn, message } = await start();
    for (
      const line of [
        "Expiration Time: 2023-01-27T09:05:09.999Z",
        "Expiration Time: 2023-01-27T09:05:10Z",
        "Not Before: 2023-01-27T10:05:10.001+01:00",
      ]
    ) await fails(signIn(message({ more: [line] })), "MalformedError", "Message is not currently valid");
    await signIn(
      message({ more: ["Expiration Time: 2023-01-27T09:05:10.001Z", "Not Before: 2023-01-27T09:05:10Z"] }),
    );
  });

  it("a signature by another wallet, over another text, or of nothing", async () => {
    const { session, sessions, signIn, message } = await start();
    for (const signature of [GUEST.sign(message()), OWNER.sign(`${message()} `), GARBAGE]) {
      await fails(signIn(message(), signature), "MalformedError", "Signature doesn't verify");
    }
    assert.equal((await sessions.find(session.id)).status, "unauthorized");
  });

  it("the nonce of another session", async () => {
    const { sessions, signIn, message } = await start();
    const { nonce } = await openWalletSession(sessions, SENDER);
    await fails(signIn(message({ nonce: nonce! })), "UnauthorizedError", "Invalid nonce");
  });

  it("everyone while the domain of the host is invalid", async () => {
    for (const domain of ["http://localhost:3000", "a b"]) {
      const { signIn, message } = await start(rulesOf({ domain }));
      await fails(signIn(message()), "UnauthorizedError", "Invalid host");
    }
  });

  it("a URI of another domain", async () => {
    for (
      const uri of [
        "http://localhost:3001",
        "http://localhost",
        "http://evil.example/localhost:3000",
        "http://localhost:3000@evil.example",
        "http://user@localhost:3000",
        "urn:localhost:3000",
        "did:key:z6Mk",
        "localhost:3000",
      ]
    ) {
      const { signIn, message } = await start();
      await fails(signIn(message({ uri })), "UnauthorizedError", "Invalid URI");
    }
    for (const uri of ["https://localhost:3000/sign-in?a=b", "http://LOCALHOST:3000"]) {
      const { signIn, message } = await start();
      await signIn(message({ uri }));
    }
  });

  it("treats a default port as no port", async () => {
    const uris = [["https://a.example:443", true], ["https://a.example", true], [
      "http://a.example:443",
      false,
    ]];
    for (const [uri, isTaken] of uris as [string, boolean][]) {
      const { signIn, message } = await start(rulesOf({ domain: "a.example" }));
      const answer = signIn(message({ domain: "a.example", uri }));
      await (isTaken ? answer : fails(answer, "UnauthorizedError", "Invalid URI"));
    }
  });

  it("a chain that the host does not allow: by default all but 1", async () => {
    const ethereum = await start();
    await fails(ethereum.signIn(ethereum.message({ chainId: 5 })), "UnauthorizedError", "Invalid chain");
    await ethereum.signIn(ethereum.message({ chainId: 1 }));
    const other = await start(rulesOf({ chains: [5, 10] }));
    await fails(other.signIn(other.message({ chainId: 1 })), "UnauthorizedError", "Invalid chain");
    await other.signIn(other.message({ chainId: 10 }));
  });

  it("a message that was issued more than a minute from now", async () => {
    const { signIn, message } = await start();
    const late = message({ issuedAt: "2023-01-27T09:06:10.001Z" });
    await fails(signIn(late), "UnauthorizedError", "Invalid time");
    await signIn(message({ issuedAt: "2023-01-27T09:06:10Z" }));
  });

  it("an expired session", async () => {
    const { clock, session, signIn, message } = await start();
    clock.nowMs = session.expiresAtMs;
    await fails(signIn(message()), "UnauthorizedError", "Session expired");
    clock.nowMs--;
    await signIn(message());
  });

  it("in the order of the specification: unknown, authorized, unreadable, nonce, host, domain, expired, time, signature, URI, chain, issue", async () => {
    const { signIn, message } = await start(rulesOf({ domain: "not a host" }));
    await fails(signIn("x", GARBAGE, "unknown"), "NotFoundError", "Session was not found");
    await fails(signIn("x", GARBAGE), "MalformedError", /Cannot read sign-in message/);
    await fails(signIn(message({ nonce: "otherNonce1" }), GARBAGE), "UnauthorizedError", "Invalid nonce");
    await fails(signIn(message({ domain: "other" }), GARBAGE), "UnauthorizedError", "Invalid host");

    const ready = await start();
    const ended = ["Expiration Time: 2000-01-01T00:00:00Z"];
    ready.clock.nowMs = ready.session.expiresAtMs;
    await fails(
      ready.signIn(ready.message({ domain: "other", more: ended }), GARBAGE),
      "UnauthorizedError",
      "Invalid domain",
    );
    await fails(
      ready.signIn(ready.message({ more: ended }), GARBAGE),
      "UnauthorizedError",
      "Session expired",
    );
    ready.clock.nowMs--;
    await fails(
      ready.signIn(ready.message({ more: ended }), GARBAGE),
      "MalformedError",
      "Message is not currently valid",
    );
    const foreign = { uri: "http://evil.example", chainId: 5, issuedAt: "2100-01-01T00:00:00Z" };
    await fails(ready.signIn(ready.message(foreign), GARBAGE), "MalformedError", "Signature doesn't verify");
    await fails(ready.signIn(ready.message(foreign)), "UnauthorizedError", "Invalid URI");
    const { uri: _uri, ...late } = foreign;
    await fails(ready.signIn(ready.message(late)), "UnauthorizedError", "Invalid chain");
    await fails(
      ready.signIn(ready.message({ issuedAt: late.issuedAt })),
      "UnauthorizedError",
      "Invalid time",
    );
    await ready.signIn(ready.message());
    await fails(ready.signIn("x", GARBAGE), "UnauthorizedError", "Session already authorized");
  });
});

describe("createWalletRules", () => {
  it("takes addresses in any case and refuses other texts", () => {
    const address = OWNER.address.toLowerCase();
    for (const wallet of [OWNER.address, address]) {
      assert.deepEqual([...rulesOf({ addresses: [wallet] }).wallets], [address]);
    }
    for (const wallet of ["", address.slice(2), `${address}0`, "vitalik.eth"]) {
      assert.throws(() => rulesOf({ addresses: [wallet] }), TypeError);
    }
  });

  it("refuses settings that would allow no sign-in or no change", () => {
    for (const settings of [{ domain: "" }, { addresses: [] }]) {
      assert.throws(() => rulesOf(settings), TypeError);
    }
    for (const chain of [0, -1, 1.5, NaN, 2 ** 53]) {
      assert.throws(() => rulesOf({ chains: [chain] }), TypeError);
    }
  });
});
