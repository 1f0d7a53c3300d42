/** A job as clients of today's service see it. */
import type { Author as AuthorView } from "../../contract/thread.ts";
import type { Job, RunStatus } from "../../cob/job/job.ts";
import type { Oid } from "../../ids/oid.ts";
import { type AliasOf, toAuthorView } from "../author.ts";

/** Wire form of a job. */
export interface TodayJobView {
  readonly jobId: Oid;
  readonly commit: Oid;
  /** By node, in order of the node ids; those of a node in the order in which they were started. */
  readonly runs: readonly {
    readonly runId: string;
    readonly node: AuthorView;
    readonly status: RunStatus;
    /** URL. */
    readonly log: string;
  }[];
}

/** Shows a job. */
export function toTodayJob({ id, commit, runs }: Job, aliasOf: AliasOf): TodayJobView {
  const byNode = [...runs].sort(([a], [b]) => a < b ? -1 : 1);
  return {
    jobId: id,
    commit,
    runs: byNode.flatMap(([node, own]) =>
      [...own.values()].map(({ uuid, status, log }) => ({
        runId: uuid,
        node: toAuthorView(node, aliasOf),
        status,
        log,
      }))
    ),
  };
}
