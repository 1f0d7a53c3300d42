/** A job as clients of today's service see it. */
import type { Job as JobView } from "../../contract/today_schemas.ts";
import type { Job } from "../../cob/job/job.ts";
import { type AliasOf, toAuthorView } from "../node.ts";

/** Shows a job: runs in order of the node ids, of one node in the order in which they were started. */
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
