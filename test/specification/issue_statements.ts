/** Routes of issues (4.3). */
import { deepEqual, equal, match } from "node:assert/strict";
import { notShown, row, type Statement } from "./statement.ts";
import type { Running } from "./world.ts";

const ISSUES = "/projects/{rid}/issues";
const ISSUE = `${ISSUES}/{issue}`;
const NEW = { title: "t", description: "d", labels: ["l"], assignees: ["{did}"], embeds: [] };
const by = "bearer";

const issue = async ({ ask }: Running) => (await ask(`GET ${ISSUE}`)).body;
const comment = async (running: Running) => (await issue(running)).discussion[1];

/** A row about an action: it is taken, and the issue is another one then. */
const action = (
  id: string,
  says: string,
  body: { readonly type: string; readonly [member: string]: unknown },
  check: (running: Running, id: string) => unknown,
) =>
  row(id, says, `PATCH ${ISSUE}`, async ({ status, body }, running) => {
    equal(status, 200, body.error);
    await check(running, body.id);
  }, { by, body });

export const issueStatements: readonly Statement[] = [
  row(
    "4.3.list",
    "GET issues: page, perPage, state; newest first",
    `GET ${ISSUES}`,
    async (_, { ask, clock, names }) => {
      clock.nowMs += 5000;
      const { id } = (await ask(`POST ${ISSUES}`, { by, body: NEW })).body;
      const list = (await ask(`GET ${ISSUES}`)).body;
      deepEqual(list.map((one: { id: string }) => one.id), [id, names["issue"]]);
      const paged = (await ask(`GET ${ISSUES}?page=1&perPage=1`)).body;
      deepEqual(paged.map((one: { id: string }) => one.id), [names["issue"]]);
    },
    { isAlone: true },
  ),
  row("4.3.post", "POST: 201, success and id", `POST ${ISSUES}`, ({ status, body }) => {
    deepEqual([status, body.success], [201, true]);
    match(body.id, /^[0-9a-f]{40}$/);
  }, { by, body: NEW }),
  row("4.3.get", "GET: 200, 404 when absent", `GET ${ISSUE}`, async ({ status }, { ask }) => {
    equal(status, 200);
    equal((await ask(`GET ${ISSUES}/{absent}`)).status, 404);
  }),
  row("4.3.patch", "PATCH: 200, success and id", `PATCH ${ISSUE}`, ({ status, body }) => {
    deepEqual([status, body.success], [200, true]);
  }, { by, body: { type: "edit", title: "x" } }),
  row(
    "4.3.body",
    "All members of a new issue are required",
    `POST ${ISSUES}`,
    async ({ status }, { ask }) => {
      equal(status, 201);
      for (const name of Object.keys(NEW)) {
        const { [name as keyof typeof NEW]: _, ...rest } = NEW;
        equal((await ask(`POST ${ISSUES}`, { by, body: rest })).status, 422, name);
      }
    },
    { by, body: NEW },
  ),
  { id: "4.3.earlier", says: "Bodies of earlier revisions", open: "earlier" },
  row("4.3.update", "An update has a string member type", `PATCH ${ISSUE}`, async ({ status }, { ask }) => {
    equal(status, 422);
    equal((await ask(`PATCH ${ISSUE}`, { by, body: { type: 1, title: "x" } })).status, 422);
  }, { by, body: { title: "x" } }),
  action("4.3.newId", "The id is that of the new entry", {
    type: "comment",
    body: "b",
    replyTo: "{issue}",
    embeds: [],
  }, async (running, id) => {
    equal((await issue(running)).discussion.at(-1).id, id);
  }),
  action("4.3.assign", "assign: assignees", { type: "assign", assignees: ["{bobDid}"] }, async (running) => {
    deepEqual((await issue(running)).assignees, [running.names["bobDid"]]);
  }),
  action(
    "4.3.lifecycle",
    "lifecycle: state",
    { type: "lifecycle", state: { status: "closed" } },
    async (running) => {
      equal((await issue(running)).state.status, "closed");
    },
  ),
  action("4.3.label", "label: labels", { type: "label", labels: ["b", "a"] }, async (running) => {
    deepEqual((await issue(running)).labels, ["a", "b"]);
  }),
  action(
    "4.3.edit",
    "edit: title",
    { type: "edit", title: "x" },
    async (running) => equal((await issue(running)).title, "x"),
  ),
  action("4.3.comment", "comment: body, replyTo, embeds", {
    type: "comment",
    body: "b",
    replyTo: "{comment}",
    embeds: [],
  }, async (running) => {
    const last = (await issue(running)).discussion.at(-1);
    deepEqual([last.body, last.replyTo], ["b", running.names["comment"]]);
  }),
  action("4.3.react", "comment react: id, reaction, active", {
    type: "comment.react",
    id: "{comment}",
    reaction: "🌱",
    active: true,
  }, async (running) => {
    deepEqual((await comment(running)).reactions, [[running.names["alice"], "🌱"]]);
    const undo = { type: "comment.react", id: "{comment}", reaction: "🌱", active: false };
    await running.ask(`PATCH ${ISSUE}`, { by, body: undo });
    deepEqual((await comment(running)).reactions, []);
  }),
  action("4.3.cedit", "comment edit: id, body, embeds", {
    type: "comment.edit",
    id: "{comment}",
    body: "edited",
    embeds: [],
  }, async (running) => {
    equal((await comment(running)).body, "edited");
  }),
  action("4.3.redact", "comment redact: id", { type: "comment.redact", id: "{comment}" }, async (running) => {
    equal((await issue(running)).discussion.length, 1);
  }),
  notShown("4.3.types", "The types of an issue's actions"),
  row("4.3.replyTo", "A comment without replyTo: 400", `PATCH ${ISSUE}`, ({ body }) => {
    deepEqual(body, { error: "`replyTo` missing", code: 400 });
  }, { by, body: { type: "comment", body: "b", embeds: [] } }),
];
