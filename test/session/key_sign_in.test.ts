/** Sign-in with the node's key. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importEd25519 } from "../../src/keys/ed25519.ts";
import { challengeText, openKeySession, signInWithKey } from "../../src/session/key_sign_in.ts";
import { createMemoryTable } from "../../src/session/memory_table.ts";
import { Sessions } from "../../src/session/sessions.ts";
import { ALICE, ALICE_SEED, BOB, BOB_SEED } from "../support/world.ts";
import { SENDER } from "./table_suite.ts";

function makeSessions() {
  const clock = { nowMs: 0 };
  const now = () => clock.nowMs;
  return { clock, sessions: new Sessions(createMemoryTable(now), now) };
}

async function sign(text: string, seed: Uint8Array = ALICE_SEED) {
  const key = await importEd25519(Uint8Array.from(seed));
  return await key.sign(new TextEncoder().encode(text));
}

const fails = (answer: Promise<unknown>, name: string, message: string) =>
  assert.rejects(answer, { name, message });

describe("sign-in with the node's key", () => {
  it("starts with an id of 32 letters and digits", async () => {
    const { sessions } = makeSessions();
    const session = await openKeySession(sessions, SENDER);
    assert.match(session.id, /^[A-Za-z0-9]{32}$/);
    assert.equal(session.status, "unauthorized");
    assert.equal(session.mayChange, false);
  });

  it("authorizes the session for changes", async () => {
    const { sessions } = makeSessions();
    const { id } = await openKeySession(sessions, SENDER);
    assert.equal(challengeText(id, ALICE), `${id}:${ALICE}`);
    const signature = await sign(challengeText(id, ALICE));
    const session = await signInWithKey(sessions, ALICE, id, { publicKey: ALICE, signature });
    assert.equal(session.status, "authorized");
    assert.equal((await sessions.requireChange(id)).mayChange, true);
  });

  it("refuses a signature by another key, over another session, or of nothing", async () => {
    const { sessions } = makeSessions();
    const { id } = await openKeySession(sessions, SENDER);
    const other = await openKeySession(sessions, SENDER);
    for (
      const signature of [
        await sign(challengeText(id, ALICE), BOB_SEED),
        await sign(challengeText(other.id, ALICE)),
        await sign(challengeText(id, BOB)),
        await sign(id),
        new Uint8Array(64),
      ]
    ) {
      const answer = signInWithKey(sessions, ALICE, id, { publicKey: ALICE, signature });
      await fails(answer, "MalformedError", "Signature doesn't verify");
    }
    assert.equal((await sessions.find(id)).status, "unauthorized");
  });

  it("refuses another key before it checks expiry and signature", async () => {
    const { clock, sessions } = makeSessions();
    const { id, expiresAtMs } = await openKeySession(sessions, SENDER);
    clock.nowMs = expiresAtMs;
    const signature = await sign(challengeText(id, BOB), BOB_SEED);
    const answer = signInWithKey(sessions, ALICE, id, { publicKey: BOB, signature });
    await fails(answer, "UnauthorizedError", "Invalid public key");
  });

  it("refuses an expired session before it checks the signature", async () => {
    const { clock, sessions } = makeSessions();
    const { id, expiresAtMs } = await openKeySession(sessions, SENDER);
    clock.nowMs = expiresAtMs;
    const answer = signInWithKey(sessions, ALICE, id, { publicKey: ALICE, signature: new Uint8Array(64) });
    await fails(answer, "UnauthorizedError", "Session expired");
  });

  it("refuses an authorized session before it checks the key, even when it has expired", async () => {
    const { clock, sessions } = makeSessions();
    const { id } = await openKeySession(sessions, SENDER);
    const signature = await sign(challengeText(id, ALICE));
    clock.nowMs = (await signInWithKey(sessions, ALICE, id, { publicKey: ALICE, signature })).expiresAtMs;
    const again = signInWithKey(sessions, ALICE, id, { publicKey: BOB, signature: new Uint8Array(64) });
    await fails(again, "UnauthorizedError", "Session already authorized");
  });

  it("refuses an unknown session first", async () => {
    const { sessions } = makeSessions();
    const answer = signInWithKey(sessions, ALICE, "x", { publicKey: BOB, signature: new Uint8Array(64) });
    await fails(answer, "NotFoundError", "Session was not found");
  });
});
