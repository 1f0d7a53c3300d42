/** A diff as clients see it (2.4), in pieces of JSON: the diff of a large commit need not fit into one string. */
import type { Diff } from "../diff/diff_object.ts";

const LISTS = ["added", "deleted", "moved", "copied", "modified"] as const;

/** The JSON of a diff, a piece per file. */
export function* diffPieces(diff: Diff): Generator<string> {
  let opening = "{";
  for (const list of LISTS) {
    yield `${opening}"${list}":[`;
    let separator = "";
    for (const file of diff[list]) {
      yield separator + JSON.stringify(file);
      separator = ",";
    }
    opening = "],";
  }
  yield `],"stats":${JSON.stringify(diff.stats)}}`;
}
