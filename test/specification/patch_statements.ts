/** Routes of patches (4.4). */
import { deepEqual, equal, match } from "node:assert/strict";
import { row, type Statement } from "./statement.ts";
import type { Running } from "./world.ts";

const PATCHES = "/projects/{rid}/patches";
const PATCH = `${PATCHES}/{patch}`;
const NEW = { title: "t", description: "d", target: "{second}", oid: "{topic}", labels: ["l"] };
const by = "bearer";
const LOCATION = { path: "README", old: null, new: { type: "lines", range: { start: 0, end: 1 } } };

const patch = async ({ ask }: Running) => (await ask(`GET ${PATCH}`)).body;
const revision = async (running: Running) => (await patch(running)).revisions[0];
const remarks = async (running: Running) => (await revision(running)).discussions;
const review = async (running: Running) => (await revision(running)).reviews[0];
/** Comments of the review, without their ids. */
const notes = async (running: Running) =>
  (await review(running)).comments.map(([, note]: [string, Record<string, unknown>]) => note);

/** A row about an action: it is taken, and the patch is another one then. */
const action = (
  type: string,
  members: object,
  check: (running: Running, id: string) => unknown,
  { id = `4.4.a.${type}`, says = `Action ${type}` } = {},
) =>
  row(id, says, `PATCH ${PATCH}`, async ({ status, body }, running) => {
    equal(status, 200, body.error);
    await check(running, body.id);
  }, { by, body: { type, ...members } });

const onReview = { review: "{review}" };
const onNote = { review: "{review}", comment: "{note}" };
const onRevision = { revision: "{patch}" };
const onRemark = { revision: "{patch}", comment: "{remark}" };
const REACTION = { reaction: "🌱", active: true };
const SECOND = { description: "second", base: "{first}", oid: "{head}" };

