/** Routes in general, and those of projects (4, 4.1, 4.2). */
import { deepEqual, equal, ok } from "node:assert/strict";
import { type RepoId, sortRids } from "../../src/ids/rid.ts";
import { notShown, row, type Statement } from "./statement.ts";
import { NOW_MS, putReadmes } from "./world.ts";

const PROJECTS = "GET /projects?show=all";
const COMMITS = "GET /projects/{rid}/commits";
const at = (path: string) => `GET /projects/{rid}${path}`;
// deno-lint-ignore no-explicit-any -- answers are looked into
type Body = any;
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
const oids = (body: Body): string[] =>
  body.commits.map(({ commit }: { commit: { id: string } }) => commit.id);
const members = (body: object) => Object.keys(body).sort();
const has = (...names: string[]) => ({ status, body }: { status: number; body: object }) => {
  equal(status, 200);
  deepEqual(members(body), names.sort());
};

export const projectStatements: readonly Statement[] = [
  row("4.1", "Methods and paths are exact", "POST /projects", async ({ status }, { ask }) => {
    equal(status, 405);
    equal((await ask("GET /projects/")).status, 404);
    equal((await ask("GET /Projects")).status, 404);
    // The path counts as URL parsers normalise it.
    equal((await ask("GET /projects/./{rid}")).status, 200);
    deepEqual((await ask(at("/tree/{head}/src/.."))).body, (await ask(at("/tree/{head}/"))).body);
    equal((await ask(at("/tree/{head}"))).status, 404);
  }),
  row("4.2", "GET needs no authentication", "GET /projects", async ({ status }, { ask }) => {
    equal(status, 200);
    for (const path of ["/node", "/node/policies/repos", "/nodes/{bob}", "/sessions/{session}"]) {
      equal((await ask(`GET ${path}`)).status, 200, path);
    }
  }),
  row("4.3", "Path parameters are ids of their kinds", "GET /projects/x", async ({ status }, { ask }) => {
    equal(status, 400);
    const malformed = [at("/issues/x"), at("/remotes/x"), "GET /nodes/x", "GET /delegates/{bob}/projects"];
    for (const request of malformed) equal((await ask(request)).status, 400, request);
  }),
  row(
    "4.1.page",
    "page: an integer from 0 on, 0 by default",
    `${COMMITS}?page=0&perPage=1`,
    async ({ body }, { ask, names }) => {
      deepEqual(oids(body), [names["head"]]);
      deepEqual(oids((await ask(`${COMMITS}?page=1&perPage=1`)).body), [names["second"]]);
      for (const page of ["-1", "x", "1.5"]) equal((await ask(`${COMMITS}?page=${page}`)).status, 400, page);
    },
  ),
  row(
    "4.1.perPage",
    "perPage: an integer from 0 on; 0 takes none",
    `${COMMITS}?perPage=0`,
    async ({ body }, { ask }) => {
      deepEqual(oids(body), []);
      equal((await ask(`${COMMITS}?perPage=-1`)).status, 400);
    },
  ),
  row(
    "4.1.state",
    "state filters; there is a default filter",
    at("/issues"),
    async ({ body }, { ask, names }) => {
      deepEqual(ids(body), [names["issue"]]);
      deepEqual(ids((await ask(at("/issues?state=closed"))).body), [names["closed"]]);
    },
  ),
  row(
    "4.1.paging",
    "page × perPage items are skipped, then perPage taken",
    `${COMMITS}?page=1&perPage=2`,
    ({ body }, { names }) => {
      deepEqual(oids(body), [names["first"]]);
    },
  ),
  notShown("4.1.values", "Values and default of state"),
  row("4.2.row1", "GET /projects", "GET /projects", ({ status, body }) => {
    equal(status, 200);
    ok(Array.isArray(body));
  }),
  row(
    "4.2.row2",
    "GET /projects/:project; 404 when missing",
    "GET /projects/{rid}",
    async ({ status }, { ask }) => {
      equal(status, 200);
      equal((await ask("GET /projects/{absentRid}")).status, 404);
    },
  ),
  row("4.2.row3", "GET commits: commits with commit, diff, branches; stats", COMMITS, (answer) => {
    has("commits", "stats")(answer);
    deepEqual(members(answer.body.commits[0]), ["branches", "commit", "diff"]);
  }),
  row("4.2.row4", "GET commits/:sha", at("/commits/{head}"), has("commit", "diff", "files", "branches")),
  row("4.2.row5", "GET diff/:base/:oid", at("/diff/{first}/{head}"), has("diff", "files", "commits")),
  row("4.2.row6", "GET activity: integer seconds", at("/activity"), (answer) => {
    has("activity")(answer);
    ok(answer.body.activity.length > 0 && answer.body.activity.every(Number.isInteger));
  }),
  row(
    "4.2.row7",
    "GET tree/:sha/ is the root",
    at("/tree/{head}/"),
    has("entries", "lastCommit", "name", "path", "stats"),
  ),
  row("4.2.row8", "GET tree/:sha/*path", at("/tree/{head}/src/deep"), ({ body }) => {
    deepEqual(body.entries.map(({ name }: { name: string }) => name), ["leaf.txt"]);
  }),
  row("4.2.row9", "GET remotes: an array", at("/remotes"), ({ body }, { names }) => {
    deepEqual(ids(body).sort(), [names["alice"], names["bob"]].sort());
  }),
  row("4.2.row10", "GET remotes/:peer: without alias", at("/remotes/{bob}"), has("id", "heads", "delegate")),
  row(
    "4.2.row11",
    "GET blob/:sha/*path",
    at("/blob/{head}/src/deep/leaf.txt"),
    ({ body }) => equal(body.content, "leaf\n"),
  ),
  row(
    "4.2.row12",
    "GET readme/:sha",
    at("/readme/{head}"),
    has("binary", "name", "content", "path", "lastCommit"),
  ),
  row("4.2.r1a", "Projects are in ascending order of their ids", PROJECTS, async (_, { ask }) => {
    const list = ids((await ask(PROJECTS, { by: "owner" })).body) as RepoId[];
    deepEqual(list, sortRids(list));
  }),
  row(
    "4.2.r1b",
    "Private ones are for loopback clients alone",
    PROJECTS,
    async ({ body }, { ask, names }) => {
      ok(!ids(body).includes(names["secret"]!));
      ok(ids((await ask(PROJECTS, { by: "owner" })).body).includes(names["secret"]!));
    },
  ),
  row(
    "4.2.r1c",
    "What cannot be loaded is left out before paging",
    PROJECTS,
    async ({ body }, { ask, names }) => {
      ok(!ids(body).includes(names["headless"]!));
      equal(body.length, 2);
      const pages = await Promise.all([0, 1, 2].map((page) => ask(`${PROJECTS}&perPage=1&page=${page}`)));
      deepEqual(pages.flatMap(({ body }) => ids(body)), ids(body));
    },
  ),
  row(
    "4.2.r2a",
    "parent: the head by default; walked from it, newest first",
    COMMITS,
    async ({ body }, { ask, names }) => {
      deepEqual(oids(body), [names["head"], names["second"], names["first"]]);
      deepEqual(oids((await ask(`${COMMITS}?parent={second}`)).body), [names["second"], names["first"]]);
    },
  ),
  row(
    "4.2.r2b",
    "since ≤ time < until",
    `${COMMITS}?since=1673002014&until=1673003014`,
    async ({ body }, { ask, names }) => {
      deepEqual(oids(body), [names["second"]]);
      deepEqual(oids((await ask(`${COMMITS}?since=1673002015`)).body), [names["head"]]);
      deepEqual(oids((await ask(`${COMMITS}?until=1673002014`)).body), [names["first"]]);
    },
  ),
  row(
    "4.2.r2c",
    "Without perPage, with a bound: all on the first page",
    `${COMMITS}?since=0`,
    async ({ body }, { ask }) => {
      equal(oids(body).length, 3);
      deepEqual(oids((await ask(`${COMMITS}?since=0&page=1`)).body), []);
    },
  ),
  row("4.2.r2d", "commit, and its diff against its parent", COMMITS, async ({ body }, { ask, names }) => {
    const { commit, diff } = body.commits[1];
    equal(commit.id, names["second"]);
    deepEqual(diff, (await ask(at("/diff/{first}/{second}"))).body.diff);
  }),
  row("4.2.r2e", "branches: local heads and remote branches that contain it", COMMITS, ({ body }) => {
    deepEqual(body.commits.map(({ branches }: { branches: string[] }) => branches), [
      ["refs/heads/master"],
      ["refs/heads/master", "refs/heads/old"],
      ["refs/heads/master", "refs/heads/old", "refs/remotes/bob/master"],
    ]);
  }),
  row(
    "4.2.r2f",
    "stats are computed from parent",
    `${COMMITS}?parent={second}&since=1673002014`,
    ({ body }) => {
      equal(body.stats.commits, 2);
    },
  ),
  row("4.2.r3", "files of a commit", at("/commits/{second}"), ({ body: { diff, files } }) => {
    for (const { oid } of [diff.added[0].new, diff.deleted[0].old, diff.modified[0].old]) ok(oid in files);
  }),
  row("4.2.r4a", "The diff is from :base to :oid", at("/diff/{second}/{first}"), ({ body: { diff } }) => {
    equal(diff.added[0].path, "notes.txt");
    equal(diff.deleted[0].path, "src/main.txt");
  }),
  row(
    "4.2.r4b",
    "commits from :oid on, newest first, before :base",
    at("/diff/{first}/{head}"),
    ({ body }, { names }) => {
      deepEqual(ids(body.commits), [names["head"], names["second"]]);
    },
  ),
  row("4.2.r4c", "Both commits must exist", at("/diff/{absent}/{head}"), async ({ status }, { ask }) => {
    equal(status, 404);
    equal((await ask(at("/diff/{head}/{absent}"))).status, 404);
  }),
  row(
    "4.2.r5a",
    "Activity: committer times of the last 52 weeks",
    "GET /projects/{duo}/activity",
    ({ body }) => {
      deepEqual(body.activity, [NOW_MS / 1000 - 51 * 7 * 24 * 60 * 60]);
    },
  ),
  row("4.2.r5b", "Activity may be cached for an hour", at("/activity"), ({ headers }) => {
    equal(headers.get("cache-control"), "public, max-age=3600, must-revalidate");
  }),
  row(
    "4.2.r6",
    "*path has slashes; the trailing slash is the root",
    at("/tree/{head}/src/deep"),
    async ({ body }, { ask }) => {
      equal(body.path, "src/deep");
      equal((await ask(at("/tree/{head}/"))).body.path, "");
    },
  ),
  row(
    "4.2.r7",
    "heads have references below refs/heads/ alone",
    at("/remotes/{bob}"),
    ({ body }, { names }) => {
      deepEqual(body.heads, { "feature/leaf": names["second"], topic: names["topic"] });
    },
  ),
  row(
    "4.2.r8a",
    "The first readme of the list, then of its lower-case forms",
    at("/readme/{head}"),
    async ({ body }, { ask, world }) => {
      equal(body.path, "README");
      for (const [name, commit] of putReadmes(world.hello)) {
        const answer = await ask(at(`/readme/${commit}`));
        deepEqual([answer.status, answer.body.path], name === undefined ? [404, undefined] : [200, name]);
      }
    },
  ),
  row(
    "4.2.r8b",
    "No readme: 404",
    at("/readme/{old}").replace("{rid}", "{duo}"),
    ({ status }) => equal(status, 404),
  ),
];
