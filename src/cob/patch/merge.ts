/** Merges: nodes' words that a revision is in their branch, and when enough of them agree (3.2). */
import * as v from "valibot";
import { matchRule } from "../../identity/canonical_refs.ts";
import type { IdentityDoc } from "../../identity/doc.ts";
import { didOfNid } from "../../ids/did.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { isRefname } from "../../ids/refname.ts";
import { OidText, Text } from "../entry/fields.ts";
import type { Op, Permission } from "../op.ts";
import { Refusal } from "../refusal.ts";
import type { Rules } from "../rules.ts";

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
 * @throws {Refusal} `malformed` when the document names no default branch that programs of the generation find.
 */
export function targetBranch(target: MergeTarget, doc: IdentityDoc, rules: Rules): string {
  const branch = tryTargetBranch(target, doc, rules);
  if (branch === undefined) throw new Refusal("malformed", "An identity document names no default branch");
  return branch;
}

/** As {@link targetBranch}, with `undefined` in place of the error. */
export function tryTargetBranch(
  target: MergeTarget,
  { readings }: IdentityDoc,
  { generation }: Rules,
): string | undefined {
  return target === "delegates" ? readings[generation]?.defaultBranch : target.branch;
}

/** Whether somebody who is no delegate may merge into a target: those whom the rule for that branch allows. Before there were rules, nobody. */
export function mergePermission(target: MergeTarget, { author, doc }: Op<unknown>, rules: Rules): Permission {
  const { canonicalRefs } = doc.readings[rules.generation] ?? {};
  const branch = tryTargetBranch(target, doc, rules);
  const rule = canonicalRefs && branch !== undefined ? matchRule(canonicalRefs, branch) : undefined;
  return rule?.allowed.includes(didOfNid(author)) ? "granted" : "denied";
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
