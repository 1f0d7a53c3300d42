/**
 * What programs of others ask of a node's HTTP API, call by call, as docs/clients.md lists it: methods, paths, header fields, and forms of bodies as
 * their programmers chose them, oddities included. Each asserts what its program reads in the answers.
 */
import assert from "node:assert/strict";
import { encodeMultibase } from "../../src/ids/multibase.ts";
import type { Signer } from "../../src/ports/signer.ts";
import { challengeText } from "../../src/session/key_sign_in.ts";
import type { Caller, Json, Manner } from "./foreign_calls.ts";

/** A repository of a home, in which a client works. */
export interface Workplace {
  readonly rid: string;
  /** Of the node, which is a delegate of the repository. */
  readonly signer: Signer;
  /** What `xylem session` prints. */
  readonly token: string;
}

/** A program of others. */
export interface ForeignClient {
  readonly name: string;
  /** Options of services that serve it, as docs/clients.md says; the first ones are enough. */
  readonly served: readonly (readonly string[])[];
  readonly manner: Manner;
  readonly run: (caller: Caller, place: Workplace) => Promise<void>;
}

const V1 = ["--api", "v1"], TODAY = ["--api", "today"];
/** Reactions and comments of reviews as services of 2024 had them. */
const OBJECTS = ["--answers", "objects"];
/** Both dialects, the default. */
export const BOTH: readonly string[] = [];

const ISSUE_STATES = ["open", "closed"];
const PATCH_STATES = ["draft", "open", "archived", "merged"];

/** How `ofetch` in a page of another origin asks. */
const PAGE: Manner = {
  headers: { accept: "application/json", origin: "https://boards.example", "user-agent": "Mozilla/5.0" },
  bodyType: "application/json",
  origin: "https://boards.example",
};
/** A page of this machine, which counts as its owner. */
const LOCAL_PAGE: Manner = {
  headers: { accept: "*/*", origin: "http://127.0.0.1:3000", "user-agent": "Mozilla/5.0" },
  bodyType: "application/json",
  origin: "http://127.0.0.1:3000",
};
const JAVA: Manner = {
  headers: { "user-agent": "Apache-HttpClient/4.5.14 (Java/17.0.9)" },
  bodyType: "application/json; charset=UTF-8",
};
const GO: Manner = {
  headers: { "user-agent": "Go-http-client/1.1" },
  bodyType: "application/json",
  bodyEnd: "\n",
};
const FETCH: Manner = {
  headers: { accept: "*/*", "user-agent": "node", "sec-fetch-mode": "cors" },
  bodyType: "application/json",
};

/** Boards show the labels `RPB:column:…` and `RPB:priority:…` as places of cards. They move cards by labels. */
async function planningBoards(caller: Caller, { rid, token }: Workplace): Promise<void> {
  const project = `/api/v1/projects/${encodeURIComponent(rid)}`;
  // Its client adds this to each request, changes included.
  const ALL = "?perPage=1000";
  const listed = async (kind: string, states: readonly string[]) =>
    (await Promise.all(
      states.map((state) => caller.get(`${project}/${kind}${ALL}&state=${state}`, { token })),
    )).flat();
  const issues: Json[] = await listed("issues", ISSUE_STATES);
  const patches: Json[] = await listed("patches", PATCH_STATES);
  assert.ok(issues.length > 2 && patches.length > 2);
  for (const { id, title, labels, state, discussion } of issues) {
    assert.ok(id && title && Array.isArray(labels) && ISSUE_STATES.includes(state.status));
    assert.ok(discussion[0].timestamp > 0);
  }
  for (const { id, title, labels, state, revisions } of patches) {
    assert.ok(id && title && Array.isArray(labels) && PATCH_STATES.includes(state.status));
    assert.ok(revisions.at(-1).timestamp > 0);
  }

  // A board that opens for the first time gives each card a place, all at once.
  const cards: [kind: string, card: Json][] = [
    ...issues.map((card): [string, Json] => ["issues", card]),
    ...patches.map((card): [string, Json] => ["patches", card]),
  ];
  const move = async ([kind, { id, labels }]: [string, Json], name: string, value: string | number) => {
    const others = labels.filter((label: string) => !label.startsWith(`RPB:${name}:`));
    const body = { type: "label", labels: [...others, `RPB:${name}:${value}`] };
    const { json } = await caller.ask("PATCH", `${project}/${kind}/${id}${ALL}`, { token, body });
    assert.equal(json.success, true);
  };
  await Promise.all(cards.map((card, index) => move(card, "priority", (index + 1) * 100)));
  for (const [kind, { id }] of [cards[0]!, cards.at(-1)!]) {
    const card = await caller.get(`${project}/${kind}/${id}${ALL}`, { token });
    assert.ok(card.labels.some((label: string) => label.startsWith("RPB:priority:")));
    await move([kind, card], "column", "doing");
    const others = card.labels.filter((label: string) => !label.startsWith("RPB:column:"));
    const { labels } = await caller.get(`${project}/${kind}/${id}${ALL}`);
    assert.deepEqual(labels, [...others, "RPB:column:doing"].sort());
  }

  const labels = ["RPB:column:todo", "RPB:priority:100"];
  // Equal issues of the same second would be one.
  const title = `From a board with ${issues.length} issues`;
  const card = { title, description: "", labels, assignees: [], embeds: [] };
  const { json: { id } } = await caller.ask("POST", `${project}/issues${ALL}`, { token, body: card });
  const shown = await caller.get(`${project}/issues/${id}${ALL}`, { token });
  assert.deepEqual([shown.title, shown.labels, shown.state], [title, labels, { status: "open" }]);
}

