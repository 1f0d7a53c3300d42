/**
 * Seeding policies in `policies.db` (specification, 2.16). The tables are the same in all generations of
 * Radicle.
 */
import { type RepoId, tryParseRid } from "../ids/rid.ts";
import type { Row, Statement } from "../ports/node_database.ts";
import type { Scope, SeedingPolicy } from "../ports/radicle_node.ts";

/**
 * Scope of a request without a scope, as in `radicle-httpd`. The node may have another scope as its default.
 */
export const DEFAULT_SCOPE: Scope = "followed";

/**
 * Returns the policy for repositories without a separate policy, from the completed configuration of the node
 * (`completeConfig`). Choice: A host without a configuration seeds all repositories that it stores.
 */
export function defaultPolicy(
  config: Readonly<Record<string, unknown>> | undefined,
): Pick<SeedingPolicy, "policy" | "scope"> {
  if (config === undefined) return { policy: "allow", scope: "all" };
  const { policy, scope } = (config["node"] ?? {}) as Readonly<Record<string, unknown>>;
  return {
    policy: policy === "allow" ? "allow" : "block",
    scope: scope === "all" ? "all" : DEFAULT_SCOPE,
  };
}

/** Maximum number of policies that can be listed. */
export const MAX_POLICIES = 100_000;

/** Statements that create the tables if necessary, as `rad` does before it changes a policy. */
const TABLES: readonly Statement[] = [
  {
    sql: `create table if not exists "following" (
      "id" text primary key not null, "alias" text default '', "policy" text default 'allow') strict`,
  },
  {
    sql: `create table if not exists "seeding" (
      "id" text primary key not null, "scope" text default 'followed', "policy" text default 'allow') strict`,
  },
];

/** Lists all policies of repositories in the order of their creation. */
export const LIST_POLICIES: Statement = {
  sql: "select id, scope, policy from seeding order by rowid limit ?",
  values: [MAX_POLICIES],
};

/**
 * Returns the statements that seed a repository as `rad` does. If the repository has a policy, only its scope
 * changes, so that a blocked repository stays blocked.
 */
export function seedStatements(rid: RepoId, scope: Scope): readonly Statement[] {
  const sql =
    "insert into seeding (id, scope) values (?, ?) on conflict (id) do update set scope = excluded.scope";
  return [...TABLES, { sql, values: [rid, scope] }];
}

export function unseedStatements(rid: RepoId): readonly Statement[] {
  return [...TABLES, { sql: "delete from seeding where id = ?", values: [rid] }];
}

/** Parses a row of policies; `undefined` for a row that Radicle programs would not have written. */
export function toPolicy({ id, scope, policy }: Row): SeedingPolicy | undefined {
  const rid = typeof id === "string" ? tryParseRid(id) : undefined;
  if (rid === undefined || (scope !== "followed" && scope !== "all")) return undefined;
  return policy === "allow" || policy === "block" ? { rid, scope, policy } : undefined;
}
