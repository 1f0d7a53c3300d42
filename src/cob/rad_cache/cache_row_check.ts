/** Finds outdated rows of `rad`'s cache of issues and patches, and writes them again. */
import { leastMemoryBytes, Memory } from "../../cache/memory.ts";
import { CommitGraph } from "../../git/commit_graph.ts";
import { resolveRefs } from "../../git/references.ts";
import type { NodeId } from "../../ids/nid.ts";
import { isOid, type Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import { type CachedType, type CobCache, CobCacheError } from "../../ports/cob_cache.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Repository, Storage } from "../../ports/storage.ts";
import { Task } from "../../scheduling/task.ts";
import { LockRetry } from "./cache_row_writer.ts";
import { CacheRows } from "./cache_rows.ts";
import { ISSUE_TYPE } from "../issue/issue.ts";
import { PATCH_TYPE } from "../patch/patch_action.ts";
import { createCobs } from "../evaluation/store.ts";
import { RULES } from "../rules.ts";

/** Maximum number of rows checked in one query. */
export const CHECKED_AT_ONCE = 32;

export interface CheckedHome {
  readonly cache: CobCache;
  readonly storage: Storage;
  /** The node whose changes must be in the cache. */
  readonly nodeId: NodeId;
  readonly log: Environment["log"];
}

/**
 * Checks the rows of all objects (issues and patches) that a node has changed, and updates the rows that do
 * not contain the node's last change. A row becomes outdated when a process ends after it wrote the reference
 * but before it wrote the row, or when the cache is locked for too long.
 *
 * A row that contains the id of the node's last entry is up to date. All other rows are created again and
 * compared. The check ends early when `signal` is aborted. The returned promise is never rejected.
 */
export async function checkCacheRows(home: CheckedHome, signal?: AbortSignal): Promise<void> {
  const { cache, storage, nodeId, log } = home;
  // Each object is read only once, so large caches would not help.
  const memory = new Memory({ totalBytes: leastMemoryBytes() });
  let last: { readonly rid: RepoId; readonly graph: CommitGraph } | undefined;
  const graphs = {
    open(objects: Repository, task: Task) {
      const { rid } = objects;
      if (last?.rid !== rid) last = { rid, graph: new CommitGraph({ memory }) };
      return { objects, graph: last.graph, task };
    },
  };
  const rows = new CacheRows({ cache, cobs: createCobs(RULES.newest, log, memory), log, graphs });
  const task = new Task("background");
  try {
    for (const rid of await storage.repositoryIds()) {
      const repository = await storage.repository(rid);
      if (repository === undefined) continue;
      for (const type of [ISSUE_TYPE, PATCH_TYPE] as const) {
        for (const tips of inGroups(await readTips(repository, type, nodeId, task))) {
          signal?.throwIfAborted();
          const behind = await new LockRetry().withLock(async () => await cache.findBehind(rid, type, tips));
          for (const id of behind) {
            await task.idle();
            await rows.update(repository, type, id);
            await task.yield();
            signal?.throwIfAborted();
          }
          await task.yield();
        }
      }
      signal?.throwIfAborted();
      await task.yield();
    }
  } catch (error) {
    // `CacheRows` has already logged that the version or schema of the database is unknown.
    const isForeign = error instanceof CobCacheError && error.obstacle === "foreign";
    if (isForeign || signal?.aborted) return;
    const reason = error instanceof CobCacheError ? `: ${error.message}` : "";
    log("warn", `Cannot check rad's cache (cobs/cache.db)${reason}`, error);
  }
}

/**
 * Returns the ids of the objects of a type that a node has changed, each with the id of the node's last
 * entry.
 */
async function readTips(
  repository: Repository,
  type: CachedType,
  nodeId: NodeId,
  task: Task,
): Promise<[Oid, Oid][]> {
  const prefix = `refs/namespaces/${nodeId}/refs/cobs/${type}/`;
  return (await resolveRefs(repository, prefix, task)).flatMap(({ name, oid }): [Oid, Oid][] => {
    const id = name.slice(prefix.length);
    return isOid(id) ? [[id, oid]] : [];
  });
}

function* inGroups(tips: readonly [Oid, Oid][]): Generator<ReadonlyMap<Oid, Oid>> {
  for (let first = 0; first < tips.length; first += CHECKED_AT_ONCE) {
    yield new Map(tips.slice(first, first + CHECKED_AT_ONCE));
  }
}
