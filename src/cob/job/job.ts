/** Jobs: records of the runs of automated programs for a commit, such as continuous integration. */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { decodeStored, readStoredOid } from "../entry/stored_action.ts";
import type { EvaluatedType } from "../evaluation/evaluation.ts";
import { type Op, Refusal } from "../op.ts";
import type { Rules } from "../rules.ts";

/** Type name of jobs in references and manifests. */
export const JOB_TYPE = "xyz.radworks.job";

export type RunStatus = "started" | "failed" | "succeeded";

/** A run of a program on a node. */
export interface Run {
  /** UUID chosen by the node, in lower case with hyphens. */
  readonly uuid: string;
  readonly log: string;
  readonly status: RunStatus;
}

/** A job: the runs of programs for one commit. Applying an action changes it in place. */
export interface Job {
  readonly id: Oid;
  readonly commit: Oid;
  /** Runs by node and UUID. The runs of a node are in the order in which they were started. */
  readonly runs: Map<NodeId, Map<string, Run>>;
}

export type JobAction =
  | { readonly type: "request"; readonly commit: string }
  | { readonly type: "run"; readonly uuid: string; readonly log: string }
  | { readonly type: "finished"; readonly uuid: string; readonly status: RunStatus };

/** An entry, and whether the commit of the job exists. `hasCommit` is false after the first entry. */
export interface JobOp extends Op<JobAction> {
  readonly hasCommit: boolean;
}

/** Schema of a UUID, with or without hyphens. The output has lower case letters and hyphens. */
const Uuid = v.pipe(
  v.string(),
  v.regex(/^(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i),
  v.transform((text) =>
    text.toLowerCase().replaceAll("-", "").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  ),
);
const Url = v.pipe(
  v.string(),
  v.check((text) => URL.canParse(text)),
  v.transform((text) => new URL(text).href),
);

/**
 * Schema of a stored action. Each action is an object with one property, whose name is the type of the
 * action.
 */
const StoredJobAction = v.union([
  v.pipe(
    v.strictObject({ Request: v.object({ oid: v.string() }) }),
    v.transform(({ Request }): JobAction => ({ type: "request", commit: Request.oid })),
  ),
  v.pipe(
    v.strictObject({ Run: v.object({ uuid: Uuid, log: Url }) }),
    v.transform(({ Run }): JobAction => ({ type: "run", ...Run })),
  ),
  v.pipe(
    v.strictObject({ Finished: v.object({ uuid: Uuid, reason: v.picklist(["Failed", "Succeeded"]) }) }),
    v.transform(({ Finished: { uuid, reason } }): JobAction => ({
      type: "finished",
      uuid,
      status: reason === "Failed" ? "failed" : "succeeded",
    })),
  ),
]);

export const jobType: EvaluatedType<JobAction, JobOp, Job> = {
  *decode(value, rules) {
    const action = yield* decodeStored(StoredJobAction, value, rules);
    const isOid = action?.type !== "request" || readStoredOid(action.commit, rules) !== undefined;
    return isOid ? action : undefined;
  },
  async resolve(op, job, { repository }, rules) {
    const [request] = op.actions;
    const commit = job === undefined && request?.type === "request"
      ? toOid(request.commit, rules)
      : undefined;
    const header = commit === undefined ? undefined : await repository.header(commit);
    return { ...op, hasCommit: header?.kind === "commit" };
  },
  open(op, rules) {
    const [request, ...others] = op.actions;
    if (request?.type !== "request") throw new Refusal("invalid", "A job must begin with its commit");
    if (!op.hasCommit) throw new Refusal("missing", `Commit ${request.commit} was not found`);
    const job: Job = { id: op.id, commit: toOid(request.commit, rules), runs: new Map() };
    for (const action of others) applyAction(job, op.author, action);
    return job;
  },
  begin: () => {},
  apply(job, op) {
    for (const action of op.actions) applyAction(job, op.author, action);
  },
  copy: (job) => ({ ...job, runs: new Map([...job.runs].map(([node, own]) => [node, new Map(own)])) }),
  cut: () => {},
};

/**
 * Applies an action. A second request, the start of a run that was already started, and the end of an unknown
 * run have no effect.
 */
function applyAction({ runs }: Job, node: NodeId, action: JobAction): void {
  if (action.type === "request") return;
  const own = runs.get(node);
  const { uuid } = action;
  const known = own?.get(uuid);
  if (action.type === "finished") {
    if (known !== undefined) own?.set(uuid, { ...known, status: action.status });
  } else if (known === undefined) {
    const run: Run = { uuid, log: action.log, status: "started" };
    if (own === undefined) runs.set(node, new Map([[uuid, run]]));
    else own.set(uuid, run);
  }
}

function toOid(text: string, rules: Rules): Oid {
  return readStoredOid(text, rules) as Oid;
}
