/** A diff as clients see it (2.4): a list of files for each kind of change. */
import type { DiffStats, FileContent, FileKind } from "../diff/diff_object.ts";
import { type PlannedFile, toDiffFile } from "../diff/plan.ts";
import { type DiffView, splitAtHunks } from "./diff_view.ts";

/** Kinds of files in the order of the answer. */
const FILE_KINDS: readonly FileKind[] = ["added", "deleted", "moved", "copied", "modified"];

/** The diff with five lists of files. */
export const diffByKind: DiffView = {
  countsMoved: false,
  arrange(files: readonly PlannedFile[]): readonly PlannedFile[] {
    const byKind = Map.groupBy(files, ({ kind }) => kind);
    return FILE_KINDS.flatMap((kind) => byKind.get(kind) ?? []);
  },
  beforeFile: (last: FileKind | undefined, kind: FileKind): string =>
    last === kind ? "," : openLists(last, kind),
  fileJson: (file: PlannedFile, content: FileContent) => splitAtHunks(toDiffFile(file, content), content),
  afterFiles: (last: FileKind | undefined, stats: DiffStats): string =>
    `${openLists(last, undefined)}],"stats":${JSON.stringify(stats)}}`,
};

/** The statistics of the diff without its files. */
export const diffStats: DiffView = {
  countsMoved: false,
  arrange: (files) => files,
  beforeFile: () => "",
  fileJson: () => [""],
  afterFiles: (_last: FileKind | undefined, stats: DiffStats) => JSON.stringify(stats),
};

/** Old and new path of each moved file, with `null` at the end, for the history of a file. */
export const diffMoves: DiffView = {
  countsMoved: false,
  arrange: (files) => files.filter(({ kind }) => kind === "moved"),
  beforeFile: (last: FileKind | undefined) => last === undefined ? "[" : "",
  fileJson: ({ path, newPath }: PlannedFile) => [`${JSON.stringify([path, newPath])},`],
  afterFiles: (last: FileKind | undefined) => last === undefined ? "[null]" : "null]",
};

/** Closes the list of the last file, and opens the lists up to `kind`, or all. */
function openLists(last: FileKind | undefined, kind: FileKind | undefined): string {
  const from = last === undefined ? 0 : FILE_KINDS.indexOf(last) + 1;
  const to = kind === undefined ? FILE_KINDS.length - 1 : FILE_KINDS.indexOf(kind);
  const lists = FILE_KINDS.slice(from, to + 1).map((name) => `"${name}":[`);
  return (last === undefined ? "{" : lists.length > 0 ? "]," : "") + lists.join("],");
}
