/** Permissions of authors who are no delegates: which actions on a patch count (3.2, 4.4). */
import { isSameSet } from "../entry/fields.ts";
import { maySetUnchanged, type Op, type Permission, permitOnly } from "../op.ts";
import type { Rules } from "../rules.ts";
import { mergePermission } from "./merge.ts";
import type { PatchAction } from "./patch_action.ts";
import { findReview, findRevision, type Patch } from "./patch_state.ts";
import { reviewPermission } from "./review.ts";
import { revisionPermission } from "./revision.ts";

/** Permission of an author who is no delegate. */
export function patchPermission(
  patch: Patch,
  op: Op<PatchAction>,
  action: PatchAction,
  rules: Rules,
): Permission {
  switch (action.type) {
    case "edit":
    case "lifecycle":
      return permitOnly(op.author, patch.author);
    case "label":
      return maySetUnchanged(op, rules) && isSameSet(action.labels, patch.labels) ? "granted" : "denied";
    case "assign":
      return "denied";
    case "merge":
      return mergePermission(patch.target, op, rules);
    case "revision":
    case "review":
      return "granted";
    case "revision.redact": {
      const revision = findRevision(patch, action.revision);
      return revision === null ? "unclear" : permitOnly(op.author, revision.author);
    }
    case "review.redact": {
      const found = findReview(patch, action.review);
      return found === null ? "unclear" : permitOnly(op.author, found.review.author);
    }
    default: {
      if ("review" in action) {
        const found = findReview(patch, action.review);
        return found === null ? "unclear" : reviewPermission(op, found.review, found.revision.author, action);
      }
      const revision = findRevision(patch, action.revision);
      return revision === null ? "unclear" : revisionPermission(op, revision, action);
    }
  }
}
