/**
 * Merges (specification, 3.2). A merge is a node's claim that its branch contains a revision. A revision
 * counts as merged when enough nodes claim the same merge.
 */
import * as v from "valibot";
import { matchRule } from "../../identity/canonical_refs.ts";
import type { IdentityDoc } from "../../identity/doc.ts";
import { didOfNid, type NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { isRefname } from "../../ids/refname.ts";
import { OidText, Text } from "../entry/fields.ts";
import { FullOid, Seconds } from "../entry/state_forms.ts";
import { type Op, type Permission, Refusal } from "../op.ts";
import type { Rules } from "../rules.ts";

const HEADS = "refs/heads/";

/** Schema of a branch name. The output is the full name, which starts with `refs/heads/`. */
const Branch = v.pipe(
  Text,
  v.check(isRefname, "Expected a branch name"),
  v.transform((name) => /^refs\/[^/]+\/./.test(name) ? name : HEADS + name),
  v.startsWith(HEADS, "Expected a branch below refs/heads/"),
);

/**
 * Schema of the branch into which a patch is to be merged: the default branch (`delegates`), or a named
 * branch.
 */
export const MergeTarget = v.union([v.literal("delegates"), v.strictObject({ branch: Branch })]);

/**
 * Schema of the action by which a node claims that it merged a revision. `commit` is the commit of the merge.
 */
export const MergeRevision = v.object({ type: v.literal("merge"), revision: OidText, commit: OidText });

export type MergeTarget = v.InferOutput<typeof MergeTarget>;
export type MergeRevision = v.InferOutput<typeof MergeRevision>;

/** Schema of the last merge of a node. */
export const Merge = v.pipe(
  v.strictObject({ revision: FullOid, commit: FullOid, timeSeconds: Seconds }),
  v.readonly(),
);
/** Schema of a merged revision and the commit of the merge, as a pair. */
export const MergedPair = v.pipe(v.strictTuple([FullOid, FullOid]), v.readonly());

export type Merge = v.InferOutput<typeof Merge>;
export type MergedPair = v.InferOutput<typeof MergedPair>;

/**
 * Returns the full name of the target branch.
 *
 * @throws {Refusal} `malformed` when the Radicle programs of the generation find no default branch in the
 *   document.
 */
export function targetBranch(target: MergeTarget, doc: IdentityDoc, rules: Rules): string {
  const branch = tryTargetBranch(target, doc, rules);
  if (branch === undefined) throw new Refusal("malformed", "An identity document names no default branch");
  return branch;
}

/**
 * Returns the full name of the target branch, or `undefined` when the Radicle programs of the generation find
 * no default branch in the document.
 */
export function tryTargetBranch(
  target: MergeTarget,
  { readings }: IdentityDoc,
  { generation }: Rules,
): string | undefined {
  return target === "delegates" ? readings[generation]?.defaultBranch : target.branch;
}

/**
 * Returns the permission of an author that is not a delegate to merge into a target. The permission is
 * granted if the document has a rule for the target branch, and the rule lists the author.
 */
export function mergePermission(target: MergeTarget, { author, doc }: Op<unknown>, rules: Rules): Permission {
  const { canonicalRefs } = doc.readings[rules.generation] ?? {};
  const branch = tryTargetBranch(target, doc, rules);
  const rule = canonicalRefs && branch !== undefined ? matchRule(canonicalRefs, branch) : undefined;
  return rule?.allowed.includes(didOfNid(author)) ? "granted" : "denied";
}

/** Returns the pairs of revision and commit that at least `threshold` nodes merged, in ascending order. */
export function findAgreed(merges: ReadonlyMap<NodeId, Merge>, threshold: number): readonly MergedPair[] {
  const votes = new Map<string, number>();
  for (const { revision, commit } of merges.values()) {
    const pair = `${revision} ${commit}`;
    votes.set(pair, (votes.get(pair) ?? 0) + 1);
  }
  return [...votes.keys()].filter((pair) => votes.get(pair)! >= threshold).sort()
    .map((pair) => pair.split(" ") as [Oid, Oid]);
}