/** Signs in as programs with a key of their own do; answers the token. */
async function signIn(caller: Caller, signer: Signer, more: (session: Json) => Json): Promise<string> {
  const { json: session } = await caller.ask("POST", "/api/v1/sessions");
  const signed = await signer.sign(
    new TextEncoder().encode(challengeText(session.sessionId, session.publicKey)),
  );
  const body = { ...more(session), pk: session.publicKey, sig: encodeMultibase(signed) };
  const { json } = await caller.ask("PUT", `/api/v1/sessions/${session.sessionId}`, { body });
  assert.equal(json.success, true);
  return session.sessionId;
}

/** Reads patches, and the diff of a revision; it changes patches by `rad` alone. */
async function vscodeExtension(caller: Caller, { rid }: Workplace): Promise<void> {
  const root = await caller.get("/api/v1");
  assert.equal(root.service, "radicle-httpd");
  // From 3 on it asks below /repos.
  assert.ok(Number.parseInt(root.apiVersion[0]) >= 3);
  const repos: Json[] = await caller.get("/api/v1/repos?perPage=200&show=all");
  const repo = repos.find((one) => one.rid === rid);
  assert.ok(repo.seeding >= 0 && repo.payloads["xyz.radicle.project"].data.name);
  const lists = await Promise.all(
    PATCH_STATES.map((state) => caller.get(`/api/v1/repos/${rid}/patches?perPage=500&status=${state}`)),
  );
  for (const [index, list] of lists.entries()) {
    assert.ok(list.every((patch: Json) => patch.state.status === PATCH_STATES[index]));
  }
  const patches = lists.flat();
  assert.ok(patches.length > 2);
  const { id, title } = patches[0];
  const patch = await caller.get(`/api/v1/repos/${rid}/patches/${id}?perPage=200`);
  assert.equal(patch.title, title);
  const { base, oid } = patch.revisions.at(-1);
  const { diff, files } = await caller.get(`/api/v1/repos/${rid}/diff/${base}/${oid}?perPage=200`);
  assert.ok(diff.files.length > 0);
  for (const change of diff.files) {
    assert.ok(change.status === "moved" || change.status === "copied" ? change.newPath : change.path);
    for (const side of [change.old, change.new]) {
      if (side !== undefined) assert.equal(typeof files[side.oid].content, "string");
    }
  }
}

/** The change of a state that the extension declares, and never sends: an action without `type` is none. */
async function vscodeDeclared(caller: Caller, { rid, token }: Workplace): Promise<void> {
  const [{ id, state }] = await caller.get(`/api/v1/repos/${rid}/patches?perPage=500&status=all`);
  const path = `/api/v1/repos/${rid}/patches/${id}`;
  await caller.ask("PATCH", path, { body: { state: "merged" }, token, status: 422 });
  assert.deepEqual((await caller.get(path)).state, state);
}

