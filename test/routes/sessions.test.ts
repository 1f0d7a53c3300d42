/** The routes of sessions: what goes in and out, and what is refused first (4.8). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeMultibase } from "../../src/ids/multibase.ts";
import { MAX_WAITING, MAX_WAITING_OF_CLIENT, MAX_WAITING_TOGETHER } from "../../src/session/memory_table.ts";
import type { WalletOptions } from "../../src/session/wallet_sign_in.ts";
import { makeOwnerProof, OWNER_PROOF_FIELD, OWNER_PROOF_MS } from "../../src/session/owner_proof.ts";
import { createSessionApi, type SessionApi, signerOfKey } from "../session/session_api.ts";
import { signInMessage, Wallet } from "../session/wallet.ts";
import { createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { ALICE } from "../support/world.ts";

const JSON_TYPE = { "content-type": "application/json" };
const UNKNOWN = "/sessions/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const error = (code: number, text: string) => ({ error: text, code });

async function open({ ask }: SessionApi): Promise<string> {
  return (await ask("POST", "/sessions")).body.sessionId;
}

async function proofOf({ sign, nodeId }: SessionApi, id: string) {
  return { sig: await sign(`${id}:${nodeId}`), pk: nodeId };
}

describe("POST /sessions", () => {
  it("opens a session of the node, whose key it need not be able to use", async () => {
    const { ask, nodeId } = await createSessionApi({ nowMs: 1_700_000_000_999 });
    const { status, headers, body } = await ask("POST", "/sessions");
    assert.equal(status, 201);
    assert.equal(headers.get("content-type"), "application/json");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(body.sessionId, /^[A-Za-z0-9]{32}$/);
    assert.deepEqual(Object.entries(body).slice(1), [
      ["status", "unauthorized"],
      ["publicKey", nodeId],
      ["alias", "hana"],
      ["issuedAt", 1_700_000_000],
      ["expiresAt", 1_700_000_060],
    ]);
  });

  it("ignores a body", async () => {
    const { ask } = await createSessionApi();
    for (
      const [body, type] of [["", "text/plain"], ["not json", "text/plain"], [
        "{",
        "application/json",
      ]] as const
    ) {
      assert.equal((await ask("POST", "/sessions", body, { "content-type": type })).status, 201);
    }
  });
});

describe("POST /sessions, thousands of times", () => {
  const open = (origin?: string): RequestInit => ({ method: "POST", ...(origin && { headers: { origin } }) });

  it("by foreign pages takes no sign-in away, and leaves room for the owner and for other programs", async () => {
    const { get } = createTestApi();
    const first = await get("/sessions", STRANGER, open());
    let refused = 0;
    for (let i = 0; i < 10_000; i++) {
      const { status, headers } = await get("/sessions", OWNER, open(`https://evil${i % 10}.example`));
      if (status === 201) continue;
      refused++;
      assert.equal(status, 503);
      assert.equal(headers.get("retry-after"), "60");
    }
    assert.equal(refused, 10_000 - MAX_WAITING_TOGETHER);
    assert.equal((await get(`/sessions/${first.body.sessionId}`)).status, 200);
    for (const client of [OWNER, STRANGER]) {
      assert.equal((await get("/sessions", client, open())).status, 201);
    }
    assert.equal((await get("/sessions", OWNER, open("https://app.radicle.xyz"))).status, 201);
  });

  it("by one stranger leaves room for others", async () => {
    const { get } = createTestApi();
    for (let i = 0; i < MAX_WAITING_OF_CLIENT; i++) {
      assert.equal((await get("/sessions", STRANGER, open())).status, 201);
    }
    assert.equal((await get("/sessions", STRANGER, open())).status, 503);
    const neighbour = { transport: "tcp", address: "192.0.2.8" } as const;
    assert.equal((await get("/sessions", neighbour, open())).status, 201);
    assert.equal((await get("/sessions", OWNER, open())).status, 201);
  });

  it("count for their client, whatever header fields say", async () => {
    const { get } = createTestApi();
    const fields = [
      { via: "1.0 x" },
      { forwarded: "for=192.0.2.9" },
      { origin: "https://app.radicle.xyz" },
      ...Array.from({ length: 20 }, (_, i) => ({ origin: `http://localhost:${i}` })),
      ...Array.from({ length: 20 }, (_, i) => ({ "x-forwarded-for": `192.0.2.${i}` })),
    ];
    let opened = 0;
    for (const headers of fields) {
      while ((await get("/sessions", STRANGER, { method: "POST", headers })).status === 201) opened++;
    }
    assert.equal(opened, MAX_WAITING_OF_CLIENT);
  });

  it("behind a proxy count by the client that the host reads from its field", async () => {
    const addressOf = ({ headers }: Request) => headers.get("x-real-ip") ?? undefined;
    const { get } = createTestApi({ behindProxy: true, clients: { addressOf } });
    const from = (address: string) => ({ method: "POST", headers: { "x-real-ip": address } });
    for (let i = 0; i < MAX_WAITING_OF_CLIENT; i++) {
      assert.equal((await get("/sessions", OWNER, from("192.0.2.1"))).status, 201);
    }
    assert.equal((await get("/sessions", OWNER, from("192.0.2.1"))).status, 503);
    assert.equal((await get("/sessions", OWNER, from("192.0.2.2"))).status, 201);
  });

  it("leave places for the key of the node, even behind a proxy that sends no addresses", async () => {
    const api = await createSessionApi({ behindProxy: true });
    const signer = await signerOfKey(7);
    while ((await api.ask("POST", "/sessions")).status === 201);
    const openWith = async (proof: string) =>
      (await api.ask("POST", "/sessions", undefined, { [OWNER_PROOF_FIELD]: proof })).status;
    const proof = await makeOwnerProof(signer, api.clock.nowMs);
    assert.equal(await openWith(proof), 201);
    const [time, nonce, signature] = proof.split(".");
    const others = [
      // It counts once.
      proof,
      "",
      ".",
      `${time}.${nonce}`,
      `${time}.${nonce}.z`,
      `${time}.${nonce}.${signature}1`,
      `${Number(time) + 1}.${nonce}.${signature}`,
      `${time}.${"a".repeat(16)}.${signature}`,
      `${"1".repeat(9000)}.${nonce}.${signature}`,
      await makeOwnerProof(await signerOfKey(8), api.clock.nowMs),
      await makeOwnerProof(signer, api.clock.nowMs - OWNER_PROOF_MS - 1),
      await makeOwnerProof(signer, api.clock.nowMs + OWNER_PROOF_MS + 1),
    ];
    for (const other of others) assert.equal(await openWith(other), 503, other.slice(0, 99));
    for (let i = 1; i < MAX_WAITING.key; i++) {
      assert.equal(await openWith(await makeOwnerProof(signer, api.clock.nowMs)), 201);
    }
    assert.equal(await openWith(await makeOwnerProof(signer, api.clock.nowMs)), 503);
  });
});

describe("GET /sessions/:id", () => {
  it("shows a session to everyone who knows it, also when it has expired", async () => {
    const { ask, clock } = await createSessionApi();
    const { body } = await ask("POST", "/sessions");
    clock.nowMs += 61_000;
    const shown = await ask("GET", `/sessions/${body.sessionId}`);
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get("cache-control"), "no-store");
    assert.deepEqual(shown.body, body);
  });

  it("answers 404 for an unknown session and 400 for an id that is no text", async () => {
    const { ask } = await createSessionApi();
    const unknown = await ask("GET", UNKNOWN);
    assert.equal(unknown.status, 404);
    assert.deepEqual(unknown.body, error(404, "Session was not found"));
    assert.deepEqual((await ask("GET", "/sessions/%ff")).body, {
      success: false,
      error: "Invalid UTF-8 in `id`",
      code: 400,
    });
  });
});

describe("PUT /sessions/:id", () => {
  it("authorizes the session for a week, whatever else the body says", async () => {
    const api = await createSessionApi();
    const id = await open(api);
    api.clock.nowMs += 10_000;
    const { status, body } = await api.ask("PUT", `/sessions/${id}`, { ...await proofOf(api, id), extra: 1 });
    assert.equal(status, 200);
    assert.deepEqual(body, { success: true });
    const shown = (await api.ask("GET", `/sessions/${id}`)).body;
    assert.equal(shown.status, "authorized");
    assert.equal(shown.issuedAt, 1_700_000_000);
    assert.equal(shown.expiresAt, 1_700_000_010 + 604_800);
  });

  it("reads key and signature in other bases than base58", async () => {
    const api = await createSessionApi();
    const id = await open(api);
    const { sig, pk } = await proofOf(api, id);
    const toHex = (text: string) =>
      "f" + Array.from(decodeMultibase(text)!, (b) => b.toString(16).padStart(2, "0")).join("");
    assert.equal((await api.ask("PUT", `/sessions/${id}`, { sig: toHex(sig), pk: toHex(pk) })).status, 200);
  });

  const SIG = `z${"1".repeat(64)}`;
  for (
    const [what, body, headers, status] of [
      ["no body", undefined, {}, 415],
      ["another content type", "{}", { "content-type": "text/plain" }, 415],
      ["an empty body", "", JSON_TYPE, 400],
      ["half a body", "{", JSON_TYPE, 400],
      ["an empty object", "{}", JSON_TYPE, 422],
      ["a list", "[]", JSON_TYPE, 422],
      ["null", "null", JSON_TYPE, 422],
      ["a signature in no base", { sig: "x", pk: ALICE }, JSON_TYPE, 422],
      ["a short signature", { sig: "z1", pk: ALICE }, JSON_TYPE, 422],
      ["a signature of 65 bytes", { sig: `${SIG}1`, pk: ALICE }, JSON_TYPE, 422],
      ["a signature that is no text", { sig: 1, pk: ALICE }, JSON_TYPE, 422],
      ["half a key", { sig: SIG, pk: "z6Mk" }, JSON_TYPE, 422],
      ["a DID for a key", { sig: SIG, pk: `did:key:${ALICE}` }, JSON_TYPE, 422],
      ["a member twice", `{"sig":"${SIG}","sig":"${SIG}","pk":"${ALICE}"}`, JSON_TYPE, 422],
      ["2097152 bytes", `{"sig":"${"x".repeat(2097152 - 10)}"}`, JSON_TYPE, 422],
      ["2097153 bytes", `{"sig":"${"x".repeat(2097153 - 10)}"}`, JSON_TYPE, 413],
      ["a good body", { sig: SIG, pk: ALICE }, JSON_TYPE, 404],
    ] as const
  ) {
    it(`answers ${status} to ${what}, before it reads the session`, async () => {
      const { ask } = await createSessionApi();
      const answer = await ask("PUT", UNKNOWN, body, headers);
      assert.equal(answer.status, status);
      assert.equal(answer.body.code, status);
    });
  }

  it("says what signature and key have to be", async () => {
    const { ask } = await createSessionApi();
    const error = async (body: object) => (await ask("PUT", UNKNOWN, body, JSON_TYPE)).body.error;
    assert.equal(
      await error({ sig: "z1", pk: "x" }),
      'Request body has an unusable member "sig": expected a signature of 64 bytes in multibase',
    );
    assert.equal(
      await error({ sig: SIG, pk: "x" }),
      'Request body has an unusable member "pk": expected a node id',
    );
  });

  it("says why a session cannot be authorized", async () => {
    const api = await createSessionApi();
    const id = await open(api);
    const proof = await proofOf(api, id);
    const put = async (body: unknown) => (await api.ask("PUT", `/sessions/${id}`, body)).body;
    assert.deepEqual(await put({ ...proof, pk: ALICE }), error(401, "Invalid public key"));
    assert.deepEqual(await put({ ...proof, sig: SIG }), error(400, "Signature doesn't verify"));
    api.clock.nowMs += 60_000;
    assert.deepEqual(await put(proof), error(401, "Session expired"));
    api.clock.nowMs -= 1;
    assert.deepEqual(await put(proof), { success: true });
    assert.deepEqual(await put(proof), error(401, "Session already authorized"));
  });
});

describe("DELETE /sessions/:id", () => {
  it("removes the session of its bearer, authorized or not", async () => {
    const api = await createSessionApi();
    for (const isAuthorized of [false, true]) {
      const id = await open(api);
      if (isAuthorized) await api.ask("PUT", `/sessions/${id}`, await proofOf(api, id));
      const answer = await api.ask("DELETE", `/sessions/${id}`, undefined, { authorization: `Bearer ${id}` });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, { success: true });
      assert.equal((await api.ask("GET", `/sessions/${id}`)).status, 404);
    }
  });

  it("asks for a well-formed bearer first, then for the right one, then for the session", async () => {
    const api = await createSessionApi();
    const [id, other] = [await open(api), await open(api)];
    const remove = async (path: string, authorization?: string) =>
      (await api.ask("DELETE", path, undefined, authorization === undefined ? {} : { authorization })).body;
    assert.deepEqual(await remove("/sessions/%ff"), error(400, "`Authorization` header is missing"));
    assert.deepEqual(
      await remove(`/sessions/${id}`, `Basic ${id}`),
      error(400, "`Authorization` header must be a bearer token"),
    );
    for (const token of ["Bearer", `Bearer  ${id}`, `Bearer ${id} x`, `Bearer ${other}`]) {
      assert.deepEqual(
        await remove(`/sessions/${id}`, token),
        error(401, "Not authorized to delete this session"),
      );
    }
    const unknown = UNKNOWN.slice("/sessions/".length);
    assert.deepEqual(await remove(UNKNOWN, `Bearer ${unknown}`), error(404, "Session was not found"));
    assert.equal((await api.ask("GET", `/sessions/${id}`)).status, 200);
  });
});

describe("sessions of wallets", () => {
  const owner = new Wallet(1);
  const NOW_MS = Date.UTC(2023, 0, 27, 9, 5, 10, 250);
  const start = () =>
    createSessionApi({
      wallets: { addresses: [owner.address], domain: "localhost:3000" },
      nowMs: NOW_MS,
    });

  it("open with id and nonce, and show when they expire", async () => {
    const { ask } = await start();
    const { status, headers, body } = await ask("POST", "/sessions");
    assert.equal(status, 201);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.deepEqual(Object.keys(body), ["id", "nonce"]);
    assert.match(body.id, /^[A-Za-z0-9]{32}$/);
    assert.match(body.nonce, /^[A-Za-z0-9]{11}$/);
    assert.deepEqual((await ask("GET", `/sessions/${body.id}`)).body, {
      ...body,
      expirationTime: "2023-01-27 9:06:10.25 +00:00:00",
    });
  });

  it("show what the wallet signed once they are authorized", async () => {
    const { ask } = await start();
    const { id, nonce } = (await ask("POST", "/sessions")).body;
    const more = ["Expiration Time: 2023-01-27T12:00:00Z", "Resources:", "- https://example.org/a"];
    const message = signInMessage({ address: owner.address, nonce, more });
    const { status, body } = await ask("PUT", `/sessions/${id}`, {
      message,
      signature: owner.signHex(message),
    });
    assert.equal(status, 200);
    const expected = {
      id,
      session: {
        domain: "localhost",
        address: owner.address.toLowerCase(),
        statement: null,
        uri: "http://localhost:3000",
        version: 1,
        chainId: 1,
        nonce,
        issuedAt: "2023-01-27 9:05:03.25 +00:00:00",
        expirationTime: "2023-01-27 12:00:00.0 +00:00:00",
        resources: ["https://example.org/a"],
      },
    };
    assert.deepEqual(body, expected);
    assert.deepEqual((await ask("GET", `/sessions/${id}`)).body, expected);
  });

  it("show that a message without expiration time has none", async () => {
    const { ask } = await start();
    const { id, nonce } = (await ask("POST", "/sessions")).body;
    const message = signInMessage({ address: owner.address, nonce });
    const signature = owner.signHex(message).slice(2).toUpperCase();
    const { body } = await ask("PUT", `/sessions/${id}`, { message, signature });
    assert.equal(body.session.expirationTime, null);
    assert.deepEqual(body.session.resources, []);
  });

  it("refuse malformed bodies before they read the session", async () => {
    const { ask } = await start();
    const signature = "0".repeat(130);
    for (
      const [body, status] of [
        ["{", 400],
        [{ message: "m" }, 422],
        [{ message: 1, signature }, 422],
        [{ message: "m", signature: `0x${signature}0` }, 422],
        [{ message: "m", signature: signature.slice(2) }, 422],
        [{ message: "m", signature: `0X${signature}` }, 422],
        [{ message: "m", signature: "g".repeat(130) }, 422],
        [{ message: "m", signature }, 404],
      ] as const
    ) assert.equal((await ask("PUT", UNKNOWN, body)).status, status);
    assert.equal(
      (await ask("PUT", UNKNOWN, { message: "m", signature: "0x" })).body.error,
      'Request body has an unusable member "signature": expected 65 bytes in hexadecimal digits',
    );
  });

  it("distinguish what is wrong with a message", async () => {
    const { ask, clock } = await start();
    const { id, nonce } = (await ask("POST", "/sessions")).body;
    const put = async (message: string) =>
      (await ask("PUT", `/sessions/${id}`, { message, signature: owner.signHex(message) })).body;
    const { address } = owner;
    assert.equal((await put("hello")).code, 400);
    assert.deepEqual(
      await put(signInMessage({ address, nonce: "otherNonce1" })),
      error(401, "Invalid nonce"),
    );
    assert.deepEqual(
      await put(signInMessage({ address, nonce, domain: "evil.org" })),
      error(401, "Invalid domain"),
    );
    clock.nowMs += 60_000;
    assert.deepEqual(await put(signInMessage({ address, nonce })), error(401, "Session expired"));
    clock.nowMs -= 60_000;
    assert.equal((await put(signInMessage({ address, nonce }))).id, id);
    assert.deepEqual(await put(signInMessage({ address, nonce })), error(401, "Session already authorized"));
  });

  it("need a domain and a wallet from the start", async () => {
    const [domain, addresses] = ["localhost:3000", [owner.address]];
    const wrong: readonly object[] = [{}, { domain }, { addresses }, { domain: "", addresses }, {
      domain,
      addresses: [],
    }];
    for (const wallets of wrong) {
      await assert.rejects(createSessionApi({ wallets: wallets as WalletOptions }), TypeError);
    }
  });

  it("cannot be deleted", async () => {
    const { ask } = await start();
    const { id } = (await ask("POST", "/sessions")).body;
    assert.equal(
      (await ask("DELETE", `/sessions/${id}`, undefined, { authorization: `Bearer ${id}` })).status,
      405,
    );
  });
});
