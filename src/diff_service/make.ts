/** Makes what a job asks for: in a worker, or in the thread that answers requests. */
import { type PackedPlan, unpackPlan } from "../diff/plan.ts";
import type { Job, Made, MadeDiff, Result } from "../ports/workers.ts";
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
  return await make(tools, job) as Result<J>;
}

async function make(tools: DiffTools, job: Job): Promise<Made | MadeDiff> {
  const { repository, budget } = tools;
  if (job.kind === "files") return await makeFiles(repository, job.oids, budget);
  const ofForm = { ...tools, form: job.form };
  if (job.kind === "part") return await makePart(ofForm, job.batch);
  const { oldTree, newTree, plan, isDivided } = job;
  if (plan === undefined) return await makeDiff(ofForm, oldTree, newTree, FIRST_PART);
  const unpacked = await unpackPlan(repository, plan as PackedPlan, budget);
  return await makePlanned(ofForm, unpacked, isDivided ? DIVIDED : FIRST_PART);
}