/** Walks through the views of today's explorer. */
async function explorer(caller: Caller, { rid, signer }: Workplace): Promise<void> {
  const get = (path: string) => caller.get(`/api/v1/${path}`);
  const node = await get("node");
  assert.equal(node.id, signer.nodeId);
  assert.ok((await get("stats")).repos.total > 0);
  assert.equal(typeof (await get("info")).httpd.searchAvailable, "boolean");
  const identity = await get(`nodes/${node.id}`);
  assert.ok(identity.did && identity.ssh.full && identity.ssh.hash);
  for (
    const query of [
      "show=pinned",
      "show=all&sort=seeding&perPage=12",
      "show=all&sort=activity&page=0&perPage=20",
    ]
  ) {
    assert.ok(Array.isArray(await get(`repos?${query}`)));
  }
  const repo = await get(`repos/${rid}`);
  const { data, meta: { head } } = repo.payloads["xyz.radicle.project"];
  assert.ok((await get(`repos/search?q=${data.name}`)).some((one: Json) => one.rid === rid));
  assert.ok((await get(`delegates/${repo.delegates[0].id}/repos?show=all&perPage=20`)).length > 0);
  assert.match((await get(`node/policies/repos/${rid}`)).policy, /^(?:allow|block)$/);
  assert.ok((await get(`repos/${rid}/activity`)).activity.length > 0);

  const tree = await get(`repos/${rid}/tree/${head}/`);
  const file = tree.entries.find((entry: Json) => entry.kind === "blob");
  const folder = tree.entries.find((entry: Json) => entry.kind === "tree");
  assert.equal((await get(`repos/${rid}/tree/${head}/${folder.path}`)).path, folder.path);
  assert.equal(typeof (await get(`repos/${rid}/blob/${head}/${file.path}`)).content, "string");
  assert.match((await get(`repos/${rid}/readme/${head}`)).name, /readme/i);
  const { commits } = await get(`repos/${rid}/stats/commits/${head}`);
  assert.equal((await get(`repos/${rid}/stats/tree/${head}`)).commits, commits);
  const remotes: Json[] = await get(`repos/${rid}/remotes`);
  const remote = await get(`repos/${rid}/remotes/${remotes[0].id}`);
  assert.deepEqual(remote.heads, remotes[0].heads);
  const history = await get(`repos/${rid}/commits?parent=${head}&page=0&perPage=30`);
  assert.equal(history[0].id, head);
  const { commit, diff } = await get(`repos/${rid}/commits/${head}`);
  assert.equal(commit.id, head);
  assert.ok(diff.files.length > 0);
  assert.deepEqual(await get(`repos/${rid}/jobs/${head}`), []);

  for (const [kind, states] of [["issues", ISSUE_STATES], ["patches", PATCH_STATES]] as const) {
    for (const status of states) {
      const list: Json[] = await get(`repos/${rid}/${kind}?status=${status}&page=0&perPage=10`);
      for (const { id, title } of list) assert.equal((await get(`repos/${rid}/${kind}/${id}`)).title, title);
    }
  }
  const [patch] = await get(`repos/${rid}/patches?status=open&page=0&perPage=10`);
  const { base, oid } = patch.revisions.at(-1);
  const stats = await get(`repos/${rid}/diff/${base}/${oid}/stats`);
  assert.equal((await get(`repos/${rid}/diff/${base}/${oid}`)).diff.stats.filesChanged, stats.filesChanged);

  // Whether a node has archives, and of which type an embed is, it asks by HEAD.
  await caller.ask("HEAD", `/raw/${rid}/archive/${data.defaultBranch}`);
  const raw = await caller.ask("HEAD", `/raw/${rid}/${head}/${file.path}`);
  assert.ok(raw.headers["content-type"]);
}

