/** The node and its profile, from the published description: what a replica tells besides repositories. */
import type * as v from "valibot";
import type { LruMap } from "../../cache/lru_map.ts";
import type { Memory } from "../../cache/memory.ts";
import { ApiError } from "../../errors.ts";
import type { NodeId } from "../../ids/nid.ts";
import { formatRid, type RepoId } from "../../ids/rid.ts";
import type { Profile } from "../../ports/profile.ts";
import type { RadicleNode } from "../../ports/radicle_node.ts";
import type { UnpackBlock } from "../format/block.ts";
import {
  decodeNodeSnapshotPage,
  type FactRows,
  type FactTable,
  type NodeSnapshotPage,
  nodeSnapshotPageOf,
} from "../format/node_snapshot.ts";
import { NODE_KEY, nodeSnapshotKey } from "../format/keys.ts";
import { decodeNode, FACT_VALUES, MAX_NODE_BYTES, type NodeDescription } from "../format/node_description.ts";
import { FreshDocument } from "../storage/fresh_document.ts";
import { type BucketReads, GoneError, unavailable } from "../storage/reads.ts";
import type { Freshness } from "../storage/storage.ts";

/**
 * The description is asked for again less often than manifests: by this factor. But lists of repositories are
 * as fresh as manifests.
 */
export const NODE_FRESH_FACTOR = 5;
/** Time between two reads of a description that could not be read yet, in milliseconds. */
export const NODE_RETRY_MS = 1_000;
/** Bytes of a row of facts in memory, approximately, besides its JSON. */
const ROW_BYTES = 200;

/** Placeholder id of a pinned repository that is not published. No identity document has this id. */
const UNPUBLISHED_RID = formatRid(new Uint8Array(20));

/** Parts of a published node. */
export interface PublishedNodeDependencies {
  readonly reads: BucketReads;
  readonly unpack: UnpackBlock;
  /** As for manifests, in milliseconds. */
  readonly freshMs: number;
  readonly now: () => number;
  readonly memory: Memory;
}

/** A node that can only be asked, and its profile without configuration. */
export interface PublishedNode {
  /** Whether the description has been read; everything but {@link read} needs it. */
  readonly isKnown: boolean;
  readonly node: RadicleNode;
  readonly profile: Profile;
  /** How old the description is. */
  readonly freshness: Freshness | undefined;
  /**
   * Reads the description unless it is known, at most once in {@link NODE_RETRY_MS} for all callers.
   *
   * @returns whether it is known. Never rejects; the log says what is missing.
   */
  read(): boolean | Promise<boolean>;
  /**
   * Whether the bucket has the description now; it is asked again as often as for a manifest. Never rejects,
   * and waits no longer than requests do.
   */
  isReadable(): Promise<boolean>;
}

type Facts = ReadonlyMap<string, unknown>;

/** The node of a bucket; nothing is read yet. */
export function createPublishedNode(dependencies: PublishedNodeDependencies): PublishedNode {
  const { reads, freshMs, now, memory } = dependencies;
  const document = new FreshDocument<NodeDescription>({
    key: NODE_KEY,
    limitBytes: MAX_NODE_BYTES,
    decode: decodeNode,
    reads,
    freshMs: NODE_FRESH_FACTOR * freshMs,
    now,
  });
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
        reads.log("warn", "There is nothing in the bucket that xylem publish has put there");
      }
    } catch {
      // The log has the reason.
    }
    if (last !== undefined && failedMs > -Infinity) {
      reads.log("info", `The description of the node ${last.nodeId} can be read now`);
    }
    if (last === undefined) failedMs = now();
    return last !== undefined;
  };
  const facts = new FactReader(dependencies, memory);
  const refuse = () => Promise.reject(new ApiError("unavailable", "This replica has no node"));
  const node: RadicleNode = {
    async status() {
      const { state } = await described().catch(known);
      return state === "running" ? { state, config: undefined } : { state };
    },
    // The publisher tells of no others.
    namesOnlyPublic: true,
    policies: async () => (await described(freshMs)).policies,
    seed: refuse,
    unseed: refuse,
    fetch: () => Promise.resolve({ status: "failed", reason: "node is not running" }),
    async agent(nid) {
      const { nodeId, agent } = await described();
      return nid === nodeId ? agent ?? undefined : undefined;
    },
    aliases: async (nodes) =>
      await facts.pick<NodeId, string>((await described()).aliases, FACT_VALUES.aliases, nodes),
    async inventory(nid) {
      const { inventories } = await described(freshMs);
      return (await facts.pick<NodeId, readonly RepoId[]>(inventories, FACT_VALUES.inventories, [nid])).get(
        nid,
      ) ??
        [];
    },
    seedCounts: async (rids) =>
      await facts.pick<RepoId, number>((await described()).seedCounts, FACT_VALUES.seedCounts, rids),
    announce: () => {},
  };
  const profile: Profile = {
    get nodeId() {
      return known().nodeId;
    },
    get alias() {
      return known().alias ?? undefined;
    },
    async pinned() {
      const { pinned, otherPinned } = await described();
      return [...pinned, ...Array<RepoId>(otherPinned).fill(UNPUBLISHED_RID)];
    },
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
      return Math.abs(now() - failedMs) < NODE_RETRY_MS ? false : readFirst();
    },
    async isReadable() {
      await described(freshMs).catch(() => {});
      return document.isConfirmed && document.known?.value !== undefined;
    },
  };
}

/** Looks facts up in tables. */
class FactReader {
  readonly #dependencies: PublishedNodeDependencies;
  /** By SHA-256 of the page. */
  readonly #pages: LruMap<string, Facts>;
  /** Tables that are a part of the description. */
  readonly #inline = new WeakMap<FactTable<unknown>, Facts>();

  constructor(dependencies: PublishedNodeDependencies, memory: Memory) {
    this.#dependencies = dependencies;
    this.#pages = memory.map("nodeSnapshots", (facts) => ROW_BYTES * facts.size);
  }

  /** The facts of some keys; keys without one are missing. */
  async pick<K extends string, T>(
    table: FactTable<T>,
    value: v.GenericSchema<T>,
    keys: readonly K[],
  ): Promise<ReadonlyMap<K, T>> {
    const picked = new Map<K, T>();
    for (const key of keys) {
      const facts = "rows" in table
        ? this.#rowsOf(table, table.rows)
        : await this.#page(table.pages, value, key);
      const fact = facts?.get(key);
      if (fact !== undefined) picked.set(key, fact as T);
    }
    return picked;
  }

  #rowsOf(table: FactTable<unknown>, rows: FactRows<unknown>): Facts {
    let facts = this.#inline.get(table);
    if (facts === undefined) this.#inline.set(table, facts = new Map(rows));
    return facts;
  }

  async #page<T>(
    pages: readonly NodeSnapshotPage[],
    value: v.GenericSchema<T>,
    key: string,
  ): Promise<Facts | undefined> {
    const page = nodeSnapshotPageOf(pages, key);
    if (page === undefined) return undefined;
    const cached = this.#pages.get(page.sha256);
    if (cached !== undefined) return cached;
    const { reads, unpack } = this.#dependencies;
    try {
      const facts = await reads.part(
        nodeSnapshotKey(page.sha256),
        { start: 0, end: page.bytes },
        (packed) => new Map(decodeNodeSnapshotPage(page, packed, value, unpack)),
      );
      this.#pages.set(page.sha256, facts);
      return facts;
    } catch (error) {
      // The next description names the page that has taken its place.
      throw error instanceof GoneError ? unavailable() : error;
    }
  }
}
