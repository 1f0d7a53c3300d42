/** Rows of issues and patches in an objects database: made as the programs would that read it, written after each change, checked at the start. */
import type { CommitIndex } from "../git/commit_index.ts";
import { resolveRefs } from "../git/references.ts";
import type { NodeId } from "../ids/nid.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import { type CachedType, type CobCache, CobCacheError, type RowForm } from "../ports/cob_cache.ts";
import type { Environment } from "../ports/environment.ts";
import type { Repository, Storage } from "../ports/storage.ts";
import { toIssueRow, toPatchRow } from "./cache_row.ts";
import { Patience, RowKeeper } from "./cache_row_keeper.ts";
import { ISSUE_TYPE } from "./issue.ts";
import { PATCH_TYPE } from "./patch.ts";
import { RULES, type Rules } from "./rules.ts";
import { type Cobs, issueType, ObjectStore, patchType } from "./store.ts";
import { Turns } from "./turns.ts";
import { createDocsByCommit } from "./world.ts";

/** Rows that are looked at in one go. */
export const CHECKED_AT_ONCE = 32;

/**
 * How programs with rows of a form evaluate. Those of 0.9 to 1.0 check what a first entry does besides opening the object, and let pass what changes
 * nothing; all else is as in February 2024.
 */
const EARLY_RULES: Rules = { ...RULES["2024"], isRootChecked: true, allowsUnchanged: true };

/** What rows are made from. */
export interface RowSources {
  /** `undefined` for a host without an objects database. */
  readonly cache: CobCache | undefined;
  /** Objects as the newest programs evaluate them. */
  readonly newest: Cobs;
  readonly log: Environment["log"];
  /** The commits of a repository. */
  commitIndex(rid: RepoId): CommitIndex;
}

/** The rows of an objects database. */
export class CacheRows {
  readonly #sources: RowSources;
  readonly #keeper: RowKeeper | undefined;
  #early: Cobs | undefined;

  constructor(sources: RowSources) {
    this.#sources = sources;
    const { cache, log } = sources;
    this.#keeper = cache && new RowKeeper({ cache, log });
  }

  /**
   * Brings the row of an object in line with what is stored now; to be called after its references have changed. Never rejects: an object that is
   * written stays written. Resolves at once without a database, and after {@link LOCK_WAIT_MS} at the latest when it is locked.
   */
  async update(repository: Repository, type: CachedType, id: Oid): Promise<void> {
    const { rid } = repository;
    await this.#keeper?.update({ rid, type, id }, (form) => this.#makeRow(repository, type, id, form));
  }

  /**
   * Looks at the rows of all objects that a node has changed itself, and brings those up to date that miss its last change: a process that ends
   * between reference and row, or finds the database locked for too long, leaves such ones. An entry's id can be in a row only if the entry was there
   * when the row was made, so a row that mentions the node's last entry is not behind it. Other rows are made anew and compared: patches mention all
   * entries, issues those of their discussion. Never rejects.
   */
  async check(storage: Storage, nodeId: NodeId, signal?: AbortSignal): Promise<void> {
    if (this.#keeper === undefined) return;
    const turns = new Turns();
    try {
      for (const rid of await storage.repositoryIds()) {
        const repository = await storage.repository(rid);
        if (repository === undefined) continue;
        for (const type of [ISSUE_TYPE, PATCH_TYPE] as const) {
          await this.#checkRepository(repository, type, nodeId, turns, signal);
        }
        await turns.next();
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof CobCacheError && error.obstacle === "foreign") this.#keeper.tellOnce(error);
      else this.#sources.log("warn", "Cannot check the rows for rad", error);
    }
  }

  async #checkRepository(
    repository: Repository,
    type: CachedType,
    nodeId: NodeId,
    turns: Turns,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const prefix = `refs/namespaces/${nodeId}/refs/cobs/${type}/`;
    const tips = (await resolveRefs(repository, prefix)).flatMap(({ name, oid }): [Oid, Oid][] => {
      const id = name.slice(prefix.length);
      return isOid(id) ? [[id, oid]] : [];
    });
    for (let first = 0; first < tips.length; first += CHECKED_AT_ONCE) {
      signal?.throwIfAborted();
      await turns.next();
      const some = new Map(tips.slice(first, first + CHECKED_AT_ONCE));
      const { cache } = this.#sources;
      const behind = await new Patience().withLock(async () =>
        await cache?.findBehind(repository.rid, type, some) ?? []
      );
      for (const id of behind) {
        signal?.throwIfAborted();
        await this.update(repository, type, id);
      }
    }
  }

  async #makeRow(
    repository: Repository,
    type: CachedType,
    id: Oid,
    form: RowForm,
  ): Promise<string | undefined> {
    const index = this.#sources.commitIndex(repository.rid);
    const { issues, patches } = this.#cobs(form);
    if (type === ISSUE_TYPE) {
      const issue = await issues.get(repository, index, id);
      return issue && JSON.stringify(toIssueRow(issue.state));
    }
    const patch = (await patches.get(repository, index, id))?.state;
    // Programs before the newest know the default branch as the only target.
    if (patch === undefined || form !== "newest" && patch.target !== "delegates") return undefined;
    return JSON.stringify(toPatchRow(patch, form));
  }

  /** Objects as programs with rows of that form evaluate them; for 1.1 the newest are near enough. */
  #cobs(form: RowForm): Cobs {
    if (form === "newest" || form === "1.1") return this.#sources.newest;
    const { log } = this.#sources;
    const docs = createDocsByCommit();
    return this.#early ??= {
      issues: new ObjectStore(issueType, EARLY_RULES, docs, log),
      patches: new ObjectStore(patchType, EARLY_RULES, docs, log),
    };
  }
}
