/** Changes of issues and patches below `/repos`: what may be done there, who may, and how it is shown. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { BOB_SEED, createWorld } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";

const ISSUE = { title: "Issue #1", description: "It is broken", labels: [], assignees: [], embeds: [] };
const NOWHERE = "f".repeat(40) as Oid;
const EMBEDS = [{ name: "a.txt", content: "data:text/plain;base64,aGVsbG8=" }];
const EMBEDDED = [{ name: "a.txt", content: "git:b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0" }];

/** An API of both dialects with an issue and a patch that today's clients have opened. */
async function createObjects(
  ...[options = {}, world = createWorld(), seed]: Parameters<typeof createChangeApi>
) {
  const { send, ...api } = await createChangeApi({ api: "both", ...options }, world, seed);
  const below = `/repos/${world.helloRid}`;
  const ask = (method: string, path: string, body?: unknown, sending = {}) =>
    send(method, path, body, { below, ...sending });
  const create = async (path: string, body: object) => {
    const { status, body: { success, id } } = await ask("POST", path, body);
    assert.deepEqual([status, success], [201, true]);
    return id as Oid;
  };
  const [initial, parent, head] = world.commits;
  const issue = await create("/issues", ISSUE);
  const newPatch = { title: "Title", description: "Description", target: parent, oid: head, labels: ["b"] };
  const patch = await create("/patches", newPatch);
  const paths = { issue: `/issues/${issue}`, patch: `/patches/${patch}` };
  const change = (kind: keyof typeof paths, action: object) => ask("PATCH", paths[kind], action);
  const done = async (kind: keyof typeof paths, action: object): Promise<string> => {
    const { status, body } = await change(kind, action);
    assert.deepEqual([status, body.success], [200, true], JSON.stringify(action) + JSON.stringify(body));
    return body.id;
  };
  const show = async (kind: keyof typeof paths) => (await ask("GET", paths[kind])).body;
  return {
    ...api,
    send,
    ask,
    below,
    initial,
    parent,
    head,
    issue,
    patch,
    newPatch,
    paths,
    change,
    done,
    show,
  };
}

