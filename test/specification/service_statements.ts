/** What the service does (0, 1), and the forms of its values (2.1). */
import assert, { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Oid } from "../../src/ids/oid.ts";
import { row, type Statement } from "./statement.ts";

const ISSUE = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
const RID = /^rad:z[1-9A-HJ-NP-Za-km-z]+$/;
const OID = /^[0-9a-f]{40}$/;
const NID = /^z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/;
const PRIVATE = "/projects?show=all";

export const serviceStatements: readonly Statement[] = [
  row("0.1", "Every response body is JSON", "GET /projects", async ({ headers }, { ask }) => {
    equal(headers.get("content-type"), "application/json");
    for (const path of ["/projects/{absentRid}", "/nowhere", "/node", "/projects/x"]) {
      equal((await ask(`GET ${path}`)).headers.get("content-type"), "application/json", path);
    }
  }),
  row("0.2", "Paths are relative to the API root", "GET /node", ({ status }) => equal(status, 200)),
  row("1.1", "Repositories and their git content", "GET /projects", async (_, { ask }) => {
    const below = [
      "/commits",
      "/commits/{head}",
      "/diff/{first}/{second}",
      "/tree/{head}/",
      "/blob/{head}/README",
      "/readme/{head}",
      "/remotes",
      "/activity",
    ];
    for (const path of below) equal((await ask(`GET /projects/{rid}${path}`)).status, 200, path);
  }),
  row(
    "1.2",
    "Issues and patches are listed, read, created and updated",
    "GET /projects/{rid}/issues",
    async (_, { ask }) => {
      for (const path of ["issues", "issues/{issue}", "patches", "patches/{patch}"]) {
        equal((await ask(`GET /projects/{rid}/${path}`)).status, 200, path);
      }
    },
  ),
  row(
    "1.3",
    "Issues and patches are signed objects stored in each repository",
    "GET /projects/{rid}/issues/{issue}",
    async (_, { names, world }) => {
      const object = await world.hello.object(names["issue"] as Oid);
      match(new TextDecoder().decode(object?.bytes), /^gpgsig -----BEGIN SSH SIGNATURE-----/m);
      const refs = [...await world.hello.refs("refs/namespaces/")].map(({ name }) => name);
      ok(refs.some((name) => name.endsWith(`/refs/cobs/xyz.radicle.issue/${names["issue"]}`)));
    },
  ),
  row(
    "1.4",
    "Node status and configuration; policies are listed, added and removed",
    "GET /node/policies/repos",
    async ({ status }, { ask }) => {
      equal(status, 200);
      for (const method of ["PUT", "DELETE"]) {
        equal((await ask(`${method} /node/policies/repos/{rid}`, { by: "bearer" })).status, 200);
      }
    },
  ),
  row(
    "1.5",
    "The repositories of a delegate",
    "GET /delegates/{did}/projects?show=all",
    ({ body }) => equal(body.length, 2),
  ),
  row("1.6", "Aliases and inventories of nodes", "GET /nodes/{bob}", async ({ body }, { ask, names }) => {
    equal(body.alias, "bob");
    deepEqual((await ask("GET /nodes/{bob}/inventory")).body, [names["rid"]]);
  }),
  row("1.7", "Profile information for loopback clients only", "GET /profile", async ({ status }, { ask }) => {
    equal(status, 401);
    equal((await ask("GET /profile", { by: "owner" })).status, 200);
  }),
  row(
    "1.8",
    "The session id is the bearer token for every change",
    "POST /projects/{rid}/issues",
    ({ status }) => equal(status, 201),
    {
      by: "bearer",
      body: ISSUE,
    },
  ),
  row(
    "1.9",
    "After each change the refs are announced, without a response field",
    "POST /projects/{rid}/issues",
    ({ body }, { announced, names }) => {
      deepEqual(Object.keys(body), ["success", "id"]);
      equal(announced.at(-1), names["rid"]);
    },
    { by: "bearer", body: ISSUE },
  ),
  row(
    "1.10",
    "Private repositories are in listings for loopback clients only",
    `GET ${PRIVATE}`,
    async ({ body }, { ask, names }) => {
      const has = (list: { id: string }[]) => list.some(({ id }) => id === names["secret"]);
      equal(has(body), false);
      equal(has((await ask(`GET ${PRIVATE}`, { by: "owner" })).body), true);
    },
  ),
  row(
    "2.1.repo_id",
    "A repository id: a fixed prefix and base58",
    "GET /projects/{rid}",
    ({ body }) => match(body.id, RID),
  ),
  row(
    "2.1.oid",
    "An object id: 40 hexadecimal characters",
    "GET /projects/{rid}",
    ({ body }) => match(body.head, OID),
  ),
  row("2.1.node_id", "A node id: a multibase public key", "GET /projects/{rid}/remotes", ({ body }) => {
    for (const { id } of body) match(id, NID);
  }),
  row("2.1.did", "A DID: did:key: and a node id", "GET /projects/{rid}", ({ body }) => {
    for (const did of body.delegates) match(did.replace(/^did:key:/, ""), NID);
  }),
  row(
    "2.1.ts_commit",
    "Times of commits: integer seconds",
    "GET /projects/{rid}/commits/{first}",
    ({ body }) => {
      equal(body.commit.committer.time, 1673001014);
    },
  ),
  row(
    "2.1.ts_cob",
    "Times of issues, patches and comments: integers",
    "GET /projects/{rid}/patches/{patch}",
    ({ body }) => {
      const [revision] = body.revisions;
      for (const { timestamp } of [revision, ...revision.discussions, ...revision.reviews]) {
        assert(Number.isInteger(timestamp));
      }
    },
  ),
  row("2.1.session", "A session id: 32 alphanumeric characters", "POST /sessions", ({ body }) => {
    match(body.sessionId, /^[A-Za-z0-9]{32}$/);
  }),
  row("2.1.refname", "A reference name", "GET /projects/{rid}/commits/{first}", ({ body }) => {
    ok(body.branches.includes("refs/heads/master"));
  }),
];
