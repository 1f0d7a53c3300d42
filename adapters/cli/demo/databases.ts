/**
 * The databases of the demo home, as `rad auth` of the newest programs makes them; those of 0.10 read them,
 * too.
 */
import { DatabaseSync } from "node:sqlite";
import type { NodeId } from "../../../src/ids/nid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { SqlValue, Statement } from "../../../src/ports/node_database.ts";
import { seedStatements } from "../../../src/seeding/policy.ts";

/** Facts that the node of the home knows. */
export interface NodeFacts {
  readonly nodeId: NodeId;
  readonly alias: string;
  /** All repositories, and which of them others may know of. */
  readonly seeded: readonly RepoId[];
  readonly announced: readonly RepoId[];
  /** Other nodes and what they are called. */
  readonly followed: ReadonlyMap<NodeId, string>;
  /** Time of that knowledge, milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Issues and patches as `rad` lists them, one row each; still without rows. */
const COBS: readonly string[] = [
  `create table "issues" ("id" text primary key not null, "repo" text not null, "issue" text not null) strict`,
  `create table "patches" ("id" text primary key not null, "repo" text not null, "patch" text not null) strict`,
  `create index "ix_issues_repo_id" on "issues" ("repo", "id")`,
  `create index "ix_patches_repo_id" on "patches" ("repo", "id")`,
  "pragma user_version = 3",
];

const NODE: readonly string[] = [
  `create table "nodes" ("id" text primary key not null, "features" integer not null, "alias" text not null,
    "pow" integer default 0, "timestamp" integer not null, "banned" integer default false,
    "penalty" integer not null default 0, "version" integer not null default 1,
    "agent" text not null default '/radicle/') strict`,
  `create table "addresses" ("node" text not null references "nodes" ("id") on delete cascade, "type" text not null,
    "value" text not null, "source" text not null, "timestamp" integer not null, "last_attempt" integer default null,
    "last_success" integer default null, "banned" integer default false, unique ("node", "type", "value")) strict`,
  `create table "routing" ("repo" text not null, "node" text not null references "nodes" ("id") on delete cascade,
    "timestamp" integer not null, primary key ("repo", "node"))`,
  `create table "announcements" ("node" text not null, "repo" text not null, "type" text not null,
    "message" blob not null, "signature" blob not null, "timestamp" integer not null, "relay" integer default -1,
    unique ("node", "repo", "type")) strict`,
  `create table "repo-sync-status" ("repo" text not null, "node" text not null references "nodes" ("id") on delete cascade,
    "head" text not null, "timestamp" integer not null, unique ("repo", "node")) strict`,
  `create table "refs" ("repo" text not null, "namespace" text not null, "ref" text not null, "oid" text not null,
    "timestamp" integer not null, unique ("repo", "namespace", "ref")) strict`,
  `create table "ips" ("ip" text primary key not null, "node" text references "nodes" ("id") on delete cascade,
    "last_attempt" integer not null, "banned" integer default false) strict`,
  "pragma user_version = 9",
];

/** Makes `cobs/cache.db`; its rows come with the issues and patches. */
export function makeCobDatabase(home: string): void {
  make(`${home}/cobs/cache.db`, "delete", COBS.map((sql) => ({ sql })));
}

/** Makes `node/node.db` and `node/policies.db`. */
export function makeNodeDatabases(home: string, facts: NodeFacts): void {
  const { nodeId, alias, seeded, announced, followed, timeMs } = facts;
  const row = (sql: string, ...values: SqlValue[]): Statement => ({ sql, values });
  // The newest programs read no node.db without a write-ahead log.
  make(`${home}/node/node.db`, "wal", [
    ...NODE.map((sql) => ({ sql })),
    row("insert into nodes (id, features, alias, timestamp) values (?, 1, ?, ?)", nodeId, alias, timeMs),
    ...announced.map((rid) =>
      row("insert into routing (repo, node, timestamp) values (?, ?, ?)", rid, nodeId, timeMs)
    ),
  ]);
  make(`${home}/node/policies.db`, "delete", [
    ...seeded.flatMap((rid) => seedStatements(rid, "all")),
    ...[...followed].map(([nid, name]) =>
      row(`insert into "following" (id, alias) values (?, ?)`, nid, name)
    ),
  ]);
}

/** Makes a database with a journal of that kind. */
function make(path: string, journal: "delete" | "wal", statements: readonly Statement[]): void {
  const database = new DatabaseSync(path);
  try {
    for (const pragma of ["synchronous = off", `journal_mode = ${journal}`]) {
      database.prepare(`pragma ${pragma}`).all();
    }
    database.exec("begin");
    for (const { sql, values = [] } of statements) database.prepare(sql).all(...values);
    database.exec("commit");
  } finally {
    database.close();
  }
}