describe("a change below /repos", () => {
  it("does all that can be done to an issue", async () => {
    const { done, show, issue } = await createObjects();
    const { author } = await show("issue");
    const comment = await done("issue", { type: "comment", body: "hi", replyTo: issue, embeds: EMBEDS });
    await done("issue", { type: "comment.edit", id: comment, body: "edited", embeds: EMBEDS });
    await done("issue", { type: "comment.react", id: comment, reaction: "✨", active: true });
    await done("issue", { type: "comment.react", id: comment, reaction: "\u{1fae0}", active: true });
    const slip = await done("issue", { type: "comment", body: "oops", replyTo: comment });
    await done("issue", { type: "comment.redact", id: slip });
    await done("issue", { type: "assign", assignees: [author.id] });
    await done("issue", { type: "label", labels: ["l"] });
    await done("issue", { type: "edit", title: "new" });
    await done("issue", { type: "lifecycle", state: { status: "closed", reason: "solved" } });
    const shown = await show("issue");
    assert.deepEqual(
      [shown.title, shown.labels, shown.assignees, shown.state],
      ["new", ["l"], [author], { status: "closed", reason: "solved" }],
    );
    const [, { body, embeds, reactions, replyTo }, ...others] = shown.discussion;
    assert.deepEqual([body, embeds, replyTo, others], ["edited", EMBEDDED, issue, []]);
    assert.deepEqual(reactions, [
      { emoji: "✨", authors: [author] },
      { emoji: "\u{1fae0}", authors: [author] },
    ]);
  });

  it("does all that can be done to a patch, what only today's programs know included", async () => {
    const { done, show, patch, initial, parent, head } = await createObjects();
    const { author } = await show("patch");
    const range = { type: "lines", range: { start: 0, end: 1 } };
    const location = { commit: head, path: "README", old: null, new: range };
    await done("patch", { type: "edit", title: "New", target: { branch: "master" } });
    await done("patch", { type: "label", labels: ["l"] });
    await done("patch", { type: "lifecycle", state: { status: "draft" } });
    await done("patch", { type: "assign", assignees: [author.id] });
    const review = await done("patch", { type: "review", revision: patch, verdict: "reject" });
    const [{ reviews: [{ summary: before }] }] = (await show("patch")).revisions;
    assert.equal(before, "");
    await done("patch", { type: "review.edit", review, summary: "fine", verdict: "accept", labels: ["x"] });
    await done("patch", { type: "review.edit.v2", review, summary: "fine indeed", embeds: EMBEDS });
    await done("patch", { type: "review.react", review, reaction: "✨", active: true });
    const note = await done("patch", { type: "review.comment", review, body: "note", location });
    await done("patch", { type: "review.comment", review, body: "reply", replyTo: note });
    await done("patch", { type: "review.comment.edit", review, comment: note, body: "noted", embeds: [] });
    await done("patch", {
      type: "review.comment.react",
      review,
      comment: note,
      reaction: "✨",
      active: true,
    });
    await done("patch", { type: "review.comment.resolve", review, comment: note });
    await done("patch", { type: "review.comment.unresolve", review, comment: note });
    await done("patch", { type: "review.comment.resolve", review, comment: note });
    const stray = await done("patch", { type: "review.comment", review, body: "stray" });
    await done("patch", { type: "review.comment.redact", review, comment: stray });
    const resolves = [[review, note]];
    const revision = await done("patch", {
      type: "revision",
      description: "Second",
      base: initial,
      oid: parent,
      resolves,
    });
    await done("patch", { type: "revision.edit", revision, description: "Edited", embeds: EMBEDS });
    await done("patch", { type: "revision.react", revision, reaction: "✨", active: true, location });
    const comment = await done("patch", { type: "revision.comment", revision, body: "hi", location });
    await done("patch", { type: "revision.comment.edit", revision, comment, body: "edited", embeds: [] });
    await done("patch", { type: "revision.comment.react", revision, comment, reaction: "✨", active: true });
    const slip = await done("patch", { type: "revision.comment", revision, body: "oops", replyTo: comment });
    await done("patch", { type: "revision.comment.redact", revision, comment: slip });
    const hasty = await done("patch", { type: "review", revision, verdict: "reject" });
    await done("patch", { type: "review.redact", review: hasty });
    const third = await done("patch", { type: "revision", description: "", base: initial, oid: parent });
    await done("patch", { type: "revision.redact", revision: third });
    await done("patch", { type: "edit", title: "New", target: "delegates" });
    await done("patch", { type: "merge", revision: patch, commit: head });

    const shown = await show("patch");
    assert.deepEqual(
      [shown.title, shown.labels, shown.assignees, shown.target, shown.state],
      ["New", ["l"], [author], "delegates", { status: "merged", revision: patch, commit: head }],
    );
    const [first, second, ...others] = shown.revisions;
    assert.deepEqual([first.id, second.id, others], [patch, revision, []]);
    const [{ summary, verdict, comments }, ...otherReviews] = first.reviews;
    assert.deepEqual([summary, verdict, otherReviews], ["fine indeed", null, []]);
    assert.deepEqual(
      comments.map((one: Record<string, unknown>) => [one["body"], one["resolved"], one["replyTo"]]),
      [["noted", true, null], ["reply", false, note]],
    );
    assert.deepEqual(comments[0].location, { commit: head, path: "README", new: range });
    assert.deepEqual([second.description, second.edits[1].embeds], ["Edited", EMBEDDED]);
    assert.deepEqual(second.reactions, [
      { location: { commit: head, path: "README", new: range }, emoji: "✨", authors: [author] },
    ]);
    assert.deepEqual(second.discussions.map((one: { body: string }) => one.body), ["edited"]);
    assert.deepEqual(second.reviews, []);
  });

  it("shows the branch that a patch is meant for, which must be a canonical one", async () => {
    const { change, done, show, world, head } = await createObjects();
    const edit = (title: string, branch: string) => ({ type: "edit", title, target: { branch } });
    const { status, body } = await change("patch", edit("New", "next"));
    assert.deepEqual([status, body.error], [404, "Branch refs/heads/next was not found"]);
    world.hello.setRef("refs/heads/next", head);
    await done("patch", edit("New", "refs/heads/next"));
    assert.deepEqual((await show("patch")).target, { branch: "refs/heads/next" });
    world.hello.deleteRef("refs/heads/next");
    await done("patch", edit("Newer", "next"));
  });

  it("is seen by clients of version 1 at once, and theirs by today's", async () => {
    const { send, paths, change, show } = await createObjects();
    await change("issue", { type: "edit", title: "of today" });
    assert.equal((await send("GET", paths.issue, undefined)).body.title, "of today");
    await send("PATCH", paths.issue, { type: "edit", title: "of version 1" });
    assert.equal((await show("issue")).title, "of version 1");
  });

  it("that not all programs of the home know is refused (422), and nothing is left behind", async () => {
    const LATER = [
      { type: "edit", title: "t", target: { branch: "next" } },
      { type: "review.edit.v2", review: NOWHERE, summary: "s" },
      { type: "review.react", review: NOWHERE, reaction: "✨", active: true },
      { type: "revision.react", revision: NOWHERE, reaction: "\u{1fae0}", active: true },
    ];
    const OLDER: readonly Parameters<typeof createObjects>[0][] = [
      { compatibility: { generation: () => "1.1" } },
      { compatibility: { generation: () => "0.10" } },
      { compatibility: { evaluation: "2024" } },
    ];
    for (const options of OLDER) {
      const { change, census, done } = await createObjects(options);
      const before = census();
      for (const action of LATER) {
        const { status, body } = await change("patch", action);
        assert.equal(status, 422);
        assert.match(body.error, /^Not all programs know/);
      }
      const emoji = { type: "comment.react", id: NOWHERE, reaction: "\u{1fae0}", active: true };
      assert.equal((await change("issue", emoji)).status, 422);
      assert.deepEqual(census(), before);
      await done("patch", { type: "edit", title: "t", target: "delegates" });
    }
  });

  it("is refused with the same words as in version 1", async () => {
    const { ask, send, below, issue, patch, newPatch, paths, world } = await createObjects();
    const blob = world.hello.put("blob", new Uint8Array(1));
    const JSON_TYPE = { "content-type": "application/json" };
    const none = { ...JSON_TYPE, authorization: "Bearer none" };
    const CASES:
      readonly (readonly [method: string, path: string, body: unknown, headers?: Record<string, string>])[] =
        [
          ["POST", "/issues", ISSUE, JSON_TYPE],
          ["POST", "/issues", ISSUE, none],
          ["POST", "/issues", { ...ISSUE, title: "two\nlines" }],
          ["POST", "/issues", { ...ISSUE, title: undefined }],
          ["POST", "/issues", "no JSON", none],
          ["PATCH", paths.issue, { type: "comment", body: "x" }],
          ["PATCH", paths.issue, { type: "comment", body: "", replyTo: issue }],
          ["PATCH", paths.issue, { type: "comment.edit", id: NOWHERE, body: "x", embeds: [] }],
          ["PATCH", paths.issue, { type: "comment.redact", id: issue }],
          ["PATCH", paths.issue, { type: "unknown" }],
          ["PATCH", `/issues/${NOWHERE}`, { type: "edit", title: "x" }],
          ["PATCH", "/issues/xyz", { type: "edit", title: "x" }],
          ["POST", "/patches", { ...newPatch, oid: NOWHERE }],
          ["POST", "/patches", { ...newPatch, oid: blob }],
          ["PATCH", paths.patch, { type: "review", revision: patch }],
          ["PATCH", paths.patch, { type: "revision.redact", revision: patch }],
          ["PATCH", paths.patch, { type: "merge", revision: patch, commit: patch }],
          ["PATCH", `/patches/${NOWHERE}`, { type: "lifecycle", state: { status: "draft" } }],
        ];
    for (const [method, path, body, headers] of CASES) {
      const sending = headers === undefined ? {} : { headers };
      const [today, v1] = [await ask(method, path, body, sending), await send(method, path, body, sending)];
      assert.ok(today.status >= 400);
      assert.deepEqual([today.status, today.body], [v1.status, v1.body], `${method} ${below}${path}`);
    }
  });

  it("is refused to others than delegates where it is not theirs (403)", async () => {
    const world = createWorld();
    const { paths } = await createObjects({}, world);
    const bob = await createChangeApi({ api: "both" }, world, BOB_SEED);
    const send = async (method: string, path: string, body: object) =>
      (await bob.send(method, path, body, { below: `/repos/${world.helloRid}` })).status;
    assert.equal(
      await send("PATCH", paths.patch, { type: "edit", title: "x", target: { branch: "master" } }),
      403,
    );
    assert.equal(await send("PATCH", paths.issue, { type: "label", labels: ["x"] }), 403);
    assert.equal(await send("POST", "/issues", { ...ISSUE, labels: ["x"] }), 403);
    assert.equal(await send("POST", "/issues", ISSUE), 201);
  });
});

