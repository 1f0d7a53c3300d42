/** Jobs of a commit, for today's clients. */
import { type Call, commitOf } from "./call.ts";
import { countField } from "../http/paging.ts";
import { json } from "../http/respond.ts";
import { toTodayJob } from "../views/today/job.ts";
import { readPath } from "./dialect.ts";

/** Lists the jobs of a commit. Choice: as on the real service, a commit that is not there has no jobs. */
export async function listJobs(call: Call) {
  const { rid, sha } = readPath(call, () => ({ sha: call.commitish("sha") }));
  const repository = await call.repository(rid);
  const commit = await commitOf(call, sha, () => Promise.resolve(repository));
  const { jobs: finder, node } = call.service;
  const jobs = await finder.ofCommit(repository, commit);
  const aliases = await node.aliases(jobs.flatMap(({ runs }) => [...runs.keys()]));
  const views = jobs.map((job) => toTodayJob(job, (one) => aliases.get(one)));
  return json(views, { headers: countField(jobs.length) });
}
