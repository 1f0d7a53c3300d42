/** Patches in short, for tests. */
import assert from "node:assert/strict";
import { applyToPatch, beginPatchEntry, openPatch, type PatchOp } from "../../src/cob/patch/patch.ts";
import { decodePatchAction, type PatchAction } from "../../src/cob/patch/patch_action.ts";
import type { Patch } from "../../src/cob/patch/patch_state.ts";
import { RULES } from "../../src/cob/rules.ts";
import type { IdentityDoc } from "../../src/identity/doc.ts";
import type { HomeGeneration as Generation } from "../../src/identity/generation.ts";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createDoc, createOp, entryId } from "./ops.ts";
import { runSync } from "../../src/scheduling/task.ts";

/** A commit on which everything is based, and the commits of two revisions. */
export const BASE = "b".repeat(40) as Oid;
export const HEAD = "c".repeat(40) as Oid;
export const NEXT = "d".repeat(40) as Oid;

/** The first entry's actions. */
export const ROOT: readonly unknown[] = [
  { type: "revision", description: "Description", base: BASE, oid: HEAD },
  { type: "edit", title: "Title", target: "delegates" },
];

/** Whose branches hold which commits: `<node> refs/heads/<branch> <commit>`. */
export type Holdings = ReadonlySet<string>;

/** What decides about entries besides the state. */
export interface Setting {
  readonly generation?: Generation;
  readonly doc?: IdentityDoc;
  readonly holdings?: Holdings;
}

/** The action of that JSON value; fails when there is none. */
export function decode(value: unknown, generation: Generation = "newest"): PatchAction {
  const action = runSync(decodePatchAction(value, RULES[generation]));
  assert.ok(action, `not understood: ${JSON.stringify(value)}`);
  return action;
}

/** Entry number `n`. */
export function patchOp(
  n: number,
  author: NodeId,
  actions: readonly unknown[],
  setting: Setting = {},
): PatchOp {
  const { generation = "newest", doc = createDoc(), holdings = new Set() } = setting;
  return {
    ...createOp(n, author, actions.map((action) => decode(action, generation)), doc),
    branchContains: (branch, commit) => holdings.has(`${author} ${branch} ${commit}`),
  };
}

/** The patch that entry 1 opens. */
export function open(author: NodeId, actions: readonly unknown[] = ROOT, setting: Setting = {}): Patch {
  return openPatch(patchOp(1, author, actions, setting), RULES[setting.generation ?? "newest"]);
}

/** Applies entry `n`. */
export function apply(patch: Patch, n: number, author: NodeId, action: unknown, setting: Setting = {}): void {
  beginPatchEntry(patch, entryId(n));
  applyToPatch(patch, patchOp(n, author, [action], setting), RULES[setting.generation ?? "newest"]);
}

/** A patch with a second revision (entry 2), a comment on it (3), a review of it (4) and a comment in that (5). */
export function openBusy(author: NodeId, friend: NodeId, setting: Setting = {}): Patch {
  const patch = open(author, ROOT, setting);
  apply(patch, 2, friend, { type: "revision", description: "Second", base: BASE, oid: NEXT }, setting);
  apply(
    patch,
    3,
    friend,
    { type: "revision.comment", revision: entryId(2), body: "on the revision" },
    setting,
  );
  apply(
    patch,
    4,
    friend,
    { type: "review", revision: entryId(2), summary: "fine", verdict: "accept" },
    setting,
  );
  apply(patch, 5, friend, { type: "review.comment", review: entryId(4), body: "in the review" }, setting);
  return patch;
}
