/** Jobs of a commit. */
import { type Call, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { countField } from "../../http/paging.ts";
import { json } from "../../http/respond.ts";
import { toTodayJob } from "../../views/today/job.ts";
import { commitOf } from "../named_commits.ts";
import { openRepository, readPath } from "../dialect.ts";
import type { TodayRow } from "./requests.ts";

/** Routes of jobs. */
export const jobRoutes: readonly TodayRow[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/jobs/:sha", listJobs],
]);

/** Choice: as on the real service, a commit that is not there has no jobs. */
async function listJobs(call: Call) {
  const { rid, sha } = readPath(call, () => ({ sha: call.commitish("sha") }));
  const repository = await openRepository(call, rid);
  const { objects, graph } = repository;
  const commit = await commitOf(call, sha, () => Promise.resolve(repository));
  const { jobs: finder, node } = call.service;
  const jobs = await finder.ofCommit(objects, graph, commit, call.task);
  const aliases = await node.aliases(jobs.flatMap(({ runs }) => [...runs.keys()]));
  const views = jobs.map((job) => toTodayJob(job, (one) => aliases.get(one)));
  return json(views, { headers: countField(jobs.length) });
}
