/** Which differences count as documented, and which are faults. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type Answer, NoAnswerError } from "./answers.ts";
import { type Json, readAnswerJson } from "./json.ts";
import { judge } from "./judge.ts";
import { KNOWN_DIFFERENCES } from "./known_differences.ts";
import type { Dialect } from "./sample.ts";

const NID = "z6MksPykuQeYh4zgthFRFBExrgo1dwFWWenY2TEJ9SvT9jn1";
const DID = `did:key:${NID}`;
const AUTHOR = { id: DID, alias: "ned" };
const OTHER = "did:key:z6MkgcTiPMbTofzVghWywkKDM7SeNYnG4jPbFxerG2rVnV8A";

/** A value to compare, or the status of an error. */
type Given = unknown;

function answerOf(given: Given): Answer | NoAnswerError {
  if (given instanceof NoAnswerError) return given;
  if (typeof given === "number") return { status: given, json: undefined };
  return { status: 200, json: readAnswerJson(JSON.stringify(given)) as Json };
}

/** The sections that explain; `fault` among them when something is not explained. */
function sectionsOf(dialect: Dialect, route: string, theirs: Given, ours: Given, path = route) {
  const pair = { theirs: answerOf(theirs), ours: answerOf(ours) };
  const { explained, faults } = judge({ dialect, route, path }, pair);
  const sections = [...explained].map(({ section }) => section);
  return [...new Set(faults.length > 0 ? [...sections, "fault"] : sections)].sort();
}

const PROJECT = "/api/v1/projects/:project";
const REPO = "/api/v1/repos/:rid";