/** The explorer of February 2024, which wrote: a page of this machine, signed in by the link of `xylem session`. */
async function explorerOf2024(caller: Caller, { rid, token, signer }: Workplace): Promise<void> {
  const get = (path: string) => caller.get(`/api/v1/${path}`);
  const session = await get(`sessions/${token}`);
  assert.deepEqual([session.status, session.publicKey], ["authorized", signer.nodeId]);
  assert.ok(session.alias && session.expiresAt > 0);
  const { config, home } = await get("profile");
  assert.ok(home && config.node.policy && config.node.scope && Array.isArray(config.preferredSeeds));
  assert.equal((await get("node")).id, signer.nodeId);
  assert.ok(Array.isArray(await get("node/policies/repos")));
  assert.ok((await get("projects?show=all")).some(({ id }: Json) => id === rid));

  const { head, delegates } = await get(`projects/${rid}`);
  assert.ok(delegates.every((did: string) => did.startsWith("did:key:")));
  assert.ok((await get(`projects/${rid}/remotes`)).length > 0);
  assert.ok((await get(`projects/${rid}/activity`)).activity.length > 0);
  assert.ok((await get(`projects/${rid}/tree/${head}/`)).stats.commits > 0);
  assert.match((await get(`projects/${rid}/readme/${head}`)).name, /readme/i);
  const { commits } = await get(`projects/${rid}/commits?parent=${head}&page=0&perPage=30`);
  assert.equal(commits[0].commit.id, head);
  const { diff } = await get(`projects/${rid}/commits/${head}`);
  assert.ok(Array.isArray(diff.added) && Array.isArray(diff.modified));

  const change = async (path: string, body: Json) => {
    const { json } = await caller.ask("PATCH", `/api/v1/projects/${rid}/${path}`, { token, body });
    assert.equal(json.success, true);
    return json.id as string;
  };
  const [{ id }] = await get(`projects/${rid}/issues?state=open&page=0&perPage=10`);
  const embeds = [{ name: "dot.txt", content: "data:text/plain;base64,Lg==" }];
  const said = await change(`issues/${id}`, { type: "comment", body: "From a page", embeds, replyTo: id });
  await change(`issues/${id}`, { type: "comment.edit", id: said, body: "From a page of 2024", embeds: [] });
  await change(`issues/${id}`, { type: "comment.react", id: said, reaction: "🚀", active: true });
  await change(`issues/${id}`, { type: "label", labels: ["page"] });
  await change(`issues/${id}`, { type: "assign", assignees: delegates });
  await change(`issues/${id}`, { type: "lifecycle", state: { status: "closed", reason: "solved" } });
  const issue = await get(`projects/${rid}/issues/${id}`);
  assert.deepEqual([issue.labels, issue.assignees, issue.state.reason], [["page"], delegates, "solved"]);
  const comment = issue.discussion.find((one: Json) => one.id === said);
  assert.equal(comment.body, "From a page of 2024");
  assert.deepEqual(comment.reactions, [{ emoji: "🚀", authors: [signer.nodeId] }]);

  const [patch] = await get(`projects/${rid}/patches?state=open&page=0&perPage=10`);
  const { id: revision, base, oid } = patch.revisions.at(-1);
  assert.ok((await get(`projects/${rid}/diff/${base}/${oid}`)).commits.length > 0);
  await change(`patches/${patch.id}`, { type: "revision.comment", body: "Here", embeds: [], revision });
  await change(`patches/${patch.id}`, { type: "revision.react", revision, reaction: "👀", active: true });
  await change(`patches/${patch.id}`, { type: "label", labels: ["page"] });
  const { labels, revisions } = await get(`projects/${rid}/patches/${patch.id}`);
  assert.deepEqual(labels, ["page"]);
  assert.ok(revisions.at(-1).discussions.some((one: Json) => one.body === "Here"));
  assert.ok(revisions.at(-1).reactions.some((one: Json) => one.emoji === "👀"));
  await caller.ask("DELETE", `/api/v1/sessions/${token}`, { token });
}

