/** Diffs as clients see them, made in one part. */
import { makeDiff, type PartLimits } from "../../src/diff_service/render/diff.ts";
import type { Libgit2Calls } from "../../src/diff/libgit2/engine.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import type { Diff } from "./diff_object.ts";

/** Limits of a diff that is made in one part. */
const WHOLE: PartLimits = { jsonBytes: Infinity, ms: Infinity };

/** A diff, and the blobs that it touches. */
export interface TreeDiff {
  readonly diff: Diff;
  readonly touched: readonly Oid[];
}

/** The difference between two trees; without an old tree all files were added. */
export async function diffTrees(
  libgit2: Libgit2Calls,
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
): Promise<TreeDiff> {
  const { json, touched } = await makeDiff({ libgit2, repository }, oldTree, newTree, WHOLE);
  return { diff: JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(json)), touched };
}
