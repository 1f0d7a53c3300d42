/**
 * What `radicle-httpd` 0.10 does where the specification says nothing, and where our service differs on purpose:
 * second reviews, first labels of contributors, variation selectors, and the alias of the node itself.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { signIn } from "../../examples/sign_in.ts";
import {
  createRadHome,
  removeFolder,
  RUNTIMES,
  type Service,
  startHttpd,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";

/** A repository of the contributor's home. */
const DESK = "rad:z3Avj7G9Sh8v5Br5GXM9MydxYkmhm";
const DELEGATE = "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z";

/** Status and body of an answer. */
// deno-lint-ignore no-explicit-any -- answers are looked into by their tests
type Answered = readonly [status: number, body: any];
/** Sends a request with a bearer token to a path below `/api/v1/projects`. */
type Ask = (method: string, path: string, body?: unknown) => Promise<Answered>;

const folder = temporaryFolder("early-rules");
let [alice, ivan] = ["", ""];
let rid: string;
let [base, head] = ["", ""];
after(() => removeFolder(folder));

before(() => {
  const { home, git, init } = createRadHome("0.10", folder, { alias: "alice", seed: "aa".repeat(32) });
  const work = join(folder, "work");
  mkdirSync(work);
  const commit = (text: string) => {
    writeFileSync(join(work, "README"), text);
    git(work, "add", ".");
    git(work, "commit", "--quiet", "-m", text);
    return git(work, "rev-parse", "HEAD").trim();
  };
  git(work, "init", "--quiet");
  base = commit("one");
  rid = init(work, "project");
  head = commit("two");
  git(work, "push", "--quiet", "rad");
  alice = home;
  ivan = unpackHome("desk-ivan.tar.gz", folder);
});

/** Runs a service on a copy of a home, and asks it in the name of its node. */
async function ask<T>(
  home: string,
  start: (home: string) => Promise<Service>,
  body: (ask: Ask) => Promise<T>,
) {
  const copy = join(folder, crypto.randomUUID());
  cpSync(home, copy, { recursive: true });
  const { url, stop } = await start(copy);
  try {
    const { token } = await signIn(url, copy);
    return await body(async (method, path, body) => {
      const answer = await fetch(`${url}/api/v1/projects/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...body !== undefined && { "content-type": "application/json" },
        },
        ...body !== undefined && { body: JSON.stringify(body) },
      });
      return [
        answer.status,
        JSON.parse(await answer.text().then((text) => text.startsWith("{") ? text : "{}")),
      ];
    });
  } finally {
    await stop();
  }
}

/** The verdicts of a revision that one node reviews twice. */
async function reviewTwice(ask: Ask) {
  const draft = { title: "t", description: "d", target: base, oid: head, labels: [] };
  const [, { id }] = await ask("POST", `${rid}/patches`, draft);
  const ids: string[] = [];
  for (const verdict of ["accept", "reject"]) {
    const review = { type: "review", revision: id, summary: verdict, verdict };
    ids.push((await ask("PATCH", `${rid}/patches/${id}`, review))[1].id);
  }
  const [, { revisions }] = await ask("GET", `${rid}/patches/${id}`);
  const shown = revisions[0].reviews as { id: string; verdict: string; summary: string }[];
  assert.deepEqual(shown.map((one) => one.id), ids.toSorted());
  return shown.map(({ verdict, summary }) => [verdict, summary]);
}

/** Statuses of issues that a contributor opens: with a label, with an assignee, with neither. */
async function openIssues(ask: Ask) {
  const statuses: number[] = [];
  for (const more of [{ labels: ["x"] }, { assignees: [DELEGATE] }, {}]) {
    const draft = { title: "t", description: "d", labels: [], assignees: [], embeds: [], ...more };
    statuses.push((await ask("POST", `${DESK}/issues`, draft))[0]);
  }
  return statuses;
}

/** Statuses of reactions, and what is shown of the issue then. */
async function react(ask: Ask) {
  const draft = { title: "t", description: "d", labels: [], assignees: [], embeds: [] };
  const [, { id }] = await ask("POST", `${rid}/issues`, draft);
  const statuses: number[] = [];
  for (const reaction of ["❤", "❤\ufe0f", "👍🏽"]) {
    const action = { type: "comment.react", id, reaction, active: true };
    statuses.push((await ask("PATCH", `${rid}/issues/${id}`, action))[0]);
  }
  const [, { author, discussion }] = await ask("GET", `${rid}/issues/${id}`);
  return { statuses, alias: author.alias, reactions: JSON.stringify(discussion[0].reactions) };
}

for (const runtime of RUNTIMES) {
  describe(`radicle-httpd 0.10 and xylem on ${runtime}`, () => {
    const early = (home: string) => startService(runtime, home, ["--evaluation", "2024"]);

    it("list two reviews by one node with the verdict of the second", async () => {
      const expected = [["reject", "reject"], ["reject", "reject"]];
      assert.deepEqual(await ask(alice, startHttpd, reviewTwice), expected);
      assert.deepEqual(await ask(alice, early, reviewTwice), expected);
    });

    it("refuse labels and assignees in the first entry of a contributor", async () => {
      assert.deepEqual(await ask(ivan, startHttpd, openIssues), [500, 500, 201]);
      assert.deepEqual(await ask(ivan, (home) => startService(runtime, home), openIssues), [403, 403, 201]);
    });

    it("store emojis without variation selectors, which our service drops", async () => {
      const theirs = await ask(alice, startHttpd, react);
      const ours = await ask(alice, early, react);
      assert.deepEqual([theirs.statuses, ours.statuses], [[200, 422, 422], [200, 200, 422]]);
      for (const { reactions } of [theirs, ours]) assert.match(reactions, /"❤"/);
    });

    it("show the alias of the node itself, our service also from the configuration", async () => {
      assert.equal((await ask(alice, startHttpd, react)).alias, undefined);
      assert.equal((await ask(alice, early, react)).alias, "alice");
    });
  });
}
