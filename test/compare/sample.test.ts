/** What is asked of a service: a bounded sample that reaches every route. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "./json.ts";
import { type Question, Sample } from "./sample.ts";

const RID = "rad:z2qxCeY3PX9fyxXkzqtreR3CCTdGT";
const SHA = "ab86a2fc45b8c852f1b6d55130d0f78d45998c67";
const NID = "z6MksPykuQeYh4zgthFRFBExrgo1dwFWWenY2TEJ9SvT9jn1";

/** Answers of a service that has one of everything, by the end of a route. */
const ANSWERS: readonly (readonly [end: RegExp, json: Json])[] = [
  [/^\/api\/v1$/, { nid: NID }],
  [/^\/api\/v1\/projects$/, [{ id: RID, head: SHA, delegates: [`did:key:${NID}`] }]],
  [/^\/api\/v1\/repos$/, [{
    rid: RID,
    payloads: { "xyz.radicle.project": { meta: { head: SHA } } },
    delegates: [{ id: `did:key:${NID}` }],
  }]],
  [/\/commits$/, [{ id: SHA, parents: [SHA] }]],
  [/\/tree\//, { entries: [{ path: "a b/c", kind: "tree" }, { path: "a?", kind: "blob" }] }],
  [/\/remotes$/, [{ id: NID }]],
  [/\/(?:issues|patches)$/, [{ id: SHA, revisions: [{ base: SHA, oid: SHA }] }]],
];

/** All questions of a dialect, in their order. */
function questionsOf(sample: Sample): Question[] {
  const questions: Question[] = [];
  for (let next = sample.next(); next !== undefined; next = sample.next()) {
    questions.push(next);
    sample.follow(next, ANSWERS.find(([end]) => end.test(next!.route))?.[1] ?? {});
  }
  return questions;
}

describe("a sample", () => {
  it("reaches every route of version 1 that reads a repository or the node", () => {
    const routes = new Set(questionsOf(new Sample("v1")).map(({ route }) => route));
    const below = [
      ...["", "/remotes", "/remotes/:peer", "/activity", "/commits", "/commits/:sha", "/diff/:base/:oid"],
      ...["/tree/:sha/", "/tree/:sha/*path", "/blob/:sha/*path", "/readme/:sha"],
      ...["/issues", "/issues/:id", "/patches", "/patches/:id"],
    ].map((rest) => `/api/v1/projects/:project${rest}`);
    const others = ["stats", "node", "node/policies/repos", "nodes/:nid", "nodes/:nid/inventory", "projects"];
    assert.deepEqual(
      [...routes].sort(),
      [
        ...["/", "/api", "/api/v1", "/api/v1/delegates/:delegate/projects"],
        ...others.map((name) => `/api/v1/${name}`),
        ...below,
      ].sort(),
    );
  });

  it("reaches the routes of today, too", () => {
    const routes = new Set(questionsOf(new Sample("today")).map(({ route }) => route));
    for (const rest of ["stats/tree/:sha", "stats/commits/:sha", "jobs/:sha", "diff/:base/:oid/stats"]) {
      assert.ok(routes.has(`/api/v1/repos/:rid/${rest}`), rest);
    }
    assert.ok(routes.has("/api/v1/info") && routes.has("/api/v1/node/policies/repos/:rid"));
  });

  it("escapes names of files, and asks nothing twice", () => {
    const paths = questionsOf(new Sample("v1")).map(({ path }) => path);
    assert.ok(paths.includes(`/api/v1/projects/${RID}/tree/${SHA}/a%20b/c`));
    assert.ok(paths.includes(`/api/v1/projects/${RID}/blob/${SHA}/a%3F`));
    assert.equal(new Set(paths).size, paths.length);
  });

  it("does not ask for private repositories", () => {
    const sample = new Sample("v1");
    const list = { dialect: "v1", route: "/api/v1/projects", path: "/api/v1/projects" } as const;
    sample.follow(list, [{ id: RID, head: SHA, visibility: { type: "private" } }]);
    for (let next = sample.next(); next !== undefined; next = sample.next()) {
      assert.ok(!next.path.includes(RID), next.path);
    }
  });

  it("begins with what has been asked least", () => {
    const sample = new Sample("v1");
    const start = Array.from({ length: 7 }, () => sample.next()!);
    assert.equal(new Set(start.map(({ route }) => route)).size, 7);
    const list = start.find(({ route }) => route === "/api/v1/projects")!;
    sample.follow(list, [{ id: RID, head: SHA }]);
    const next = Array.from({ length: 8 }, () => sample.next()!.route);
    assert.equal(new Set(next).size, 8, next.join(" "));
  });
});
