/** Seeding policies in `policies.db` (2.16); the tables are the same in all generations. */
import { type RepoId, tryParseRid } from "../ids/rid.ts";
import type { Row, Statement } from "../ports/node_database.ts";
import type { Scope, SeedingPolicy } from "../ports/radicle_node.ts";

/** The scope of a request without one: the real service's default, not the node's configured one. */
export const DEFAULT_SCOPE: Scope = "followed";

/**
 * The policy of repositories without one of their own, by the configuration of the node, completed
 * (`complete_config.ts`). Choice: a host without a configuration seeds all that it stores.
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

/** Maximum number of policies that are read; a node with more cannot list them. */
export const MAX_POLICIES = 100_000;

/** The tables, which `rad` creates before it changes a policy. */
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
 * Seeds a repository as `rad` does: of an existing policy only the scope changes, so a blocked repository
 * stays blocked.
 */
export function seedStatements(rid: RepoId, scope: Scope): readonly Statement[] {
  const sql =
    "insert into seeding (id, scope) values (?, ?) on conflict (id) do update set scope = excluded.scope";
  return [...TABLES, { sql, values: [rid, scope] }];
}

/** Removes the policy of a repository. */
export function unseedStatements(rid: RepoId): readonly Statement[] {
  return [...TABLES, { sql: "delete from seeding where id = ?", values: [rid] }];
}

/** Parses a row of policies; `undefined` when the programs would not have written it. */
export function toPolicy({ id, scope, policy }: Row): SeedingPolicy | undefined {
  const rid = typeof id === "string" ? tryParseRid(id) : undefined;
  if (rid === undefined || (scope !== "followed" && scope !== "all")) return undefined;
  return policy === "allow" || policy === "block" ? { rid, scope, policy } : undefined;
}
