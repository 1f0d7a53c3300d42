import type { Job, Result } from "../ports/workers.ts";
import { type DiffTools, makeDiff, makePart } from "./render/diff.ts";
import { makeFiles } from "./render/files.ts";

/**
 * Computes the result of a job, in a worker or in the thread that responds to requests.
 *
 * @throws {OverBudgetError} when trees or files are too large for the budget.
 * @throws {TooLargeError} when there are too many files.
 * @throws {DamagedError} when a tree or a blob is missing or damaged.
 * @throws {Libgit2Error} when libgit2 fails.
 */
export async function makeJob<J extends Job>(tools: Omit<DiffTools, "form">, job: J): Promise<Result<J>> {
  // The compiler does not know which kind of result belongs to which kind of job.
  return await make(tools, job) as Result<J>;
}

async function make(tools: Omit<DiffTools, "form">, job: Job): Promise<Result<Job>> {
  switch (job.kind) {
    case "diff":
      return await makeDiff({ ...tools, form: job.form }, job.oldTree, job.newTree);
    case "part":
      return await makePart({ ...tools, form: job.form }, job.batch);
    case "files":
      return await makeFiles(tools.repository, job.oids, tools.budget);
  }
}
