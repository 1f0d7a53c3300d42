/** Merges: nodes' words that a revision is in their branch, and when enough of them agree (3.2). */
import * as v from "valibot";
import type { IdentityDoc } from "../identity/doc.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefname } from "../ids/refname.ts";
import { OidText, Text } from "./fields.ts";
import { Refusal } from "./refusal.ts";

const HEADS = "refs/heads/";

/** A branch by its full name; short ones are completed. */
const Branch = v.pipe(
  Text,
  v.check(isRefname, "Expected a branch name"),
  v.transform((name) => /^refs\/[^/]+\/./.test(name) ? name : HEADS + name),
  v.startsWith(HEADS, "Expected a branch below refs/heads/"),
);

/** Where a patch is to be merged: into the default branch, or into another one. */
export const MergeTarget = v.union([v.literal("delegates"), v.strictObject({ branch: Branch })]);

/** Says that the author merged a revision as a commit. */
export const MergeRevision = v.object({ type: v.literal("merge"), revision: OidText, commit: OidText });

/** The forms of {@link MergeTarget}. */
export type MergeTarget = v.InferOutput<typeof MergeTarget>;
/** The members of {@link MergeRevision}. */
export type MergeRevision = v.InferOutput<typeof MergeRevision>;

/** One node's word that it merged a revision. */
export interface Merge {
  readonly revision: Oid;
  readonly commit: Oid;
  /** Seconds since the epoch. */
  readonly timeSeconds: number;
}

/** A revision, and the commit as which it was merged. */
export type MergedPair = readonly [revision: Oid, commit: Oid];

/**
 * The full name of the branch that a target means.
 *
 * @throws {Refusal} `malformed` when the document names no default branch.
 */
export function targetBranch(target: MergeTarget, doc: IdentityDoc): string {
  const branch = tryTargetBranch(target, doc);
  if (branch === undefined) {
    throw new Refusal("malformed", "An identity document without project names no branch");
  }
  return branch;
}

/** As {@link targetBranch}, with `undefined` in place of the error. */
export function tryTargetBranch(target: MergeTarget, { project }: IdentityDoc): string | undefined {
  if (target !== "delegates") return target.branch;
  return project === undefined ? undefined : HEADS + project.defaultBranch;
}

/** The pairs that at least `threshold` nodes merged, ascending. */
export function findAgreed(merges: ReadonlyMap<NodeId, Merge>, threshold: number): MergedPair[] {
  const votes = new Map<string, number>();
  for (const { revision, commit } of merges.values()) {
    const pair = `${revision} ${commit}`;
    votes.set(pair, (votes.get(pair) ?? 0) + 1);
  }
  return [...votes.keys()].filter((pair) => votes.get(pair)! >= threshold).sort()
    .map((pair) => pair.split(" ") as [Oid, Oid]);
}