/** The plugin for JetBrains up to 0.10, which wrote over HTTP. */
async function jetbrainsPlugin(caller: Caller, { rid, signer }: Workplace): Promise<void> {
  const root = await caller.get("/api/v1");
  assert.ok(root.version && root.nid);
  const projects: Json[] = await caller.get("/api/v1/projects?show=all&perPage=10&page=0");
  assert.ok(projects.some(({ id }) => id === rid));
  const project = `/api/v1/projects/${rid}`;
  const { head, delegates } = await caller.get(project);
  assert.ok((await caller.get(`/api/v1/nodes/${signer.nodeId}`)).alias);
  const patches: Json[] = [];
  for (const state of PATCH_STATES) {
    patches.push(...await caller.get(`${project}/patches?page=0&state=${state}&perPage=10000`));
  }
  for (const state of ISSUE_STATES) await caller.get(`${project}/issues?page=0&state=${state}&perPage=10000`);
  const token = await signIn(caller, signer, ({ sessionId }) => ({ sessionId }));
  const change = async (path: string, body: Json) => {
    const { json } = await caller.ask("PATCH", project + path, { token, body });
    assert.equal(json.success, true);
    return json.id as string;
  };

  const embeds = [{ name: "dot.txt", content: "data:text/plain;base64,Lg==" }];
  const draft = {
    title: "From an editor",
    description: "As seen",
    labels: ["seen"],
    assignees: delegates,
    embeds,
  };
  const { json: { id } } = await caller.ask("POST", `${project}/issues`, { token, body: draft });
  const issue = `/issues/${id}`;
  const answer = await change(issue, { type: "comment", body: "Indeed", replyTo: id, embeds: [] });
  await change(issue, { type: "comment.edit", id: answer, body: "Indeed!", replyTo: id, embeds: [] });
  await change(issue, { type: "comment.react", id: answer, reaction: "👍", active: true });
  await change(issue, { type: "label", labels: ["seen", "twice"] });
  await change(issue, { type: "assign", assignees: [] });
  await change(issue, { type: "edit", title: "From another editor" });
  await change(issue, { type: "lifecycle", state: { status: "closed", reason: "other" } });
  await change(issue, { type: "lifecycle", state: { status: "open", reason: "other" } });
  const shown = await caller.get(project + issue);
  assert.deepEqual([shown.title, shown.state, shown.labels, shown.assignees], [
    "From another editor",
    { status: "open" },
    ["seen", "twice"],
    [],
  ]);
  const [, comment] = shown.discussion;
  assert.equal(comment.body, "Indeed!");
  assert.equal(comment.reactions[0].emoji, "👍");

  const { revisions: [{ base, oid }] } = patches[0];
  const proposal = { title: "From an editor", description: "", oid, target: base, labels: [] };
  const { json: { id: opened } } = await caller.ask("POST", `${project}/patches`, { token, body: proposal });
  const patch = `/patches/${opened}`;
  const said = { type: "revision.comment", revision: opened, body: "Here", embeds: [] };
  const location = { path: "README.md", commit: oid, new: { type: "lines", range: { start: 1, end: 2 } } };
  const first = await change(patch, { ...said, location });
  await change(patch, { ...said, replyTo: first });
  await change(patch, {
    type: "revision.comment.edit",
    revision: opened,
    comment: first,
    body: "There",
    embeds: [],
  });
  await change(patch, {
    type: "revision.comment.react",
    revision: opened,
    comment: first,
    reaction: "🎉",
    active: true,
  });
  await change(patch, {
    type: "revision.comment.redact",
    revision: opened,
    comment: await change(patch, said),
  });
  await change(patch, { type: "review", revision: opened, summary: "Fine", verdict: "accept", labels: [] });
  await change(patch, { type: "edit", target: "delegates", title: "From another editor" });
  await change(patch, { type: "label", labels: ["seen"] });
  await change(patch, { type: "lifecycle", state: { status: "archived", reason: "other" } });
  const read = await caller.get(project + patch);
  assert.deepEqual([read.title, read.state.status, read.labels], ["From another editor", "archived", [
    "seen",
  ]]);
  const [{ discussions, reviews }] = read.revisions;
  assert.deepEqual(discussions.map(({ body }: Json) => body), ["There", "Here"]);
  assert.equal(discussions[0].location.new.range.start, 1);
  assert.equal(discussions[0].reactions[0].emoji, "🎉");
  assert.equal(reviews[0].verdict, "accept");
  assert.ok(head);
}

/** Moves issues of other places into a repository. */
async function migrationTool(caller: Caller, { rid, signer }: Workplace): Promise<void> {
  const token = await signIn(caller, signer, () => ({}));
  const issues = `/api/v1/projects/${rid}/issues`;
  for (const state of ISSUE_STATES) {
    assert.ok(Array.isArray(await caller.get(`${issues}?state=${state}`, { token })));
  }
  const embeds = [{ oid: "9".repeat(40), name: "dot.txt", content: "data:text/plain;base64,Lg==" }];
  const state = { status: "closed", reason: "other" };
  const body = {
    id: "12",
    assignees: [],
    title: "Moved",
    description: "From elsewhere",
    state,
    labels: ["old"],
    embeds,
  };
  const { json: { success, id } } = await caller.ask("POST", issues, { token, body });
  assert.equal(success, true);
  const change = async (action: Json) =>
    assert.equal((await caller.ask("PATCH", `${issues}/${id}`, { token, body: action })).json.success, true);
  await change({ type: "comment", body: "Said there", replyTo: id, embeds });
  await change({ type: "comment.edit", id, body: "Linked", embeds: [] });
  await change({ type: "edit", title: "Moved twice" });
  await change({ type: "label", labels: ["old", "moved"] });
  await change({ type: "lifecycle", state });
  const shown = await caller.get(`${issues}/${id}`, { token });
  assert.deepEqual([shown.title, shown.state, shown.labels], ["Moved twice", state, ["moved", "old"]]);
  assert.deepEqual(shown.discussion.map((one: Json) => one.body), ["Linked", "Said there"]);
  assert.match(shown.discussion[1].embeds[0].content, /^git:[0-9a-f]{40}$/);
}

