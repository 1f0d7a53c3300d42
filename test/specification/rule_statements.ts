/** Authentication, events, errors, limits and versions (5 to 9). */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { showTime } from "../../src/session/timestamp.ts";
import { notShown, row, type Statement } from "./statement.ts";

const ISSUES = "/projects/{rid}/issues";
const NEW = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
const by = "bearer";
const LIMIT_BYTES = 4_194_304;

/** All requests that change something. */
const CHANGES: readonly (readonly [request: string, body?: unknown])[] = [
  [`POST ${ISSUES}`, NEW],
  [`PATCH ${ISSUES}/{issue}`, { type: "edit", title: "x" }],
  ["POST /projects/{rid}/patches", {
    title: "t",
    description: "d",
    target: "{second}",
    oid: "{head}",
    labels: [],
  }],
  ["PATCH /projects/{rid}/patches/{patch}", { type: "label", labels: [] }],
  ["PUT /node/policies/repos/{rid}"],
  ["DELETE /node/policies/repos/{rid}"],
];
const refused = (status: number, error: string) => ({ body }: { body: unknown }) =>
  deepEqual(body, { error, code: status });
const UNAUTHORIZED = refused(401, "Unauthorized");
/** A body of so many bytes. */
const bodyOf = (length: number) => {
  const [start, end] = JSON.stringify({ ...NEW, description: "|" }).split("|");
  return `${start}${"a".repeat(length - start!.length - end!.length)}${end}`;
};
// deno-lint-ignore no-explicit-any -- answers are looked into
type Body = any;

