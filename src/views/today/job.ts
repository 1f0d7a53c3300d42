import type { Job as JobView } from "../../contract/today_schemas.ts";
import type { Job } from "../../cob/job/job.ts";
import { type AliasOf, toAuthorView } from "../node.ts";

/**
 * Creates the JSON of a job in the `/repos` dialect. Runs are sorted by node id, and the runs of one node by
 * their start.
 */
export function toTodayJob({ id, commit, runs }: Job, aliasOf: AliasOf): JobView {
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
