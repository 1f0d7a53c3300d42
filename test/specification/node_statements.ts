/** Routes of the node, of delegates, of the profile and of sessions (4.5 to 4.8). */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type RepoId, sortRids } from "../../src/ids/rid.ts";
import { notShown, row, type Statement } from "./statement.ts";
import { type Running, SIGNED_AT, walletProof } from "./world.ts";

const POLICY = "/node/policies/repos/{rid}";
const DELEGATE = "GET /delegates/{did}/projects";
const by = "bearer";
const SESSION = "GET /sessions/{session}";
const PROOF = { sig: "{waitingSig}", pk: "{alice}" };
const WALLET_PROOF = { message: "{message}", signature: "{signature}" };
const wallets = { setup: "wallets" } as const;

const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
const refused = (status: number, error: string) => ({ body }: { body: unknown }) =>
  deepEqual(body, { error, code: status });
const authorize = ({ ask }: Running, more: object = {}) =>
  ask("PUT /sessions/{session}", { body: { ...WALLET_PROOF, ...more } });

export const nodeStatements: readonly Statement[] = [
  row("4.5.node", "GET /node", "GET /node", ({ status }) => equal(status, 200)),
  row(
    "4.5.policies",
    "GET policies: an array",
    "GET /node/policies/repos",
    ({ body }) => equal(body.length, 1),
  ),
  row("4.5.put", "PUT: success, or success and results", `PUT ${POLICY}`, async ({ body }, { ask }) => {
    deepEqual(body, { success: true });
    const fetched = (await ask(`PUT ${POLICY}?from={bob}`, { by })).body;
    deepEqual(Object.keys(fetched), ["success", "results"]);
  }, { by }),
  row("4.5.delete", "DELETE: success", `DELETE ${POLICY}`, ({ body }) => deepEqual(body, { success: true }), {
    by,
  }),
  row(
    "4.5.nid",
    "GET /nodes/:nid: alias",
    "GET /nodes/{bob}",
    ({ body }) => deepEqual(body, { alias: "bob" }),
  ),
  row("4.5.inv", "GET inventory: an array", "GET /nodes/{bob}/inventory", ({ body }, { names }) => {
    deepEqual(body, [names["rid"]]);
  }),
  row(
    "4.5.r1a",
    "PUT seeds with a scope, which has a default",
    `PUT ${POLICY}`,
    async (_, { ask, calls, names }) => {
      await ask(`PUT ${POLICY}?scope=followed`, { by });
      deepEqual(calls, Array(2).fill(`seed ${names["rid"]} followed`));
      equal((await ask(`PUT ${POLICY}?scope=none`, { by })).status, 400);
    },
    { by },
  ),
  row(
    "4.5.r1b",
    "from: the repository is fetched from that node",
    `PUT ${POLICY}?from={bob}`,
    ({ body }, { calls, names }) => {
      equal(calls.at(-1), `fetch ${names["rid"]} ${names["bob"]}`);
      equal(body.results.status, "success");
    },
    { by },
  ),
  notShown("4.5.r1c", "The outcome of a fetch"),
  row("4.5.r2", "DELETE removes the policy", `DELETE ${POLICY}`, (_, { calls, names }) => {
    deepEqual(calls, [`unseed ${names["rid"]}`]);
  }, { by }),
  row("4.5.r3", "alias is the stored one", "GET /nodes/{bob}", ({ body }) => equal(body.alias, "bob")),
  notShown("4.5.r4", "The elements of an inventory"),
  { id: "4.5.r5", says: "Names in earlier revisions", open: "earlier" },
  row(
    "4.6.row",
    "A delegate's projects: Info with seeding",
    DELEGATE,
    ({ body }) => ok("seeding" in body[0]),
  ),
  row(
    "4.6.all",
    "show=all: all, private ones for loopback alone",
    `${DELEGATE}?show=all`,
    async ({ body }, { ask, names }) => {
      deepEqual(ids(body).sort(), [names["rid"], names["duo"]].sort());
      equal((await ask(`${DELEGATE}?show=all`, { by: "owner" })).body.length, 3);
    },
  ),
  row(
    "4.6.pinned",
    "Or the pinned ones",
    DELEGATE,
    ({ body }, { names }) => deepEqual(ids(body), [names["rid"]]),
  ),
  row("4.6.order", "In the order of repository ids", `${DELEGATE}?show=all`, ({ body }) => {
    deepEqual(ids(body), sortRids(ids(body) as RepoId[]));
  }),
  row(
    "4.6.filter",
    "Only those of the delegate; what cannot be loaded is left out",
    "GET /delegates/{bobDid}/projects?show=all",
    ({ body }, { names }) => {
      deepEqual(ids(body), [names["duo"]]);
    },
  ),
  row(
    "4.6.paging",
    "Then page and perPage apply",
    `${DELEGATE}?show=all&page=1&perPage=1`,
    async ({ body }, { ask }) => {
      deepEqual(body, (await ask(`${DELEGATE}?show=all`)).body.slice(1));
    },
  ),
  row("4.7.1", "GET /profile: config and home; 401 for others", "GET /profile", async ({ body }, { ask }) => {
    deepEqual(Object.keys(body).sort(), ["config", "home"]);
    equal((await ask("GET /profile")).status, 401);
  }, { by: "owner" }),

  row("4.8.post", "POST: 201, a session and its id", "POST /sessions", ({ status, body }) => {
    equal(status, 201);
    ok(body.sessionId);
  }),
  row("4.8.get", "GET: 200, 404 when unknown", SESSION, async ({ status }, { ask }) => {
    equal(status, 200);
    equal((await ask("GET /sessions/{absent}")).status, 404);
  }),
  row("4.8.put", "PUT sig and pk: success", "PUT /sessions/{waiting}", ({ status, body }) => {
    deepEqual([status, body], [200, { success: true }]);
  }, { body: PROOF }),
  row("4.8.delete", "DELETE by the bearer: success", "DELETE /sessions/{session}", ({ status, body }) => {
    deepEqual([status, body], [200, { success: true }]);
  }, { by }),
  row(
    "4.8.create",
    "A new session: random id, unauthorized, key and alias, now, a short expiry",
    "POST /sessions",
    ({ body }, { names, clock }) => {
      const { sessionId, status, publicKey, alias, issuedAt, expiresAt } = body;
      match(sessionId, /^[A-Za-z0-9]{32}$/);
      deepEqual([status, publicKey, alias], ["unauthorized", names["alice"], "alice"]);
      deepEqual([issuedAt, expiresAt - issuedAt], [clock.nowMs / 1000, 60]);
    },
  ),
  row("4.8.body", "sig and pk are strings", "PUT /sessions/{waiting}", ({ status }) => equal(status, 422), {
    body: { sig: 1, pk: "{alice}" },
  }),
  row(
    "4.8.text",
    "The signature is over <session_id>:<pk>",
    "PUT /sessions/{waiting}",
    async ({ status }, { ask }) => {
      ok(status >= 400);
      equal((await ask("GET /sessions/{waiting}")).body.status, "unauthorized");
    },
    { body: { sig: "{sig}", pk: "{alice}" } },
  ),
  row(
    "4.8.delete404",
    "DELETE of an unknown session: 404",
    "DELETE /sessions/{absent}",
    ({ status }) => equal(status, 404),
    {
      headers: { authorization: `Bearer ${"f".repeat(40)}` },
    },
  ),

  row("4.8w.post", "Wallets: POST answers id and nonce", "POST /sessions", ({ body }) => {
    deepEqual(Object.keys(body), ["id", "nonce"]);
  }, wallets),
  row(
    "4.8w.post201",
    "Wallets: otherwise as with keys: 201, 32 alphanumeric characters",
    "POST /sessions",
    ({ status, body }) => {
      equal(status, 201);
      match(body.id, /^[A-Za-z0-9]{32}$/);
    },
    wallets,
  ),
  row(
    "4.8w.get",
    "Wallets: GET before and after the sign-in, 404 when unknown",
    SESSION,
    async ({ body }, running) => {
      deepEqual(Object.keys(body), ["id", "nonce", "expirationTime"]);
      await authorize(running);
      deepEqual(Object.keys((await running.ask(SESSION)).body), ["id", "session"]);
      equal((await running.ask("GET /sessions/{absent}")).status, 404);
    },
    wallets,
  ),
  row(
    "4.8w.put",
    "Wallets: PUT message and signature answers id and session",
    "PUT /sessions/{session}",
    ({ status, body }, { names }) => {
      deepEqual([status, body.id, body.session.nonce], [200, names["session"], names["nonce"]]);
    },
    { ...wallets, body: WALLET_PROOF },
  ),
  row(
    "4.8w.delete",
    "Wallets: there is no DELETE",
    "DELETE /sessions/{session}",
    ({ status }) => equal(status, 405),
    {
      ...wallets,
      by,
    },
  ),
  row("4.8w.life", "Wallets: a session waits for 60 seconds", SESSION, async (_, running) => {
    running.clock.nowMs += 60_000;
    refused(401, "Session expired")(await authorize(running));
  }, wallets),
  row(
    "4.8w.c1",
    "Check 1: the session exists",
    "PUT /sessions/{absent}",
    ({ status }) => equal(status, 404),
    {
      ...wallets,
      body: WALLET_PROOF,
    },
  ),
  row("4.8w.c2", "Check 2: it is still unauthorized", "PUT /sessions/{session}", async (_, running) => {
    refused(401, "Session already authorized")(await authorize(running));
  }, { ...wallets, body: WALLET_PROOF }),
  row("4.8w.c3", "Check 3: the nonce", "POST /sessions", async ({ body: { id } }, { ask }) => {
    refused(401, "Invalid nonce")(await ask(`PUT /sessions/${id}`, { body: WALLET_PROOF }));
  }, wallets),
  row("4.8w.c4", "Check 4: the domain", SESSION, async (_, running) => {
    const proof = walletProof(running.names["nonce"]!, [], "other.example");
    refused(401, "Invalid domain")(await authorize(running, proof));
  }, wallets),
  row(
    "4.8w.c4b",
    "A domain that can be none: Invalid host",
    "PUT /sessions/{session}",
    refused(401, "Invalid host"),
    {
      setup: "wallets without a domain",
      body: WALLET_PROOF,
    },
  ),
  row("4.8w.c5", "Check 5: signature and time bounds", SESSION, async (_, running) => {
    const { names, ask } = running;
    const other = walletProof(names["nonce"]!, ["Resources:"]).signature;
    equal((await authorize(running, { signature: other })).status, 400);
    for (const line of [`Expiration Time: ${SIGNED_AT}`, "Not Before: 2023-01-27T09:05:11Z"]) {
      equal((await authorize(running, walletProof(names["nonce"]!, [line]))).status, 400);
    }
    ok("nonce" in (await ask(SESSION)).body);
    equal((await authorize(running)).status, 200);
  }, wallets),
];