export const ruleStatements: readonly Statement[] = [
  row(
    "5.1",
    "Reads need no credential, but for the profile; private repositories are listed for loopback alone",
    "GET /projects",
    async ({ status, body }, { ask, names }) => {
      equal(status, 200);
      equal((await ask("GET /profile")).status, 401);
      ok(body.every(({ id }: { id: string }) => id !== names["secret"]));
    },
  ),
  row(
    "5.2",
    "Changes need Authorization: Bearer",
    "DELETE /sessions/{session}",
    async ({ status }, { ask }) => {
      ok(status >= 400);
      for (const [request, body] of CHANGES) {
        ok((await ask(request, body === undefined ? {} : { body })).status >= 400, request);
        const options = { by, ...body !== undefined && { body } } as const;
        ok((await ask(request, options)).status < 300, request);
      }
    },
  ),
  row(
    "5.3",
    "The session has to exist, be authorized and not be expired",
    `POST ${ISSUES}`,
    async (answer, { ask, clock, names }) => {
      UNAUTHORIZED(answer);
      for (const [request, body] of CHANGES) {
        const headers = { authorization: `Bearer ${names["waiting"]}` };
        UNAUTHORIZED(await ask(request, { headers, ...body !== undefined && { body } }));
      }
      clock.nowMs += 8 * 24 * 60 * 60 * 1000;
      UNAUTHORIZED(await ask(`POST ${ISSUES}`, { by, body: NEW }));
    },
    { headers: { authorization: "Bearer nobody" }, body: NEW },
  ),
  row(
    "5.4",
    "Authorized by the node's key alone",
    "PUT /sessions/{waiting}",
    refused(401, "Invalid public key"),
    {
      body: { sig: "{waitingSig}", pk: "{bob}" },
    },
  ),
  row("5.5", "Changes are signed with the node's key; without it 401", `POST ${ISSUES}`, UNAUTHORIZED, {
    setup: "no key",
    by,
    body: NEW,
  }),
  notShown("5.6", "Lifetimes, and the encoding of sig and pk"),
  notShown("6.1", "No events are delivered"),
  row(
    "6.2",
    "The only outward effect is the announcement of references",
    `POST ${ISSUES}`,
    (_, { announced, calls, names }) => {
      equal(announced.at(-1), names["rid"]);
      deepEqual(calls, []);
    },
    { by, body: NEW },
  ),
  row("7.body", "Errors: error and code", "GET /projects/{absentRid}", ({ status, body }) => {
    deepEqual([typeof body.error, body.code], ["string", status]);
  }),
  row(
    "7.404",
    "404 for an unknown repository, issue, patch, session or readme",
    "GET /projects/{absentRid}",
    async ({ status }, { ask }) => {
      equal(status, 404);
      const unknown = [
        "/projects/{rid}/issues/{absent}",
        "/projects/{rid}/patches/{absent}",
        "/sessions/{absent}",
        "/projects/{duo}/readme/{old}",
      ];
      for (const path of unknown) equal((await ask(`GET ${path}`)).body.code, 404, path);
    },
  ),
  row(
    "7.401",
    "401 with the listed texts",
    "DELETE /sessions/{waiting}",
    refused(401, "Not authorized to delete this session"),
    {
      by,
    },
  ),
  row(
    "7.profile",
    "The profile is shown for localhost alone",
    "GET /profile",
    refused(401, "Profile data is only shown for localhost"),
  ),
  row(
    "7.replyTo",
    "A comment without replyTo is a bad request",
    `PATCH ${ISSUES}/{issue}`,
    refused(400, "`replyTo` missing"),
    {
      by,
      body: { type: "comment", body: "b", embeds: [] },
    },
  ),
  notShown("7.sig", "The status of a signature that does not verify"),
  notShown("7.bearer", "The status without a bearer"),
  notShown("7.malformed", "The status of malformed requests"),
  row(
    "7.project404",
    "A missing repository: 404",
    "GET /projects/{absentRid}",
    ({ status }) => equal(status, 404),
  ),
  row(
    "8.body",
    "Bodies have 4194304 bytes at most, on all routes of projects",
    `POST ${ISSUES}`,
    async ({ status }, { ask }) => {
      equal(status, 201);
      for (const [request] of CHANGES.slice(0, 4)) {
        equal((await ask(request, { by, body: bodyOf(LIMIT_BYTES + 1) })).status, 413, request);
      }
    },
    { by, body: bodyOf(LIMIT_BYTES) },
  ),
  row(
    "8.10",
    "Lists of projects, issues, patches and a delegate's have 10 by default",
    `GET ${ISSUES}`,
    async (_, { ask }) => {
      for (let i = 0; i < 10; i++) {
        await ask(`POST ${ISSUES}`, { by, body: { ...NEW, title: `${i}` } });
        const description = `${i}`;
        const patch = { title: "t", description, target: "{second}", oid: "{head}", labels: [] };
        await ask("POST /projects/{rid}/patches", { by, body: patch });
      }
      for (const list of ["issues", "patches"]) {
        equal((await ask(`GET /projects/{rid}/${list}`)).body.length, 10, list);
        equal((await ask(`GET /projects/{rid}/${list}?perPage=11`)).body.length, 11, list);
      }
    },
    { isAlone: true },
  ),
  row("8.30", "Histories have 30 by default", "GET /projects/{rid}/commits?parent={long}", ({ body }) => {
    equal(body.commits.length, 30);
  }, { isAlone: true }),
  row("8.page", "page is 0 by default", "GET /projects/{rid}/commits?perPage=1", ({ body }, { names }) => {
    equal(body.commits[0].commit.id, names["head"]);
  }),
  row(
    "8.52",
    "The window of activity: 52 weeks",
    "GET /projects/{duo}/activity",
    ({ body }) => equal(body.activity.length, 1),
  ),
  row("8.3600", "Activity may be cached for 3600 seconds", "GET /projects/{rid}/activity", ({ headers }) => {
    match(headers.get("cache-control") ?? "", /max-age=3600/);
  }),
  row(
    "8.32",
    "Session ids: 32 alphanumeric characters",
    "POST /sessions",
    ({ body }) => match(body.sessionId, /^\w{32}$/),
  ),
  row(
    "8.60",
    "Sessions of wallets wait for 60 seconds",
    "GET /sessions/{session}",
    async (_, { ask, clock }) => {
      const { id } = (await ask("POST /sessions")).body;
      const { expirationTime } = (await ask(`GET /sessions/${id}`)).body;
      equal(expirationTime, showTime(clock.nowMs + 60_000));
    },
    { setup: "wallets" },
  ),
  notShown("8.fetch", "The timeout of a fetch"),
  notShown("8.rate", "Limits of the rate of requests"),
  row("9.1", "The prefix is /api/v1", "GET /", async ({ status, body }, { ask }) => {
    equal(status, 200, body.error);
    equal((await ask("GET /projects")).status, 200);
  }),
  row(
    "9.2",
    "version: <release>-<source revision>",
    "GET /node",
    ({ body }) => match(body.version, /^\d+\.\d+\.\d+-\w+$/),
  ),
  row(
    "9.3",
    "The names of this revision",
    "GET /projects/{rid}/patches/{patch}",
    async ({ body }: { body: Body }, { ask }) => {
      const [revision] = body.revisions;
      ok("labels" in body && "assignees" in body && "merges" in body && "summary" in revision.reviews[0]);
      ok("resolved" in revision.discussions[0] && "embeds" in revision.discussions[0]);
      ok("files" in (await ask("GET /projects/{rid}/commits/{head}")).body);
      ok("files" in (await ask("GET /projects/{rid}/diff/{first}/{head}")).body);
      ok("visibility" in (await ask("GET /projects/{rid}")).body);
      equal((await ask("GET /nodes/{bob}")).status, 200);
    },
  ),
  notShown("9.4", "Negotiation of versions"),
];
