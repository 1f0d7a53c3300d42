/** Makes the databases of a new home, with the tables of the newest Radicle programs. */
import { DatabaseSync } from "node:sqlite";
import type { NodeId } from "../../../src/ids/nid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { SqlValue, Statement } from "../../../src/ports/node_database.ts";
import { seedStatements } from "../../../src/seeding/policy.ts";
import { TABLES } from "./carried/story.ts";

export interface NodeFacts {
  readonly nodeId: NodeId;
  readonly alias: string;
  readonly seeded: readonly RepoId[];
  /** Repositories that the node announces to other nodes. */
  readonly announced: readonly RepoId[];
  /** Aliases of the nodes that this node follows. */
  readonly followed: ReadonlyMap<NodeId, string>;
  /** Time of the rows, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
}

/** Makes `cobs/cache.db` with empty tables. The API adds rows when it changes issues and patches. */
export function makeCobDatabase(home: string): void {
  make(`${home}/cobs/cache.db`, "delete", TABLES["cobs"]!);
}

/** Makes `node/node.db` and `node/policies.db`. */
export function makeNodeDatabases(home: string, facts: NodeFacts): void {
  const { nodeId, alias, seeded, announced, followed, timeMs } = facts;
  const row = (sql: string, ...values: SqlValue[]): Statement => ({ sql, values });
  // The newest Radicle programs cannot read a `node.db` without a write-ahead log.
  make(`${home}/node/node.db`, "wal", TABLES["node"]!, [
    row("insert into nodes (id, features, alias, timestamp) values (?, 1, ?, ?)", nodeId, alias, timeMs),
    ...announced.map((rid) =>
      row("insert into routing (repo, node, timestamp) values (?, ?, ?)", rid, nodeId, timeMs)
    ),
  ]);
  make(`${home}/node/policies.db`, "delete", "", [
    ...seeded.flatMap((rid) => seedStatements(rid, "all")),
    ...[...followed].map(([nid, name]) =>
      row(`insert into "following" (id, alias) values (?, ?)`, nid, name)
    ),
  ]);
}

function make(
  path: string,
  journal: "delete" | "wal",
  tables: string,
  rows: readonly Statement[] = [],
): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(`pragma synchronous = off; pragma journal_mode = ${journal}; begin; ${tables}`);
    for (const { sql, values = [] } of rows) database.prepare(sql).all(...values);
    database.exec("commit");
  } finally {
    database.close();
  }
}
