/**
 * Queries about aliases and seeds in `node.db` and `policies.db`. All generations of Radicle have the tables
 * and columns of these queries.
 */
import { type RepoId, sortRids, tryParseRid } from "../ids/rid.ts";
import { type NodeId, tryParseNid } from "../ids/nid.ts";
import type { Row } from "../ports/node_database.ts";
import { isAlias, MAX_ALIAS_BYTES } from "../profile/config.ts";
import type { BusyRetryDatabase } from "./busy_retry_database.ts";

/** Maximum number of repositories listed for one node. */
export const MAX_INVENTORY = 100_000;
/** Maximum number of known nodes whose data is published. */
export const MAX_KNOWN_NODES = 20_000;
/** Maximum number of ids in one query. */
export const IDS_PER_QUERY = 500;

/** Maximum length of a user agent that is shown, in characters. */
export const MAX_AGENT_LENGTH = 64;

/**
 * SQL for an alias. Reads one character more than the maximum length, so that a longer alias is recognized as
 * too long.
 */
const ALIASES = `substr(alias, 1, ${MAX_ALIAS_BYTES + 1}) as alias`;
const FOLLOWED = `select id, ${ALIASES} from following where id in`;
const ANNOUNCED = `select id, ${ALIASES} from nodes where id in`;

/**
 * Reads the aliases of nodes. The name that the owner has given to a followed or blocked node comes before
 * the alias that the node has announced. Invalid aliases are left out.
 */
export async function readAliases(
  policies: BusyRetryDatabase,
  node: BusyRetryDatabase,
  ids: readonly NodeId[],
): Promise<ReadonlyMap<NodeId, string>> {
  const given = await readByIds(policies, FOLLOWED, ids);
  const aliases = new Map<NodeId, string>();
  addAliases(aliases, given);
  addAliases(aliases, await readByIds(node, ANNOUNCED, ids.filter((id) => !aliases.has(id))));
  return aliases;
}

/** Lists the repositories that a node offers, sorted by id. */
export async function readInventory(database: BusyRetryDatabase, node: NodeId): Promise<readonly RepoId[]> {
  const sql = "select repo from routing where node = ? limit ?";
  const rows = await database.read({ sql, values: [node, MAX_INVENTORY] });
  const rids = rows.map(({ repo }) => tryParseRid(String(repo))).filter((rid) => rid !== undefined);
  return sortRids(rids);
}

/** Lists the nodes that occur in at least one of the databases, at most {@link MAX_KNOWN_NODES}. */
export async function readKnownNodes(
  policies: BusyRetryDatabase,
  node: BusyRetryDatabase,
): Promise<readonly NodeId[]> {
  const values = [MAX_KNOWN_NODES];
  const lists = [
    await policies.readIfPossible({ sql: "select id from following limit ?", values }),
    await node.readIfPossible({ sql: "select id from nodes limit ?", values }),
    await node.readIfPossible({ sql: "select distinct node as id from routing limit ?", values }),
  ];
  const known = lists.flat().map(({ id }) => tryParseNid(String(id))).filter((nid) => nid !== undefined);
  return [...new Set(known)].sort().slice(0, MAX_KNOWN_NODES);
}

/**
 * Returns the user agent of a node; `undefined` when the user agent is unknown, or when the database has no
 * user agents.
 */
export async function readAgent(database: BusyRetryDatabase, node: NodeId): Promise<string | undefined> {
  // Databases of 2024 have no column `agent`. In such a database, the name `agent` refers to the column of
  // the outer query.
  const sql =
    "select (select substr(agent, 1, ?) from nodes where id = ?) as agent from (select null as agent)";
  const [row] = await database.readIfPossible({ sql, values: [MAX_AGENT_LENGTH, node] });
  return typeof row?.["agent"] === "string" ? row["agent"] : undefined;
}

/** Counts for each repository the nodes that offer it. */
export async function countSeeds(
  database: BusyRetryDatabase,
  rids: readonly RepoId[],
): Promise<ReadonlyMap<RepoId, number>> {
  const rows = await readByIds(
    database,
    "select repo, count(*) as seeds from routing where repo in",
    rids,
    "group by repo",
  );
  return new Map(rows.map(({ repo, seeds }) => [repo as RepoId, Number(seeds)]));
}

async function readByIds(
  database: BusyRetryDatabase,
  select: string,
  ids: readonly string[],
  rest = "",
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const distinct = [...new Set(ids)].sort();
  for (let at = 0; at < distinct.length; at += IDS_PER_QUERY) {
    const values = distinct.slice(at, at + IDS_PER_QUERY);
    const places = values.map(() => "?").join(", ");
    rows.push(...await database.readIfPossible({ sql: `${select} (${places}) ${rest}`, values }));
  }
  return rows;
}

function addAliases(aliases: Map<NodeId, string>, rows: readonly Row[]): void {
  for (const { id, alias } of rows) {
    if (typeof alias === "string" && isAlias(alias)) aliases.set(id as NodeId, alias);
  }
}
