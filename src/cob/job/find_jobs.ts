/**
 * Finds the jobs of a commit (runs of continuous integration and similar programs). Nothing is cached,
 * because most repositories have no jobs, and few clients request jobs.
 */
import type { Memory } from "../../cache/memory.ts";
import { isUnreadable } from "../../errors.ts";
import type { OpenedRepository } from "../../git/commit_graph.ts";
import { readBatches } from "../../git/objects.ts";
import { resolveRefs } from "../../git/references.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import { EntryReader } from "../entry/entry_reader.ts";
import { EntrySteps } from "../evaluation/evaluation.ts";
import { type DocsByCommit, EvaluationContext } from "../evaluation/evaluation_context.ts";
import { targetsByObject } from "../evaluation/targets.ts";
import { Refusal } from "../op.ts";
import type { Rules } from "../rules.ts";
import { type Job, JOB_TYPE, type JobAction, jobType } from "./job.ts";

/** Maximum number of jobs of a repository that are searched, in ascending order of their ids. */
export const MAX_JOBS = 20_000;
/** Maximum number of jobs of one commit that are evaluated. */
export const MAX_JOBS_OF_COMMIT = 64;
/** Maximum size of the first entry of a job, in bytes. A job with a larger first entry is not found. */
const MAX_FIRST_ENTRY_BYTES = 64 * 1024;

const latin1 = new TextDecoder("latin1");

export interface JobOptions {
  readonly rules: Rules;
  readonly docs: DocsByCommit;
  readonly log: Environment["log"];
  readonly memory: Memory;
}

export class Jobs {
  readonly #options: JobOptions;

  constructor(options: JobOptions) {
    this.#options = options;
  }

  /** Returns the jobs of a commit that have at least one run, in ascending order of their ids. */
  async ofCommit(opened: OpenedRepository, commit: Oid): Promise<readonly Job[]> {
    const { rules, docs, log, memory } = this.#options;
    const { objects: repository, task } = opened;
    const refs = await resolveRefs(repository, `refs/namespaces/*/refs/cobs/${JOB_TYPE}/`, task);
    const objects = await targetsByObject(refs, JOB_TYPE, task);
    const found: Job[] = [];
    const ids = [...objects.keys()].slice(0, MAX_JOBS);
    for (const id of await jobsThatName(repository, ids, commit, task)) {
      const context = new EvaluationContext(opened, docs);
      const reader = new EntryReader<JobAction>((value) => jobType.decode(value, rules), rules, memory);
      try {
        const steps = new EntrySteps({ type: jobType, rules, reader }, context);
        const { state } = await steps.evaluate(id, objects.get(id)!);
        if (state.commit === commit && state.runs.size > 0) found.push(state);
      } catch (error) {
        if (!(isUnreadable(error) || error instanceof Refusal)) throw error;
        log("warn", `Left out ${JOB_TYPE} ${id} of ${repository.rid}: ${error.message}`, error);
      }
    }
    return found;
  }
}

/**
 * Returns the ids of the jobs whose first entry contains the id of a commit. A job has the id of its first
 * entry, so no other entry is read.
 */
async function jobsThatName(
  repository: Repository,
  ids: readonly Oid[],
  commit: Oid,
  task: Task,
): Promise<readonly Oid[]> {
  const named: Oid[] = [];
  for await (const { at, objects } of readBatches(repository, ids, { limitBytes: MAX_FIRST_ENTRY_BYTES })) {
    for (const [i, object] of objects.entries()) {
      await task.yield();
      if (named.length === MAX_JOBS_OF_COMMIT) return named;
      if (object?.kind === "commit" && latin1.decode(object.bytes).includes(commit)) named.push(ids[at + i]!);
    }
  }
  return named;
}
