/** Resources and their fields (2.2 to 2.16). */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { notShown, row, type Statement } from "./statement.ts";

const PROJECT = "GET /projects/{rid}";
const COMMIT = "GET /projects/{rid}/commits/{first}";
const SECOND = "GET /projects/{rid}/commits/{second}";
const HEAD = "GET /projects/{rid}/commits/{head}";
const TREE = "GET /projects/{rid}/tree/{head}/src";
const ISSUE = "GET /projects/{rid}/issues/{issue}";
const PATCH = "GET /projects/{rid}/patches/{patch}";
const OID = /^[0-9a-f]{40}$/;
const isInteger = (...values: unknown[]) =>
  values.forEach((value) => ok(Number.isInteger(value), String(value)));
/** Checks the type of each member. */
const types = (value: Record<string, unknown>, expected: Record<string, string>) => {
  for (const [name, type] of Object.entries(expected)) {
    equal(Array.isArray(value[name]) ? "array" : typeof value[name], type, name);
  }
};

// deno-lint-ignore no-explicit-any -- answers are looked into
const revisionOf = (body: any) => body.revisions[0];

export const resourceStatements: readonly Statement[] = [
  row(
    "2.2.by",
    "Info is the form of projects, one project and a delegate's",
    PROJECT,
    async ({ body }, { ask }) => {
      for (const path of ["/projects", "/delegates/{did}/projects?show=all"]) {
        const list = (await ask(`GET ${path}`)).body;
        deepEqual(list.find(({ id }: { id: string }) => id === body.id), body);
      }
    },
  ),
  row("2.2.name", "name: string", PROJECT, ({ body }) => equal(body.name, "garden")),
  row("2.2.description", "description: string", PROJECT, ({ body }) => equal(body.description, "What grows")),
  row(
    "2.2.defaultBranch",
    "defaultBranch: string",
    PROJECT,
    ({ body }) => equal(body.defaultBranch, "master"),
  ),
  row("2.2.delegates", "delegates: DIDs of the identity document", PROJECT, ({ body }, { names }) => {
    deepEqual(body.delegates, [names["did"]]);
  }),
  row("2.2.visibility", "visibility: type public or private", PROJECT, async ({ body }, { ask }) => {
    deepEqual(body.visibility, { type: "public" });
    equal((await ask("GET /projects/{secret}", { by: "owner" })).body.visibility.type, "private");
  }),
  row("2.2.head", "head: the head commit", PROJECT, ({ body }, { names }) => equal(body.head, names["head"])),
  row("2.2.patches", "patches: counts by status", PROJECT, ({ body }) => {
    deepEqual(body.patches, { open: 1, draft: 0, archived: 0, merged: 0 });
  }),
  row(
    "2.2.issues",
    "issues: counts by status",
    PROJECT,
    ({ body }) => deepEqual(body.issues, { open: 1, closed: 1 }),
  ),
  row("2.2.id", "id: repository id", PROJECT, ({ body }, { names }) => equal(body.id, names["rid"])),
  row(
    "2.2.trackings",
    "trackings: nodes that seed it, 0 when unknown",
    PROJECT,
    async ({ body }, { ask }) => {
      equal(body.trackings, 3);
      equal((await ask("GET /projects/{duo}")).body.trackings, 0);
    },
  ),
  row("2.2.seeding", "seeding: the same, of a delegate's", "GET /delegates/{did}/projects", ({ body }) => {
    equal(body[0].seeding, 3);
  }),
  row("2.3.id", "id: object id", COMMIT, ({ body }, { names }) => equal(body.commit.id, names["first"])),
  row("2.3.author", "author: name and email", COMMIT, ({ body }) => {
    deepEqual(body.commit.author, { name: "Alice Liddell", email: "alice@radicle.xyz" });
  }),
  row("2.3.summary", "summary: string", COMMIT, ({ body }) => equal(body.commit.summary, "Plant the garden")),
  row("2.3.description", "description: string", COMMIT, ({ body }) => {
    equal(body.commit.description, "With all its plants.");
  }),
  row("2.3.parents", "parents: empty for a root commit", COMMIT, async ({ body }, { ask, names }) => {
    deepEqual(body.commit.parents, []);
    deepEqual((await ask(SECOND)).body.commit.parents, [names["first"]]);
  }),
  row("2.3.committer", "committer: name, email, time in integer seconds", SECOND, ({ body }) => {
    deepEqual(body.commit.committer, { name: "Bob", email: "bob@example.org", time: 1673002014 });
  }),
  row("2.4.root", "A diff has five lists and stats of integers", SECOND, ({ body: { diff } }) => {
    const kind = "array";
    types(diff, { added: kind, deleted: kind, moved: kind, copied: kind, modified: kind });
    deepEqual(diff.stats, { filesChanged: 3, insertions: 2, deletions: 2 });
  }),
  row(
    "2.4.path",
    "A file has a path",
    SECOND,
    ({ body: { diff } }) => equal(diff.added[0].path, "src/main.txt"),
  ),
  row("2.4.diff", "diff: type plain, hunks, stats, eof", SECOND, ({ body: { diff } }) => {
    const { type, hunks, stats, eof } = diff.added[0].diff;
    deepEqual([type, hunks.length, stats, eof], ["plain", 1, { additions: 1, deletions: 0 }, "noneMissing"]);
  }),
  row("2.4.side", "new of added, old of deleted files: oid and mode", SECOND, ({ body: { diff } }) => {
    for (const { oid, mode } of [diff.added[0].new, diff.deleted[0].old]) {
      match(oid, OID);
      equal(mode, "blob");
    }
  }),
  row("2.4.hunk", "A hunk has header, lines, old and new", SECOND, ({ body: { diff } }) => {
    const [added] = diff.added[0].diff.hunks;
    deepEqual(added.lines, [{ line: "x\n", lineNo: 1, type: "addition" }]);
    match(added.header, /^@@ -0,0 \+1 @@/);
    isInteger(added.old.start, added.old.end, added.new.start, added.new.end);
    const [deleted] = diff.deleted[0].diff.hunks;
    deepEqual(deleted.lines, [{ line: "gone\n", lineNo: 1, type: "deletion" }]);
  }),
  row("2.4.mcm", "moved, copied and modified files have both sides", HEAD, ({ body: { diff } }) => {
    for (const list of [diff.moved, diff.copied, diff.modified]) {
      equal(list.length, 1);
      types(list[0], { old: "object", new: "object", diff: "object" });
    }
  }),
  row("2.4.files", "files: by the ids of blobs that the diff touches", HEAD, ({ body: { diff, files } }) => {
    const { added, deleted, modified, moved, copied } = diff;
    const both = [...modified, ...moved, ...copied];
    const expected = [
      ...added.map((file: { new: { oid: string } }) => file.new.oid),
      ...deleted.map((file: { old: { oid: string } }) => file.old.oid),
      ...both.flatMap((file: { old: { oid: string }; new: { oid: string } }) => [file.old.oid, file.new.oid]),
    ];
    deepEqual(Object.keys(files).sort(), [...new Set(expected)].sort());
  }),
  notShown("2.4.filesValue", "The values of files"),
  row(
    "2.5.1",
    "Statistics: commits, branches, contributors",
    "GET /projects/{rid}/tree/{head}/",
    ({ body }) => {
      deepEqual(body.stats, { commits: 3, branches: 2, contributors: 2 });
    },
  ),
  row("2.6.entries", "entries: full path, name, kind; trees before blobs", TREE, ({ body }) => {
    deepEqual(body.entries, [
      { path: "src/deep", name: "deep", kind: "tree" },
      { path: "src/main.txt", name: "main.txt", kind: "blob" },
    ]);
  }),
  row(
    "2.6.lastCommit",
    "lastCommit: a commit",
    TREE,
    ({ body }, { names }) => equal(body.lastCommit.id, names["head"]),
  ),
  row(
    "2.6.name",
    "name: the last part, empty for the root",
    "GET /projects/{rid}/tree/{head}/src/deep",
    async ({ body }, { ask }) => {
      equal(body.name, "deep");
      equal((await ask("GET /projects/{rid}/tree/{head}/")).body.name, "");
    },
  ),
  row(
    "2.6.path",
    "path: the requested one, empty for the root",
    "GET /projects/{rid}/tree/{head}/src/deep",
    async ({ body }, { ask }) => {
      equal(body.path, "src/deep");
      equal((await ask("GET /projects/{rid}/tree/{head}/")).body.path, "");
    },
  ),
  row("2.6.stats", "stats of the requested commit", "GET /projects/{rid}/tree/{first}/", ({ body }) => {
    equal(body.stats.commits, 1);
  }),
  row(
    "2.7.shape",
    "A blob: binary, name, path, lastCommit, content",
    "GET /projects/{rid}/blob/{head}/src/main.txt",
    ({ body }, { names }) => {
      const { lastCommit, ...rest } = body;
      deepEqual(rest, { binary: false, name: "main.txt", content: "x\n", path: "src/main.txt" });
      equal(lastCommit.id, names["second"]);
    },
  ),
  notShown("2.7.binary", "The content of binary blobs"),
  row(
    "2.8.id",
    "id: node id",
    "GET /projects/{rid}/remotes/{bob}",
    ({ body }, { names }) => equal(body.id, names["bob"]),
  ),
  row(
    "2.8.alias",
    "alias: on the list only, when it is known",
    "GET /projects/{rid}/remotes",
    async ({ body }, { ask, names }) => {
      equal(body.find(({ id }: { id: string }) => id === names["bob"]).alias, "bob");
      ok(!("alias" in (await ask("GET /projects/{rid}/remotes/{bob}")).body));
    },
  ),
  row(
    "2.8.heads",
    "heads: branches without refs/heads/, nothing else",
    "GET /projects/{rid}/remotes/{alice}",
    ({ body }, { names }) => {
      deepEqual(body.heads, { master: names["head"] });
    },
  ),
  row(
    "2.8.delegate",
    "delegate: boolean",
    "GET /projects/{rid}/remotes/{alice}",
    async ({ body }, { ask }) => {
      equal(body.delegate, true);
      equal((await ask("GET /projects/{rid}/remotes/{bob}")).body.delegate, false);
    },
  ),
  row("2.9.id", "id", ISSUE, ({ body }, { names }) => equal(body.id, names["issue"])),
  row(
    "2.9.author",
    "author: id is a DID",
    ISSUE,
    ({ body }, { names }) => equal(body.author.id, names["did"]),
  ),
  row("2.9.title", "title", ISSUE, ({ body }) => equal(body.title, "Leaves hang")),
  row("2.9.state", "state: status open or closed", ISSUE, async ({ body }, { ask }) => {
    equal(body.state.status, "open");
    equal((await ask("GET /projects/{rid}/issues/{closed}")).body.state.status, "closed");
  }),
  row(
    "2.9.assignees",
    "assignees: DIDs",
    "PATCH /projects/{rid}/issues/{issue}",
    async (_, { ask, names }) => {
      deepEqual((await ask(ISSUE)).body.assignees, [names["did"]]);
    },
    { by: "bearer", body: { type: "assign", assignees: ["{did}"] } },
  ),
  row("2.9.labels", "labels: strings", "GET /projects/{rid}/issues/{closed}", ({ body }) => {
    deepEqual(body.labels, ["a", "b"]);
  }),
  row(
    "2.9.discussion",
    "discussion: the first is the description, with the issue's id",
    ISSUE,
    ({ body }) => {
      const [first, second] = body.discussion;
      deepEqual([first.id, first.body, second.body], [body.id, "All of them.", "Water?"]);
    },
  ),
  row("2.10.id", "id", PATCH, ({ body }, { names }) => equal(body.id, names["patch"])),
  row("2.10.author", "author with id", PATCH, ({ body }, { names }) => equal(body.author.id, names["did"])),
  row("2.10.title", "title", PATCH, ({ body }) => equal(body.title, "Prune")),
  row(
    "2.10.state",
    "state: status; of a merged one revision and commit",
    "PATCH /projects/{rid}/patches/{patch}",
    async (_, { ask, names }) => {
      deepEqual((await ask(PATCH)).body.state, {
        status: "merged",
        revision: names["patch"],
        commit: names["second"],
      });
    },
    { by: "bearer", body: { type: "merge", revision: "{patch}", commit: "{second}" } },
  ),
  row("2.10.target", "target: string", PATCH, ({ body }) => equal(body.target, "delegates")),
  row("2.10.labels", "labels: strings", PATCH, ({ body }) => deepEqual(body.labels, ["tree"])),
  row(
    "2.10.merges",
    "merges: author, revision, commit, timestamp",
    "PATCH /projects/{rid}/patches/{patch}",
    async (_, { ask, names }) => {
      const [{ author, timestamp, ...merge }] = (await ask(PATCH)).body.merges;
      deepEqual([author.id, merge], [names["did"], { commit: names["second"], revision: names["patch"] }]);
      isInteger(timestamp);
    },
    { by: "bearer", body: { type: "merge", revision: "{patch}", commit: "{second}" } },
  ),
  row("2.10.assignees", "assignees", PATCH, ({ body }) => deepEqual(body.assignees, [])),
  row("2.10.revisions", "revisions", PATCH, ({ body }) => equal(body.revisions.length, 1)),
  row("2.10.revision", "A revision has all its members", PATCH, ({ body }, { names }) => {
    const revision = revisionOf(body);
    types(revision, {
      id: "string",
      author: "object",
      description: "string",
      refs: "array",
      discussions: "array",
      timestamp: "number",
      reviews: "array",
    });
    deepEqual([revision.base, revision.oid, revision.author.id], [
      names["first"],
      names["second"],
      names["did"],
    ]);
  }),
  row("2.10.review", "A review has all its members", PATCH, ({ body }, { names }) => {
    const [review] = revisionOf(body).reviews;
    deepEqual([review.author.id, review.verdict, review.summary], [names["did"], "accept", "Fine"]);
    equal(review.comments[0][0], names["note"]);
    isInteger(review.timestamp);
  }),
  row("2.10.rcomment", "A comment of a review has all its members", PATCH, ({ body }, { names }) => {
    const [, comment] = revisionOf(body).reviews[0].comments[0];
    const { author, location, reactions, resolved, body: text, embeds } = comment;
    deepEqual([author, reactions, resolved, text, embeds], [names["alice"], [], false, "Nice", []]);
    equal(location.path, "README");
    equal(location.old, null);
    deepEqual(location.new, { type: "lines", range: { start: 1, end: 2 } });
  }),
  row("2.11.1", "A comment has all its members", PATCH, async ({ body }, { ask, names }) => {
    const [remark] = revisionOf(body).discussions;
    const [, reply] = (await ask(ISSUE)).body.discussion;
    for (const comment of [remark, reply]) {
      types(comment, {
        id: "string",
        body: "string",
        embeds: "array",
        reactions: "array",
        timestamp: "number",
      });
      equal(comment.author.id, names["did"]);
    }
    deepEqual([remark.replyTo, reply.replyTo, remark.resolved], [null, names["issue"], false]);
    await ask("PATCH /projects/{rid}/issues/{issue}", {
      by: "bearer",
      body: { type: "comment.react", id: "{issue}", reaction: "🌱", active: true },
    });
    deepEqual((await ask(ISSUE)).body.discussion[0].reactions, [[names["alice"], "🌱"]]);
  }),
  row(
    "2.12.1",
    "An embed is git:<oid> or an inline data URI",
    "PATCH /projects/{rid}/issues/{issue}",
    async ({ status }, { ask, names }) => {
      equal(status, 200);
      const embeds = (await ask(ISSUE)).body.discussion.at(-1).embeds;
      deepEqual(embeds.map(({ name }: { name: string }) => name), ["blob", "base64", "text"]);
      equal(embeds[0].content, `git:${names["blob"]}`);
      equal(embeds[1].content, embeds[2].content);
    },
    {
      by: "bearer",
      body: {
        type: "comment",
        body: "x",
        replyTo: "{issue}",
        embeds: [
          { name: "blob", content: "git:{blob}" },
          { name: "base64", content: "data:text/plain;base64,aGVsbG8=" },
          { name: "text", content: "data:text/plain,hello" },
        ],
      },
    },
  ),
  row(
    "2.12.2",
    "An embed that cannot be resolved is dropped",
    "PATCH /projects/{rid}/issues/{issue}",
    async ({ status }, { ask }) => {
      equal(status, 200);
      deepEqual((await ask(ISSUE)).body.discussion.at(-1).embeds, []);
    },
    {
      by: "bearer",
      body: {
        type: "comment",
        body: "x",
        replyTo: "{issue}",
        embeds: [{ name: "a", content: "git:{absent}" }, { name: "b", content: "https://example.org/" }],
      },
    },
  ),
  row(
    "2.13.fields",
    "A session: id, status, key and alias of the node, two times",
    "GET /sessions/{session}",
    ({ body }, { names }) => {
      deepEqual([body.sessionId, body.status], [names["session"], "authorized"]);
      deepEqual([body.publicKey, body.alias], [names["alice"], "alice"]);
      isInteger(body.issuedAt, body.expiresAt);
    },
  ),
  notShown("2.13.names", "The names of a session's members"),
  row("2.14.fields", "Node info: id, version, config, state", "GET /node", ({ body }, { names }) => {
    deepEqual([body.id, body.state, body.config.alias], [names["alice"], "running", "alice"]);
    match(body.version, /^[0-9.]+-\w+$/);
  }),
  row(
    "2.14.null",
    "config is null when it cannot be read",
    "GET /node",
    ({ body }) => equal(body.config, null),
    {
      setup: "silent node",
    },
  ),
  notShown("2.14.shape", "The configuration of the node"),
  ...profileStatements(),
  row("2.16.1", "A policy: id, scope, policy", "GET /node/policies/repos", ({ body }, { names }) => {
    deepEqual(body, [{ id: names["rid"], scope: "followed", policy: "allow" }]);
  }),
];

