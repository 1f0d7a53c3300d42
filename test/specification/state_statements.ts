/** States and transitions (3). */
import { deepEqual, equal, ok } from "node:assert/strict";
import { row, type Statement } from "./statement.ts";
import type { Running } from "./world.ts";

const ISSUES = "POST /projects/{rid}/issues";
const ISSUE = "PATCH /projects/{rid}/issues/{issue}";
const PATCHES = "POST /projects/{rid}/patches";
const PATCH = "PATCH /projects/{rid}/patches/{patch}";
const NEW_ISSUE = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
const NEW_PATCH = { title: "t", description: "d", target: "{second}", oid: "{head}", labels: [] };
const by = "bearer";

const shown = async ({ ask }: Running, what: string) => (await ask(`GET /projects/{rid}/${what}`)).body;
/** An error with its status and text. */
const refused = (status: number, error: string) => ({ body }: { body: unknown }) =>
  deepEqual(body, { error, code: status });

export const stateStatements: readonly Statement[] = [
  row(
    "3.1.statuses",
    "Statuses of issues: open, closed",
    "GET /projects/{rid}/issues?state=closed",
    ({ body }, { names }) => {
      deepEqual(body.map(({ id }: { id: string }) => id), [names["closed"]]);
    },
  ),
  row(
    "3.1.create",
    "A new issue is open; its id is returned, refs are announced",
    ISSUES,
    async ({ body }, running) => {
      equal((await shown(running, `issues/${body.id}`)).state.status, "open");
      equal(running.announced.at(-1), running.names["rid"]);
    },
    { by, body: NEW_ISSUE },
  ),
  row(
    "3.1.lifecycle",
    "A lifecycle action sets the given state; refs are announced",
    ISSUE,
    async ({ status, body }, running) => {
      equal(status, 200, body.error);
      equal((await shown(running, "issues/{issue}")).state.status, "closed");
      const { length } = running.announced;
      await running.ask(ISSUE, { by, body: { type: "lifecycle", state: { status: "open" } } });
      equal((await shown(running, "issues/{issue}")).state.status, "open");
      equal(running.announced.length, length + 1);
    },
    { by, body: { type: "lifecycle", state: { status: "closed" } } },
  ),
  { id: "3.1.closed", says: "Members of a closed state", open: "not shown" },
  row(
    "3.2.statuses",
    "Statuses of patches: open, draft, archived, merged",
    "GET /projects/{rid}/patches",
    async ({ body }, { ask }) => {
      equal(body.length, 1);
      for (const state of ["draft", "archived", "merged"]) {
        deepEqual((await ask(`GET /projects/{rid}/patches?state=${state}`)).body, []);
      }
    },
  ),
  row(
    "3.2.create",
    "A new patch is open, with a first revision; its id is returned, refs are announced",
    PATCHES,
    async ({ body }, running) => {
      const patch = await shown(running, `patches/${body.id}`);
      deepEqual([patch.state.status, patch.revisions[0].id], ["open", body.id]);
      equal(running.announced.at(-1), running.names["rid"]);
    },
    { by, body: NEW_PATCH },
  ),
  row("3.2.lifecycle", "A lifecycle action sets the given state", PATCH, async (_, running) => {
    for (const status of ["archived", "open", "draft"]) {
      await running.ask(PATCH, { by, body: { type: "lifecycle", state: { status } } });
      deepEqual((await shown(running, "patches/{patch}")).state, { status });
    }
  }, { by, body: { type: "lifecycle", state: { status: "draft" } } }),
  row(
    "3.2.merge",
    "Merges that reach the threshold set merged; one merge per author",
    PATCH,
    async (_, running) => {
      const { state, merges } = await shown(running, "patches/{patch}");
      const { patch, second, first } = running.names;
      deepEqual(state, { status: "merged", revision: patch, commit: second });
      equal(merges.length, 1);
      await running.ask(PATCH, { by, body: { type: "merge", revision: "{patch}", commit: "{first}" } });
      const again = (await shown(running, "patches/{patch}")).merges;
      deepEqual(again.map(({ commit }: { commit: string }) => commit), [first]);
      // A lifecycle action on a merged patch changes nothing.
      const draft = { type: "lifecycle", state: { status: "draft" } };
      equal((await running.ask(PATCH, { by, body: draft })).status, 200);
      equal((await shown(running, "patches/{patch}")).state.status, "merged");
    },
    { by, body: { type: "merge", revision: "{patch}", commit: "{second}" } },
  ),
  row(
    "3.2.below",
    "A merge below the threshold only adds its entry",
    "POST /projects/{duo}/patches",
    async ({ body: { id } }, { ask }) => {
      const merge = { type: "merge", revision: id, commit: "{young}" };
      equal((await ask(`PATCH /projects/{duo}/patches/${id}`, { by, body: merge })).status, 200);
      const { state, merges } = (await ask(`GET /projects/{duo}/patches/${id}`)).body;
      deepEqual([state, merges.length], [{ status: "open" }, 1]);
    },
    { by, body: { title: "t", description: "d", target: "{old}", oid: "{young}", labels: [] } },
  ),
  row(
    "3.3.post",
    "POST always opens an unauthorized session with an expiry",
    "POST /sessions",
    ({ status, body }) => {
      deepEqual([status, body.status], [201, "unauthorized"]);
      ok(body.expiresAt > body.issuedAt);
    },
  ),
  row(
    "3.3.put",
    "The key's signature authorizes, and replaces the expiry",
    "PUT /sessions/{waiting}",
    async ({ body }, { ask, names }) => {
      deepEqual(body, { success: true });
      const { status, expiresAt, issuedAt } = (await ask(`GET /sessions/${names["waiting"]}`)).body;
      equal(status, "authorized");
      ok(expiresAt - issuedAt > 60);
    },
    { body: { sig: "{waitingSig}", pk: "{alice}" } },
  ),
  row(
    "3.3.pk",
    "Another key: 401, the session stays unauthorized",
    "PUT /sessions/{waiting}",
    async (answer, { ask }) => {
      refused(401, "Invalid public key")(answer);
      equal((await ask("GET /sessions/{waiting}")).body.status, "unauthorized");
    },
    { body: { sig: "{waitingSig}", pk: "{bob}" } },
  ),
  row("3.3.expired", "After the expiry: 401", "GET /sessions/{waiting}", async (_, { ask, clock }) => {
    clock.nowMs += 60_000;
    const proof = { sig: "{waitingSig}", pk: "{alice}" };
    refused(401, "Session expired")(await ask("PUT /sessions/{waiting}", { body: proof }));
    equal((await ask("GET /sessions/{waiting}")).body.status, "unauthorized");
  }, { isAlone: true }),
  row(
    "3.3.again",
    "A PUT of an authorized session: 401",
    "PUT /sessions/{session}",
    refused(401, "Session already authorized"),
    {
      body: { sig: "{sig}", pk: "{alice}" },
    },
  ),
  row(
    "3.3.delete",
    "DELETE by the bearer removes the session",
    "DELETE /sessions/{session}",
    async ({ body }, { ask }) => {
      deepEqual(body, { success: true });
      equal((await ask("GET /sessions/{session}")).status, 404);
    },
    { by },
  ),
];
