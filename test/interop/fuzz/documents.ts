/** Identity documents that entries name: delegates, thresholds and rules of all kinds, sound or not. */

/** A document as JSON; `@k1` stands for the DID of the key 1. */
export type DocumentPlan = string;

const PROJECT = { name: "x", description: "", defaultBranch: "main" };
const RULE = { allow: "delegates", threshold: 1 };

interface Parts {
  readonly delegates?: unknown;
  readonly threshold?: unknown;
  readonly project?: unknown;
  readonly crefs?: unknown;
  readonly [member: string]: unknown;
}

function make(
  { delegates = ["@k0"], threshold = 1, project = PROJECT, crefs, ...more }: Parts,
): DocumentPlan {
  const payload = {
    ...project === null ? {} : { "xyz.radicle.project": project },
    ...crefs === undefined ? {} : { "xyz.radicle.crefs": crefs },
  };
  return JSON.stringify({ delegates, payload, threshold, ...more });
}

/** A document with a rule for one branch, which `main` need not be. */
function ruled(rules: unknown, more: Parts = {}): DocumentPlan {
  return make({ ...more, crefs: { rules } });
}

/** The documents by name; `one` is the plainest. */
export const DOCUMENTS: Readonly<Record<string, DocumentPlan>> = {
  one: make({}),
  two: make({ delegates: ["@k0", "@k1"] }),
  both: make({ delegates: ["@k0", "@k1"], threshold: 2 }),
  three: make({ delegates: ["@k0", "@k1", "@k2"], threshold: 2 }),
  other: make({ delegates: ["@k1"] }),
  "no project": make({ project: null }),
  "no branch": make({ project: { name: "x", description: "" } }),
  dev: make({ project: { ...PROJECT, defaultBranch: "dev" } }),
  "bad branch": make({ project: { ...PROJECT, defaultBranch: "a..b" } }),
  "empty branch": make({ project: { ...PROJECT, defaultBranch: "" } }),
  "qualified branch": make({ project: { ...PROJECT, defaultBranch: "refs/heads/main" } }),
  "spaced name": make({ project: { ...PROJECT, name: "x y" } }),
  "empty name": make({ project: { ...PROJECT, name: "" } }),
  "dotted name": make({ project: { ...PROJECT, name: "x.y-z_1" } }),
  "slashed name": make({ project: { ...PROJECT, name: "x/y" } }),
  "unicode name": make({ project: { ...PROJECT, name: "é" } }),
  "long name": make({ project: { ...PROJECT, name: "x".repeat(256) } }),
  "long description": make({ project: { ...PROJECT, description: "x".repeat(256) } }),
  "lined description": make({ project: { ...PROJECT, description: "a\nb" } }),
  "more in project": make({ project: { ...PROJECT, more: 1 } }),
  "listed project": make({ project: ["x", "", "main"] }),
  "null project": '{"delegates":["@k0"],"payload":{"xyz.radicle.project":null},"threshold":1}',
  "listed document":
    '[1,{"xyz.radicle.project":{"name":"x","description":"","defaultBranch":"main"}},["@k0"],1]',
  private: make({ visibility: { type: "private" } }),
  "private to some": make({ visibility: { type: "private", allow: ["@k1"] } }),
  "odd visibility": make({ visibility: { type: "secret" } }),
  "null visibility": make({ visibility: null }),
  "version 1": make({ version: 1 }),
  "version 2": make({ version: 2 }),
  "version 0": make({ version: 0 }),
  "version text": make({ version: "1" }),
  "version float": '{"version":1.0,"delegates":["@k0"],"payload":{},"threshold":1}',
  "more members": make({ more: [1.5] }),
  "no payload": '{"delegates":["@k0"],"threshold":1}',
  "odd payload": '{"delegates":["@k0"],"payload":{"no type!":1},"threshold":1}',
  "listed payload": '{"delegates":["@k0"],"payload":[],"threshold":1}',
  "repeated delegate": make({ delegates: ["@k0", "@k0", "@k1"] }),
  "repeated delegate and threshold": make({ delegates: ["@k0", "@k0"], threshold: 2 }),
  "no delegates": make({ delegates: [] }),
  "bad delegate": make({ delegates: ["@k0", "did:key:z6Mk"] }),
  "node as delegate": make({ delegates: ["@n0"] }),
  "single delegate": make({ delegates: "@k0" }),
  "threshold 0": make({ threshold: 0 }),
  "threshold 2 of 1": make({ threshold: 2 }),
  "threshold float": '{"delegates":["@k0"],"payload":{},"threshold":1.0}',
  "threshold text": make({ threshold: "1" }),
  "twice the same member": '{"delegates":["@k0"],"delegates":["@k1"],"payload":{},"threshold":1}',
  "twice the same payload":
    '{"delegates":["@k0"],"payload":{"xyz.radicle.project":1,"xyz.radicle.project":{"name":"x","description":"","defaultBranch":"main"}},"threshold":1}',
  "no json": "{",
  empty: "",

  "rule for dev": ruled({ "refs/heads/dev": { allow: ["@k1"], threshold: 1 } }),
  "rule for all": ruled({ "refs/heads/*": { allow: ["@k1", "@k2"], threshold: 1 } }),
  "rule for delegates": ruled({ "refs/heads/*": RULE }),
  "rule for default": ruled({ "refs/heads/main": RULE }),
  "rule for default by others": ruled({ "refs/heads/main": { allow: ["@k1"], threshold: 1 } }),
  "rules that overlap": ruled({
    "refs/heads/*": { allow: ["@k1"], threshold: 1 },
    "refs/heads/dev": { allow: ["@k2"], threshold: 1 },
    "refs/heads/d*": { allow: ["@k3"], threshold: 1 },
  }),
  "rules that overlap differently": ruled({
    "refs/heads/d*": { allow: ["@k3"], threshold: 1 },
    "refs/*": { allow: ["@k1"], threshold: 1 },
    "refs/heads/feature/*": { allow: ["@k2"], threshold: 1 },
  }),
  "rule with threshold": ruled({ "refs/heads/dev": { allow: ["@k1", "@k2"], threshold: 2 } }),
  "rule with high threshold": ruled({ "refs/heads/dev": { allow: ["@k1"], threshold: 2 } }),
  "rule with zero threshold": ruled({ "refs/heads/dev": { allow: ["@k1"], threshold: 0 } }),
  "rule without allow": ruled({ "refs/heads/dev": { threshold: 1 } }),
  "rule without threshold": ruled({ "refs/heads/dev": { allow: ["@k1"] } }),
  "rule for nobody": ruled({ "refs/heads/dev": { allow: [], threshold: 1 } }),
  "rule for one text": ruled({ "refs/heads/dev": { allow: "@k1", threshold: 1 } }),
  "rule with repeated": ruled({ "refs/heads/dev": { allow: ["@k1", "@k1"], threshold: 1 } }),
  "rule with repeated threshold": ruled({ "refs/heads/dev": { allow: ["@k1", "@k1"], threshold: 2 } }),
  "rule with more": ruled({ "refs/heads/dev": { allow: ["@k1"], threshold: 1, more: true } }),
  "rule with bad pattern": ruled({ "refs/heads/d**": { allow: ["@k1"], threshold: 1 } }),
  "rule for unqualified": ruled({ dev: { allow: ["@k1"], threshold: 1 } }),
  "rule for rad": ruled({ "refs/rad/*": { allow: ["@k1"], threshold: 1 } }),
  "rule for tags": ruled({ "refs/tags/*": { allow: ["@k1"], threshold: 1 } }),
  "no rules": make({ crefs: {} }),
  "empty rules": ruled({}),
  "listed rules": make({ crefs: [{ "refs/heads/dev": { allow: ["@k1"], threshold: 1 } }] }),
  "null rules": make({ crefs: null }),
  "more in rules": make({
    crefs: { rules: { "refs/heads/dev": { allow: ["@k1"], threshold: 1 } }, more: 1 },
  }),
  head: make({
    project: { ...PROJECT, defaultBranch: "dev" },
    crefs: { rules: { "refs/heads/dev": RULE }, symbolic: { HEAD: "refs/heads/dev" } },
  }),
  "head without project": make({
    project: null,
    crefs: { rules: { "refs/heads/dev": RULE }, symbolic: { HEAD: "refs/heads/dev" } },
  }),
  "head without project, rule by set": make({
    project: null,
    crefs: {
      rules: { "refs/heads/dev": { allow: ["@k0"], threshold: 1 } },
      symbolic: { HEAD: "refs/heads/dev" },
    },
  }),
  "head of others": make({
    crefs: { rules: { "refs/heads/dev": RULE }, symbolic: { HEAD: "refs/heads/dev" } },
  }),
  "head without rule": make({ project: null, crefs: { rules: {}, symbolic: { HEAD: "refs/heads/dev" } } }),
  "head by way": make({
    project: null,
    crefs: { rules: { "refs/heads/dev": RULE }, symbolic: { HEAD: "DEV", DEV: "refs/heads/dev" } },
  }),
  "head in circles": make({
    project: null,
    crefs: { rules: { "refs/heads/dev": RULE }, symbolic: { HEAD: "DEV", DEV: "HEAD" } },
  }),
  "head by pattern": make({
    project: null,
    crefs: { rules: { "refs/heads/*": RULE }, symbolic: { HEAD: "refs/heads/dev" } },
  }),
  "head by threshold": make({
    delegates: ["@k0", "@k1"],
    threshold: 2,
    project: null,
    crefs: { rules: { "refs/heads/dev": RULE }, symbolic: { HEAD: "refs/heads/dev" } },
  }),
  "head and bad project": make({
    project: { ...PROJECT, name: "x y", defaultBranch: "dev" },
    crefs: { rules: { "refs/heads/dev": RULE }, symbolic: { HEAD: "refs/heads/dev" } },
  }),
  "symbolic beside": make({
    crefs: {
      rules: { "refs/heads/dev": { allow: ["@k1"], threshold: 1 } },
      symbolic: { LATEST: "refs/heads/dev" },
    },
  }),
  "symbolic dangling": make({ crefs: { rules: {}, symbolic: { LATEST: "refs/heads/dev" } } }),
  "symbolic clash": make({
    crefs: { rules: { "refs/heads/*": RULE }, symbolic: { "refs/heads/latest": "refs/heads/dev" } },
  }),
  "no project but rules": ruled({ "refs/heads/dev": { allow: ["@k1"], threshold: 1 } }, { project: null }),
  "bad project but rules": ruled(
    { "refs/heads/dev": { allow: ["@k1"], threshold: 1 } },
    { project: { ...PROJECT, name: "x y" } },
  ),
};
