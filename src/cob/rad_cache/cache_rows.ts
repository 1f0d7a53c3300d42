/**
 * Rows of issues and patches in `rad`'s cache, written after each change, as the programs that read them
 * would make them.
 */
import type { CommitGraph } from "../../git/commit_graph.ts";
import type { HomeGeneration } from "../../identity/generation.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { CachedType, CobCache, RowForm } from "../../ports/cob_cache.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Repository } from "../../ports/storage.ts";
import { toIssueRow, toPatchRow } from "./cache_row.ts";
import { type MakeRow, MAX_ROW_LENGTH, RowWriter, TOO_LARGE_ROW } from "./cache_row_writer.ts";
import type { Evaluation } from "../evaluation/evaluation.ts";
import { ISSUE_TYPE } from "../issue/issue.ts";
import { RULES } from "../rules.ts";
import type { Cobs } from "../evaluation/store.ts";
import type { Task } from "../../scheduling/task.ts";

/** Generation of the programs that read rows of a form. */
const READERS: Readonly<Record<RowForm, HomeGeneration>> = {
  "0.10": "0.10",
  "1.0": "0.10",
  "1.1": "1.1",
  newest: "newest",
};

/** Parts that rows are made from. */
export interface RowSources {
  /** `rad`'s cache; `undefined` for a host without it. */
  readonly cache: CobCache | undefined;
  /** Stores of objects. The rules of a row are the rules of the programs that read it. */
  readonly cobs: Cobs;
  readonly log: Environment["log"];
  /** The commit graph of a repository. */
  commitGraph(rid: RepoId): CommitGraph;
}

/** The rows of `rad`'s cache. */
export class CacheRows {
  readonly #sources: RowSources;
  readonly #writer: RowWriter | undefined;

  constructor(sources: RowSources) {
    this.#sources = sources;
    const { cache, log } = sources;
    this.#writer = cache && new RowWriter({ cache, log });
  }

  /**
   * Updates the row of an object; to be called after its references have changed. Never rejects, as the
   * change itself has succeeded. Resolves at once without a cache, and after some seconds (`LOCK_WAIT_MS`) at
   * the latest when the cache is locked.
   */
  async update(repository: Repository, type: CachedType, id: Oid): Promise<void> {
    const { rid } = repository;
    await this.#writer?.update(
      { rid, type, id },
      (form, task) => this.#makeRow(repository, type, id, form, task),
    );
  }

  /** Waits for no lock of another program any more; resolves when nothing is being written. */
  async close(): Promise<void> {
    await this.#writer?.close();
  }

  async #makeRow(
    repository: Repository,
    type: CachedType,
    id: Oid,
    form: RowForm,
    task: Task,
  ): ReturnType<MakeRow> {
    const graph = this.#sources.commitGraph(repository.rid);
    const { issues, patches } = this.#sources.cobs;
    const rules = RULES[READERS[form]];
    if (type === ISSUE_TYPE) {
      const issue = await issues.under(rules).get(repository, graph, id, task);
      if (issue !== undefined && isTooLarge(issue)) return TOO_LARGE_ROW;
      return issue && JSON.stringify(toIssueRow(issue.state));
    }
    const patch = await patches.under(rules).get(repository, graph, id, task);
    // Programs before the newest have no target but the default branch.
    if (patch === undefined || form !== "newest" && patch.state.target !== "delegates") return undefined;
    if (isTooLarge(patch)) return TOO_LARGE_ROW;
    return JSON.stringify(toPatchRow(patch.state, form));
  }
}

/** Whether an object exceeds its text budget, or its texts exceed the largest row. */
function isTooLarge({ texts }: Pick<Evaluation<unknown>, "texts">): boolean {
  return texts.limitBytes !== Infinity || texts.bytes > MAX_ROW_LENGTH;
}