/** Dialect, route, their answer, ours, and what it comes to. */
const CASES: readonly (readonly [Dialect, string, Given, Given, readonly string[]])[] = [
  ["v1", PROJECT, { name: "a" }, { name: "a" }, []],
  ["v1", PROJECT, { name: "a" }, { name: "b" }, ["fault"]],
  ["v1", PROJECT, { a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, []],
  ["v1", PROJECT, [1, 2], [2, 1], ["fault"]],
  ["v1", PROJECT, {}, { __proto__: 1, toString: 1 }, ["fault"]],
  ["v1", PROJECT, { delegates: [AUTHOR] }, { delegates: [DID] }, ["9.1"]],
  ["v1", PROJECT, { delegates: [AUTHOR] }, { delegates: [OTHER] }, ["fault"]],
  ["v1", PROJECT, { threshold: 1 }, { trackings: 1 }, ["9.1"]],
  ["v1", PROJECT, { trackings: 2 }, { trackings: 1 }, ["fault"]],
  ["today", REPO, { delegates: [AUTHOR] }, { delegates: [DID] }, ["fault"]],
  ["v1", PROJECT, 500, 404, ["7"]],
  ["v1", PROJECT, 500, { name: "a" }, ["7"]],
  ["v1", PROJECT, 404, { name: "a" }, ["fault"]],
  ["v1", PROJECT, { name: "a" }, 404, ["fault"]],
  ["v1", PROJECT, 500, 503, ["fault"]],
  ["v1", PROJECT, 502, { name: "a" }, ["fault"]],
  ["v1", PROJECT, new NoAnswerError("closed", true), { name: "a" }, ["7"]],
  ["v1", PROJECT, new NoAnswerError("late"), { name: "a" }, ["fault"]],
  ["v1", PROJECT, { name: "a" }, new NoAnswerError("late"), ["fault"]],
  ["v1", "/", 404, { path: "/" }, ["4.9"]],
  ["v1", "/api/v1/projects", [{ id: "b" }], [{ id: "a" }, { id: "b" }], ["4.2.1"]],
  ["v1", "/api/v1/projects", [{ id: "a" }, { id: "b" }], [{ id: "b" }], ["fault"]],
  ["v1", "/api/v1/projects", [{ id: "b" }], [{ id: "a" }, { id: "b", name: "c" }], ["4.2.1", "fault"]],
  ["today", "/api/v1/repos", [{ rid: "a" }, { rid: "b" }], [{ rid: "b" }], ["fault"]],
  ["today", "/api/v1/repos", [{ rid: "b" }], [{ rid: "a" }, { rid: "b" }], ["fault"]],
  ["today", "/api/v1/repos", [{ rid: "a", visibility: { type: "private" } }], [], ["5.1"]],
  ["v1", `${PROJECT}/commits`, [{ id: "a" }], { commits: [{ commit: { id: "a" }, diff: {} }] }, ["9.1"]],
  ["v1", `${PROJECT}/commits`, [{ id: "a" }], { commits: [{ commit: { id: "b" } }] }, ["9.1", "fault"]],
  [
    "v1",
    `${PROJECT}/commits/:sha`,
    { diff: { files: [{ state: "added", path: "a" }], stats: 1 } },
    { diff: { added: [{ path: "a" }], deleted: [], moved: [], copied: [], modified: [], stats: 1 } },
    ["9.1"],
  ],
  [
    "v1",
    `${PROJECT}/diff/:base/:oid`,
    { diff: { files: [{ state: "deleted", path: "a", diff: { type: "plain", hunks: [1] } }], stats: 1 } },
    {
      diff: {
        ...{ added: [], moved: [], copied: [], modified: [], stats: 1 },
        deleted: [{ path: "a", diff: { type: "plain", hunks: [1] } }],
      },
    },
    ["9.1"],
  ],
  ["v1", `${PROJECT}/tree/:sha/`, { entries: [{ oid: "a" }] }, { entries: [{}], stats: {} }, ["9.1"]],
  ["today", `${REPO}/tree/:sha/`, { entries: [{ oid: "a" }] }, { entries: [{}] }, ["fault"]],
  [
    "v1",
    `${PROJECT}/issues/:id`,
    { assignees: [AUTHOR], discussion: [{ reactions: [{ emoji: "🌱", authors: [{ id: OTHER }, AUTHOR] }] }] },
    { assignees: [DID], discussion: [{ reactions: [[NID, "🌱"], [OTHER.slice(8), "🌱"]] }] },
    ["9.1"],
  ],
  [
    "v1",
    `${PROJECT}/issues/:id`,
    { discussion: [{ reactions: [{ emoji: "🌱", authors: [AUTHOR] }] }] },
    { discussion: [{ reactions: [[NID, "🌳"]] }] },
    ["fault"],
  ],
  [
    "v1",
    `${PROJECT}/patches/:id`,
    { reviews: [{ comments: [{ id: "a", author: AUTHOR, body: "b", reactions: [] }] }] },
    { reviews: [{ comments: [["a", { author: NID, location: null, body: "b", reactions: [] }]] }] },
    ["9.1"],
  ],
  ["today", `${REPO}/issues`, [{ id: "b" }], [{ id: "a" }, { id: "b" }], ["13.5"]],
  ["today", `${REPO}/issues`, [{ id: "a" }, { id: "b" }], [{ id: "a" }], ["fault"]],
  ["today", `${REPO}/issues/:id`, { title: "a" }, { title: "b" }, ["fault"]],
  ["today", `${REPO}/diff/:base/:oid/stats`, { insertions: 1 }, { insertions: 2 }, ["13.3"]],
  ["today", `${REPO}/diff/:base/:oid/stats`, { insertions: 1 }, { insertions: "2" }, ["fault"]],
  ["today", "/api/v1/info", { httpd: { searchAvailable: false } }, { httpd: { searchAvailable: true } }, [
    "4.15",
  ]],
  ["v1", "/api/v1/stats", { projects: { count: 3 } }, { projects: { count: 2 }, users: {} }, ["13.1", "4.9"]],
  ["v1", "/api/v1", { links: [{ href: "/a" }] }, { links: [{ href: "/b" }, { href: "/a" }] }, ["13.1"]],
  ["v1", "/api/v1", { links: [{ href: "/a" }] }, { links: [{ href: "/b" }] }, ["fault"]],
  ["v1", "/api/v1", { nid: "a", version: "1" }, { nid: "b", version: "2" }, ["2.14", "fault"]],
  ["v1", "/api/v1/nodes/:nid/inventory", ["b", "a"], ["a", "b"], ["4.5.4"]],
  ["v1", "/api/v1/nodes/:nid/inventory", ["a", "b"], ["a"], ["4.5.6"]],
  ["v1", "/api/v1/nodes/:nid/inventory", ["a"], ["a", "b"], ["fault"]],
  [
    "today",
    "/api/v1/node/policies/repos",
    [{ rid: "a", policy: { policy: "allow", scope: "all" } }, { rid: "b", policy: { policy: "block" } }],
    [{ id: "a", scope: "all", policy: "allow" }],
    ["4.5.6"],
  ],
  [
    "today",
    "/api/v1/node/policies/repos",
    [{ rid: "a", policy: { policy: "allow", scope: "all" } }, { rid: "b", policy: { policy: "block" } }],
    [{ id: "a", scope: "all", policy: "allow" }, { id: "b", scope: "followed", policy: "block" }],
    ["13.1"],
  ],
  ["v1", `${PROJECT}/blob/:sha/*path`, { content: "Y2Fm6Q==" }, { content: "caf\ufffd" }, ["2.1"]],
];

describe("two answers", () => {
  for (const [at, [dialect, route, theirs, ours, sections]] of CASES.entries()) {
    it(`to ${dialect} ${route} (case ${at}) differ by ${sections.join(" and ") || "nothing"}`, () => {
      assert.deepEqual(sectionsOf(dialect, route, theirs, ours), sections);
    });
  }

  it("do not differ by old commits in the activity", () => {
    const now = Math.floor(Date.now() / 1000);
    const year = 31_449_600;
    const route = `${PROJECT}/activity`;
    const activity = (...times: number[]) => ({ activity: times });
    assert.deepEqual(sectionsOf("v1", route, activity(now, now - year - 5), activity(now)), []);
    assert.deepEqual(sectionsOf("v1", route, activity(now, now - 5), activity(now)), ["fault"]);
  });
});

describe("documented differences", () => {
  it("have sections of docs/deviations.md", () => {
    const text = readFileSync(new URL("../../docs/deviations.md", import.meta.url), "utf8");
    const missing = KNOWN_DIFFERENCES.filter(({ section }) => !text.includes(`<a id="${section}"></a>`));
    assert.deepEqual(missing.map(({ section }) => section), []);
  });

  it("say how answers differ", () => {
    for (const { what, outcomes, alike, members } of KNOWN_DIFFERENCES) {
      assert.ok(outcomes ?? alike ?? members, what);
    }
  });
});

describe("JSON of another service", () => {
  it("is no JSON when it is malformed", () => {
    for (const text of ["", "<html>", "{", "[1,]", '{"a" 1}', "NaN"]) {
      assert.equal(readAnswerJson(text), undefined);
    }
  });

  it("may have members of every name", () => {
    const object = readAnswerJson('{"__proto__":{"a":1},"constructor":2,"a":3,"a":4}');
    assert.deepEqual(Object.entries(object as object), [
      ["__proto__", Object.assign(Object.create(null), { a: 1 })],
      ["constructor", 2],
      ["a", 4],
    ]);
  });

  it("is refused beyond the limits of depth and values", () => {
    assert.notEqual(readAnswerJson("[".repeat(64) + "]".repeat(64)), undefined);
    assert.throws(() => readAnswerJson("[".repeat(65) + "]".repeat(65)), RangeError);
    assert.throws(() => readAnswerJson(`[${"0,".repeat(1_000_000)}0]`), RangeError);
  });
});
