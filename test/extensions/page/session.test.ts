/** The visitor's session, against a service in the same process. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClientError } from "../../../src/client/mod.ts";
import { parseSignIn, Visitor } from "../../../extensions/page/browser/session.ts";
import { challengeText } from "../../../src/session/key_sign_in.ts";
import { BASE, createSessionApi, type SessionApi } from "../../session/session_api.ts";
import { signInMessage, Wallet } from "../../session/wallet.ts";

/** The storage of a tab, which runtimes do not have. */
function tab(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (i) => [...values.keys()][i] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    clear: () => values.clear(),
  };
}

function visitorOf({ answer, clock }: SessionApi, storage = tab(), path = "/"): Visitor {
  return new Visitor(new URL(path, BASE), storage, { fetch: answer }, () => clock.nowMs);
}

/** A tab that is loaded again; whatever it asks the service fails the test. */
function reload({ clock }: SessionApi, storage: Storage): Visitor {
  const fetch = ({ url }: Request) => assert.fail(`Asked for ${url}`);
  const visitor = new Visitor(new URL("/", BASE), storage, { fetch }, () => clock.nowMs);
  visitor.resume();
  return visitor;
}

/** A session that waits, and the proof that authorizes it. */
async function openSession(api: SessionApi) {
  const { sessionId: id } = (await api.ask("POST", "/sessions")).body;
  return { id, proof: { pk: api.nodeId, sig: await api.sign(challengeText(id, api.nodeId)) } };
}

describe("Visitor", () => {
  it("signs in by a link, keeps the token in the tab, and takes it up again", async () => {
    const api = await createSessionApi();
    const { id, proof } = await openSession(api);
    const storage = tab();
    const visitor = visitorOf(api, storage);
    assert.deepEqual([visitor.token, visitor.ofSession], [undefined, undefined]);
    await visitor.signIn(parseSignIn(`${BASE}/#/session/${id}?${new URLSearchParams(proof)}`)!);
    assert.deepEqual([visitor.token, visitor.ofSession, storage.length], [id, "hana", 1]);

    // The path of the session has the token: it is not asked for again.
    const reloaded = reload(api, storage);
    assert.deepEqual([reloaded.token, reloaded.ofSession], [id, "hana"]);
  });

  it("takes no session that is not authorized, and no session of another proof", async () => {
    const api = await createSessionApi();
    const { id, proof } = await openSession(api);
    const storage = tab();
    const visitor = visitorOf(api, storage);
    await assert.rejects(visitor.signIn({ id }), { message: "Nobody has authorized this session" });
    const wrong = { ...proof, sig: await api.sign("something else") };
    await assert.rejects(visitor.signIn({ id, proof: wrong }), ClientError);
    await assert.rejects(visitor.signIn({ id: "a".repeat(32) }), { code: "notFound" });
    assert.deepEqual([visitor.token, visitor.ofSession, storage.length], [undefined, undefined, 0]);
  });

  it("signs out, for the service and the tab", async () => {
    const api = await createSessionApi();
    const signIn = await openSession(api);
    const storage = tab();
    const visitor = visitorOf(api, storage);
    await visitor.signIn(signIn);
    await visitor.signOut();
    assert.deepEqual([visitor.token, visitor.ofSession, storage.length], [undefined, undefined, 0]);
    assert.equal((await api.ask("GET", `/sessions/${signIn.id}`)).status, 404);
  });

  it("forgets a session that has expired", async () => {
    const api = await createSessionApi();
    const storage = tab();
    await visitorOf(api, storage).signIn(await openSession(api));
    api.clock.nowMs += 7 * 24 * 3600 * 1000 - 1000;
    assert.equal(reload(api, storage).ofSession, "hana");
    api.clock.nowMs += 1000;
    assert.deepEqual([reload(api, storage).token, storage.length], [undefined, 0]);
  });

  it("forgets a session that the service has ended as soon as a change is refused, not what is shown", async () => {
    const api = await createSessionApi();
    const storage = tab();
    const signIn = await openSession(api);
    await visitorOf(api, storage).signIn(signIn);
    const authorization = `Bearer ${signIn.id}`;
    assert.equal(
      (await api.ask("DELETE", `/sessions/${signIn.id}`, undefined, { authorization })).status,
      200,
    );
    const visitor = visitorOf(api, storage);
    visitor.resume();
    assert.equal(visitor.ofSession, "hana");
    const rid = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
    await assert.rejects(visitor.client.put("/api/v1/node/policies/repos/:rid", { rid }), { status: 401 });
    assert.deepEqual([visitor.ofSession, storage.length], ["hana", 0]);
    assert.equal(reload(api, storage).token, undefined);
  });

  it("keeps its session when a link of another one is refused", async () => {
    const api = await createSessionApi();
    const storage = tab();
    const [first, second] = [await openSession(api), await openSession(api)];
    await visitorOf(api).signIn(second);
    const visitor = visitorOf(api, storage);
    await visitor.signIn(first);
    await assert.rejects(visitor.signIn(second), { status: 401 });
    assert.deepEqual([visitor.token, reload(api, storage).token], [first.id, first.id]);
  });

  it("keeps the sessions of services below different paths of an origin apart", async () => {
    const api = await createSessionApi();
    const storage = tab();
    await visitorOf(api, storage).signIn(await openSession(api));
    const other = visitorOf(api, storage, "/radicle/");
    other.resume();
    assert.equal(other.token, undefined);
    assert.equal(storage.length, 1);
  });

  it("has consistency tokens that survive a reload and a sign-in, the newest hundred", async () => {
    const api = await createSessionApi();
    const storage = tab();
    const sent: (string | null)[] = [];
    const FIELD = "xylem-consistency-token";
    const fetch = (request: Request) => {
      if (!request.url.includes("/projects/")) return api.answer(request);
      sent.push(request.headers.get(FIELD));
      return Promise.resolve(Response.json({}, { headers: { [FIELD]: `1.a.${sent.length}.b` } }));
    };
    const visitor = () => new Visitor(new URL("/", BASE), storage, { fetch });
    const read = (one: Visitor, project: string) => one.client.get("/api/v1/projects/:project", { project });
    const first = visitor();
    await read(first, "a");
    await first.signIn(await openSession(api));
    await read(first, "a");
    await read(visitor(), "a");
    assert.deepEqual(sent, [null, "1.a.1.b", "1.a.2.b"]);
    for (let i = 0; i < 100; i++) await read(visitor(), `${i}`);
    await read(visitor(), "a");
    assert.equal(sent.at(-1), null);
  });

  it("takes the session of a wallet by its id", async () => {
    const wallet = new Wallet(9);
    const api = await createSessionApi({
      wallets: { addresses: [wallet.address], domain: "localhost:3000" },
      nowMs: Date.parse("2023-01-27T09:05:30Z"),
    });
    const { id, nonce } = (await api.ask("POST", "/sessions")).body;
    const storage = tab();
    const visitor = visitorOf(api, storage);
    await assert.rejects(visitor.signIn({ id }), { message: "Nobody has authorized this session" });
    const message = signInMessage({ address: wallet.address, nonce });
    const signed = await api.ask("PUT", `/sessions/${id}`, { message, signature: wallet.signHex(message) });
    assert.equal(signed.status, 200, JSON.stringify(signed.body));
    await visitor.signIn({ id });
    assert.equal(visitor.ofSession, wallet.address.toLowerCase());
    assert.deepEqual([reload(api, storage).token, reload(api, storage).ofSession], [id, visitor.ofSession]);
    // There is no sign-out for wallets; the tab forgets the token.
    await visitor.signOut();
    assert.equal(visitor.token, undefined);
  });
});