function profileStatements(): Statement[] {
  // deno-lint-ignore no-explicit-any -- the configuration is looked into
  const CHECKS: Readonly<Record<string, (config: any) => void>> = {
    publicExplorer: ({ publicExplorer }) => match(publicExplorer, /\$host.*\$rid.*\$path/),
    preferredSeeds: ({ preferredSeeds }) =>
      preferredSeeds.forEach((seed: string) => match(seed, /^z6Mk\w+@.+:\d+$/)),
    "web.pinned.repositories": ({ web }) => ok(Array.isArray(web.pinned.repositories)),
    "cli.hints": ({ cli }) => equal(typeof cli.hints, "boolean"),
    "node.alias": ({ node }) => equal(node.alias, "alice"),
    "node.listen": ({ node }) => ok(Array.isArray(node.listen)),
    "node.peers": ({ node }) => deepEqual(node.peers, { type: "dynamic", target: 8 }),
    "node.connect": ({ node }) => ok(Array.isArray(node.connect)),
    "node.externalAddresses": ({ node }) => ok(Array.isArray(node.externalAddresses)),
    "node.network": ({ node }) => equal(node.network, "main"),
    "node.relay": ({ node }) => equal(typeof node.relay, "boolean"),
    "node.limits": ({ node: { limits } }) => {
      const { routingMaxSize, routingMaxAge, gossipMaxAge, fetchConcurrency, maxOpenFiles, rate } = limits;
      isInteger(routingMaxSize, routingMaxAge, gossipMaxAge, fetchConcurrency, maxOpenFiles);
      for (const { fillRate, capacity } of [rate.inbound, rate.outbound]) {
        equal(typeof fillRate, "number");
        isInteger(capacity);
      }
    },
    "node.policy": ({ node }) => equal(node.policy, "block"),
    "node.scope": ({ node }) => equal(node.scope, "followed"),
  };
  return Object.entries(CHECKS).map(([name, check]) =>
    row(`2.15.${name}`, `The profile's ${name}`, "GET /profile", ({ body }) => check(body.config), {
      by: "owner",
    })
  );
}