describe("the repository of a change below /repos", () => {
  it("may be named by an alias", async () => {
    const world = createWorld();
    const { send, issue } = await createObjects({ aliases: { hello: world.helloRid } }, world);
    const renamed = await send("PATCH", `/issues/${issue}`, { type: "edit", title: "x" }, {
      below: "/repos/hello",
    });
    assert.equal(renamed.status, 200);
  });

  it("is 404 when its name does not exist, and no stranger learns which names there are", async () => {
    const world = createWorld();
    const { send, below } = await createObjects({ aliases: { hidden: world.secretRid } }, world);
    const answers = async (token: boolean) => {
      const found = [];
      for (const name of ["hidden", world.secretRid, "nothing", "rad:z4V1sjrXqjvFdnCUbxPFqd5p4DtH5"]) {
        const { status, body } = await send("POST", "/issues", ISSUE, {
          below: `/repos/${name}`,
          client: STRANGER,
          ...!token && {
            headers: { "content-type": "application/json", authorization: "Bearer none" },
          },
        });
        found.push([status, body.error]);
      }
      return found;
    };
    assert.deepEqual(await answers(false), Array.from({ length: 4 }, () => [401, "Unauthorized"]));
    assert.deepEqual(await answers(true), Array.from({ length: 4 }, () => [404, "Not Found"]));
    assert.equal((await send("POST", "/issues", ISSUE, { below, client: STRANGER })).status, 201);
  });
});

describe("a service of one dialect", () => {
  it("changes nothing below /repos", async () => {
    const path = `/repos/rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp/issues`;
    for (const [method, at] of [["POST", path], ["PATCH", `${path}/${NOWHERE}`]] as const) {
      const statuses = [];
      for (const api of ["today", "v1"] as const) {
        statuses.push((await createTestApi({ api }).get(at, OWNER, { method, body: "{}" })).status);
      }
      assert.deepEqual(statuses, [405, 404]);
    }
  });

  it("says what may be asked where both are served", async () => {
    const { get } = createTestApi({ api: "both" });
    const path = `/repos/rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp/issues`;
    const { headers } = await get(path, STRANGER, { method: "OPTIONS" });
    assert.equal(headers.get("access-control-allow-methods"), "GET,POST,PATCH,PUT,DELETE");
    assert.equal(headers.get("access-control-allow-headers"), "content-type,authorization");
    const refused = await get(path, OWNER, { method: "PUT" });
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET,HEAD,POST"]);
  });
});