/** Tells in a patch how a run of continuous integration goes. */
async function actionsAdapter(caller: Caller, { rid, token }: Workplace): Promise<void> {
  const [{ id }] = await caller.get(`/api/v1/projects/${rid}/patches`);
  const path = `/api/v1/projects/${rid}/patches/${id}`;
  const said = { type: "revision.comment", body: "Begins", revision: id, embeds: [] };
  const { json } = await caller.ask("PATCH", path, { token, body: said });
  assert.match(json.id, /^[0-9a-f]{40}$/);
  const edit = {
    type: "revision.comment.edit",
    body: "Begins\n  \n  Ends",
    revision: id,
    comment: json.id,
    embeds: [],
  };
  await caller.ask("PATCH", path, { token, body: edit });
  const { revisions: [{ discussions }] } = await caller.get(path);
  assert.equal(discussions.find((one: Json) => one.id === json.id).body, edit.body);
}

/** Pages, dashboards, apps and scripts that read repositories below `/repos`. */
async function readers(caller: Caller, { rid }: Workplace): Promise<void> {
  const repos: Json[] = await caller.get("/api/v1/repos?show=all&perPage=500");
  assert.ok(repos.some((repo) => repo.rid === rid && repo.payloads["xyz.radicle.project"].data.name));
  // Ids with an escaped colon, a page of history by number, a history that is walked by parents.
  const repo = `/api/v1/repos/${encodeURIComponent(rid)}`;
  const { head } = (await caller.get(repo)).payloads["xyz.radicle.project"].meta;
  const page: Json[] = await caller.get(`${repo}/commits?page=1&perPage=5`);
  assert.equal(page.length, 5);
  const { commit } = await caller.get(`${repo}/commits/${head}`);
  assert.ok((await caller.get(`${repo}/commits/${commit.parents[0]}`)).commit.committer.time > 0);
  const [newest] = await caller.get(`/api/v1/repos/${rid}/commits?perPage=1`);
  assert.deepEqual([newest.id, typeof newest.committer.time], [head, "number"]);
  assert.ok((await caller.get(`/api/v1/repos/${rid}/tree/${head}/`)).entries.length > 0);
  assert.ok(
    (await caller.get(`/api/v1/repos/${rid}/remotes`)).some((one: Json) => one.delegate && one.heads),
  );
  assert.equal((await caller.get(`/api/v1/repos/${rid}/stats/tree/${head}`)).contributors > 0, true);
  assert.equal(typeof (await caller.get(`/api/v1/repos/${rid}/readme/${head}`)).content, "string");
  assert.ok((await caller.get(`/api/v1/repos/${rid}/issues`)).length > 0);
  assert.ok((await caller.get(`/api/v1/repos/${rid}/patches`)).length > 0);
  assert.ok((await caller.get("/api/v1/node")).id);
}

/** All of them. */
export const FOREIGN_CLIENTS: readonly ForeignClient[] = [
  { name: "planning boards", served: [BOTH, V1], manner: PAGE, run: planningBoards },
  { name: "the extension for VS Code", served: [BOTH, TODAY], manner: FETCH, run: vscodeExtension },
  { name: "a change that it declares", served: [BOTH], manner: FETCH, run: vscodeDeclared },
  {
    name: "today's explorer",
    served: [BOTH, TODAY],
    manner: { ...PAGE, headers: { ...PAGE.headers, accept: "*/*" } },
    run: explorer,
  },
  { name: "the explorer of 2024", served: [OBJECTS], manner: LOCAL_PAGE, run: explorerOf2024 },
  { name: "the plugin for JetBrains, up to 0.10", served: [OBJECTS], manner: JAVA, run: jetbrainsPlugin },
  { name: "the migration tool", served: [OBJECTS], manner: JAVA, run: migrationTool },
  { name: "the adapter for GitHub Actions", served: [BOTH, V1], manner: GO, run: actionsAdapter },
  { name: "readers of repositories", served: [BOTH, TODAY], manner: FETCH, run: readers },
];
