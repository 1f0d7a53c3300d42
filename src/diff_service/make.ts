/** Makes what a job asks for: in a worker, or in the thread that answers requests. */
import { type PackedPlan, unpackPlan } from "../diff/plan.ts";
import type { FilesJob, Job, Made, MadeDiff, Result } from "../ports/workers.ts";
import { type DiffTools, DIVIDED, FIRST_PART, makeDiff, makePart, makePlanned } from "./render/diff.ts";
import { makeFiles } from "./render/files.ts";

/**
 * The result of a job; of a long diff the first part.
 *
 * @throws {TooLargeError} when trees or files are too many or too large.
 * @throws {DamagedError} when a tree or a blob is missing or damaged.
 * @throws {Libgit2Error} when libgit2 fails.
 */
export async function makeJob<J extends Job>(tools: Omit<DiffTools, "form">, job: J): Promise<Result<J>> {
  // Each kind of job has its kind of result.
  return await (job.kind === "files" ? makeFilesOf(tools, job) : makeDiffOf(tools, job)) as Result<J>;
}

function makeFilesOf({ repository, budget }: DiffTools, { oids }: FilesJob): Promise<Made> {
  return makeFiles(repository, oids, budget);
}

async function makeDiffOf(tools: DiffTools, job: Exclude<Job, FilesJob>): Promise<MadeDiff> {
  const { form } = job;
  if (job.kind === "part") return await makePart({ ...tools, form }, job.batch);
  const { oldTree, newTree, plan, isDivided } = job;
  if (plan === undefined) return await makeDiff({ ...tools, form }, oldTree, newTree, FIRST_PART);
  const unpacked = await unpackPlan(tools.repository, plan as PackedPlan, tools.budget);
  return await makePlanned({ ...tools, form }, unpacked, isDivided ? DIVIDED : FIRST_PART);
}