export const patchStatements: readonly Statement[] = [
  row(
    "4.4.list",
    "GET patches: page, perPage, state; newest first",
    `GET ${PATCHES}`,
    async (_, { ask, clock, names }) => {
      clock.nowMs += 5000;
      const { id } = (await ask(`POST ${PATCHES}`, { by, body: NEW })).body;
      const list = (await ask(`GET ${PATCHES}`)).body;
      deepEqual(list.map((one: { id: string }) => one.id), [id, names["patch"]]);
      const paged = (await ask(`GET ${PATCHES}?page=1&perPage=1&state=open`)).body;
      deepEqual(paged.map((one: { id: string }) => one.id), [names["patch"]]);
    },
    { isAlone: true },
  ),
  row("4.4.post", "POST: 201, success and id", `POST ${PATCHES}`, ({ status, body }) => {
    deepEqual([status, body.success], [201, true]);
    match(body.id, /^[0-9a-f]{40}$/);
  }, { by, body: NEW }),
  row("4.4.get", "GET: 200, 404 when absent", `GET ${PATCH}`, async ({ status }, { ask }) => {
    equal(status, 200);
    equal((await ask(`GET ${PATCHES}/{absent}`)).status, 404);
  }),
  row("4.4.patch", "PATCH: 200, success and id", `PATCH ${PATCH}`, ({ status, body }) => {
    deepEqual([status, body.success], [200, true]);
  }, { by, body: { type: "label", labels: [] } }),
  row(
    "4.4.body",
    "All members of a new patch are required",
    `POST ${PATCHES}`,
    async ({ status }, { ask }) => {
      equal(status, 201);
      for (const name of Object.keys(NEW)) {
        const { [name as keyof typeof NEW]: _, ...rest } = NEW;
        equal((await ask(`POST ${PATCHES}`, { by, body: rest })).status, 422, name);
      }
    },
    { by, body: NEW },
  ),
  row(
    "4.4.base",
    "The base is the merge base of target and oid; the target is delegates",
    `POST ${PATCHES}`,
    async ({ body }, { ask, names }) => {
      const { target, revisions } = (await ask(`GET ${PATCHES}/${body.id}`)).body;
      deepEqual([target, revisions[0].base, revisions[0].oid], [
        "delegates",
        names["second"],
        names["topic"],
      ]);
    },
    { by, body: { ...NEW, target: "{head}" } },
  ),
  { id: "4.4.earlier", says: "Bodies of earlier revisions", open: "earlier" },
  row("4.4.type", "type is a string with exact values", `PATCH ${PATCH}`, async ({ status }, { ask }) => {
    equal(status, 422);
    equal((await ask(`PATCH ${PATCH}`, { by, body: { labels: [] } })).status, 422);
  }, { by, body: { type: "Label", labels: [] } }),
  action(
    "edit",
    { title: "x", target: "delegates" },
    async (running) => equal((await patch(running)).title, "x"),
  ),
  action("label", { labels: ["x"] }, async (running) => deepEqual((await patch(running)).labels, ["x"])),
  action("lifecycle", { state: { status: "draft" } }, async (running) => {
    equal((await patch(running)).state.status, "draft");
  }),
  action("assign", { assignees: ["{bobDid}"] }, async (running) => {
    deepEqual((await patch(running)).assignees, [running.names["bobDid"]]);
  }),
  action("merge", { ...onRevision, commit: "{second}" }, async (running) => {
    equal((await patch(running)).state.status, "merged");
  }),
  row("4.4.a.review", "Action review", `PATCH ${PATCH}`, async ({ body: { id: second } }, { ask }) => {
    const body = { type: "review", revision: second, summary: "s", verdict: "reject", labels: [] };
    const { status, body: { id } } = await ask(`PATCH ${PATCH}`, { by, body });
    equal(status, 200);
    const [{ id: shown, summary, verdict }] = (await ask(`GET ${PATCH}`)).body.revisions[1].reviews;
    deepEqual([shown, summary, verdict], [id, "s", "reject"]);
  }, { by, body: { type: "revision", ...SECOND } }),
  action("review.edit", { ...onReview, summary: "edited", verdict: "reject" }, async (running) => {
    const { summary, verdict } = await review(running);
    deepEqual([summary, verdict], ["edited", "reject"]);
  }),
  action("review.redact", onReview, async (running) => deepEqual((await revision(running)).reviews, [])),
  action(
    "review.comment",
    { ...onReview, body: "b", replyTo: "{note}", location: LOCATION, embeds: [] },
    async (running) => {
      const last = (await notes(running)).at(-1);
      deepEqual([last.body, last.replyTo], ["b", running.names["note"]]);
    },
  ),
  action("review.comment.edit", { ...onNote, body: "edited", embeds: [] }, async (running) => {
    equal((await notes(running))[0].body, "edited");
  }),
  action("review.comment.react", { ...onNote, ...REACTION }, async (running) => {
    deepEqual((await notes(running))[0].reactions, [[running.names["alice"], "🌱"]]);
  }),
  action("review.comment.redact", onNote, async (running) => deepEqual(await notes(running), [])),
  action(
    "review.comment.resolve",
    onNote,
    async (running) => equal((await notes(running))[0].resolved, true),
  ),
  action(
    "review.comment.unresolve",
    onNote,
    async (running) => equal((await notes(running))[0].resolved, false),
  ),
  action("revision", SECOND, async (running, id) => {
    const last = (await patch(running)).revisions.at(-1);
    deepEqual([last.id, last.description, last.oid], [id, "second", running.names["head"]]);
  }),
  action("revision.edit", { ...onRevision, description: "edited" }, async (running) => {
    equal((await revision(running)).description, "edited");
  }),
  row(
    "4.4.a.revision.redact",
    "Action revision.redact",
    `PATCH ${PATCH}`,
    async ({ body: { id } }, { ask }) => {
      const redaction = { type: "revision.redact", revision: id };
      equal((await ask(`PATCH ${PATCH}`, { by, body: redaction })).status, 200);
      equal((await ask(`GET ${PATCH}`)).body.revisions.length, 1);
    },
    { by, body: { type: "revision", ...SECOND } },
  ),
  action("revision.comment", {
    ...onRevision,
    body: "b",
    replyTo: "{remark}",
    location: LOCATION,
    embeds: [],
  }, async (running) => {
    const last = (await remarks(running)).at(-1);
    deepEqual([last.body, last.replyTo], ["b", running.names["remark"]]);
  }),
  action("revision.comment.edit", { ...onRemark, body: "edited", embeds: [] }, async (running) => {
    equal((await remarks(running))[0].body, "edited");
  }),
  action("revision.comment.react", { ...onRemark, ...REACTION }, async (running) => {
    deepEqual((await remarks(running))[0].reactions, [[running.names["alice"], "🌱"]]);
  }),
  action("revision.comment.redact", onRemark, async (running) => deepEqual(await remarks(running), [])),
  action("revision.comment", { ...onRevision, body: "b", location: LOCATION }, async (running) => {
    const { commit: _, ...location } = (await remarks(running)).at(-1).location;
    deepEqual(location, LOCATION);
  }, { id: "4.4.location", says: "location is that of comments of reviews" }),
  action("review.comment", { ...onReview, body: "b" }, async (running) => {
    const last = (await notes(running)).at(-1);
    deepEqual([last.replyTo ?? null, last.location], [null, null]);
  }, { id: "4.4.optional", says: "replyTo and location are optional" }),
  row(
    "4.4.other",
    "Actions of other kinds are not served",
    `PATCH ${PATCH}`,
    ({ status }) => equal(status, 422),
    {
      by,
      body: { type: "review.react", ...onReview, ...REACTION },
    },
  ),
  action("merge", { ...onRevision, commit: "{second}" }, async (running, id) => {
    const object = running.world.hello.header(id as Parameters<typeof running.world.hello.header>[0]);
    equal((await object)?.kind, "commit");
    const second = { type: "revision", ...SECOND };
    const { body: { id: revision } } = await running.ask(`PATCH ${PATCH}`, { by, body: second });
    const opinion = { type: "review", revision, verdict: "accept" };
    const { body: { id: opened } } = await running.ask(`PATCH ${PATCH}`, { by, body: opinion });
    equal((await patch(running)).revisions[1].reviews[0].id, opened);
  }, { id: "4.4.entryId", says: "The id of review and merge is that of their entry" }),
];
