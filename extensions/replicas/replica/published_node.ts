/**
 * The node and its profile, from the published description. Everything that a replica shows comes from this
 * description, except for repositories.
 */
import { type Memory, type Profile, type RadicleNode, UnavailableError } from "../../../src/mod.ts";
import { type Fact, type FactTable, valueOf } from "../format/node_snapshot.ts";
import { FACTS, NODE, type NodeDescription } from "../format/node_description.ts";
import { type PagedTable, pageOf } from "../format/paged_table.ts";
import { FreshDocument } from "../storage/fresh_document.ts";
import { type ReadPage, readRows } from "../storage/page_reader.ts";
import { type BucketReads, GoneError, unavailable } from "../storage/reads.ts";
import type { Freshness } from "../storage/storage.ts";

/**
 * The description is read again after this multiple of the time after which a manifest is read again. But for
 * policies and inventories, the description is read again as often as a manifest, so that lists of
 * repositories are as fresh as manifests.
 */
const NODE_FRESH_FACTOR = 5;
/** Minimum time between two reads of a description that could not be read yet, in milliseconds. */
const NODE_RETRY_MS = 1_000;

/** A read-only node, and its profile. The configuration has only public parts. */
export interface PublishedNode {
  /**
   * Whether the description has been read. The other members, except for {@link read}, need the description.
   */
  readonly isKnown: boolean;
  readonly node: RadicleNode;
  readonly profile: Profile;
  /** Times of the description: when it was published and confirmed. */
  readonly freshness: Freshness | undefined;
  /**
   * Reads the description if it is unknown, at most once in {@link NODE_RETRY_MS} for all callers.
   *
   * @returns Whether the description is known. The promise never rejects; the log has the reason of a
   *   failure.
   */
  read(): boolean | Promise<boolean>;
  /**
   * Checks whether the bucket has the description now. For this check, the description is read again as often
   * as a manifest. The promise never rejects, and the check waits no longer than a request does.
   */
  isReadable(): Promise<boolean>;
}

/** Creates the node of a bucket. It reads nothing yet. */
export function createPublishedNode(reads: BucketReads, memory: Memory): PublishedNode {
  const { freshMs, wallMs } = reads;
  const document = new FreshDocument(NODE, reads, NODE_FRESH_FACTOR * freshMs);
  let last: NodeDescription | undefined;
  let failedMs = -Infinity;
  const known = () => {
    if (last === undefined) throw unavailable();
    return last;
  };
  const described = async (askedFreshMs?: number) => {
    const described = await document.get(askedFreshMs);
    if (described !== undefined) last = described;
    return known();
  };
  const readFirst = async () => {
    try {
      last = await document.get(0);
      if (last === undefined) {
        reads.log("warn", "The bucket has no publication: run xylem publish first");
      }
    } catch {
      // The log already has the reason.
    }
    if (last !== undefined && failedMs > -Infinity) {
      reads.log("info", `The description of the node ${last.nodeId} can be read now`);
    }
    if (last === undefined) failedMs = wallMs();
    return last !== undefined;
  };
  const pages = memory.map<string, ReadPage>("bucketContents", ({ weight }) => weight);
  /** Returns the facts of some keys. Keys without a fact are left out. */
  const pick = async <K extends string, T>(
    kind: PagedTable<Fact<T>>,
    table: FactTable<T>,
    keys: readonly K[],
  ): Promise<ReadonlyMap<K, T>> => {
    const picked = new Map<K, T>();
    for (const key of keys) {
      const page = "rows" in table ? undefined : pageOf(table.pages, key);
      // If the page no longer exists, the next description names its replacement.
      const rows = page === undefined
        ? "rows" in table ? table.rows : []
        : await readRows(reads, pages, kind, page).catch((error) => {
          throw error instanceof GoneError ? unavailable() : error;
        });
      const value = valueOf(rows, key);
      if (value !== undefined) picked.set(key, value);
    }
    return picked;
  };
  const refuse = () => Promise.reject(new UnavailableError("This replica has no node"));
  const node: RadicleNode = {
    async status() {
      const { state } = await described().catch(known);
      return state === "running" ? { state, config: undefined } : { state };
    },
    // The publisher leaves out all private repositories.
    namesOnlyPublic: true,
    policies: async () => (await described(freshMs)).policies,
    seed: refuse,
    unseed: refuse,
    fetch: () => Promise.resolve({ status: "failed", reason: "node is not running" }),
    async agent(nid) {
      const { nodeId, agent } = await described();
      return nid === nodeId ? agent ?? undefined : undefined;
    },
    aliases: async (nodes) => await pick(FACTS.aliases, (await described()).aliases, nodes),
    async inventory(nid) {
      const { inventories } = await described(freshMs);
      return (await pick(FACTS.inventories, inventories, [nid])).get(nid) ?? [];
    },
    seedCounts: async (rids) => await pick(FACTS.seedCounts, (await described()).seedCounts, rids),
    announce: () => {},
  };
  const profile: Profile = {
    get nodeId() {
      return known().nodeId;
    },
    get alias() {
      return known().alias ?? undefined;
    },
    pinned: async () => (await described()).pinned,
    get config() {
      return known().config === null ? undefined : async () => ({ ...(await described()).config });
    },
  };
  return {
    get isKnown() {
      return last !== undefined;
    },
    node,
    profile,
    get freshness() {
      const { value, confirmedAtMs = 0 } = document.known ?? {};
      return value && { publishedAtMs: value.publishedAtMs, confirmedAtMs };
    },
    read() {
      if (last !== undefined) return true;
      return Math.abs(wallMs() - failedMs) < NODE_RETRY_MS ? false : readFirst();
    },
    async isReadable() {
      await described(freshMs).catch(() => {});
      return document.isConfirmed && document.known?.value !== undefined;
    },
  };
}
