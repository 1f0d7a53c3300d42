/**
 * The JSON of a diff (specification, 2.4), with a list of files for each kind of change. The JSON is created
 * in pieces, so that neither a long file nor a whole diff is ever one string in memory.
 */
import type { DiffStats, FileContent, FileKind } from "../diff/diff_object.ts";
import { type PlannedFile, toDiffFile } from "../diff/plan.ts";
import { BINARY_CONTENT, NO_CONTENT } from "../diff/text/hunks.ts";

/** Writes a diff as JSON in one of the formats of the API. All methods are pure. */
export interface DiffView {
  /** Whether the statistics count the lines of moved and copied files. */
  readonly countsMoved: boolean;
  /** Sorts files into the order of the response. The input is sorted by new path. */
  arrange(files: readonly PlannedFile[]): readonly PlannedFile[];
  /**
   * Returns the JSON before a file.
   *
   * @param last Kind of change of the previous file; `undefined` at the start of the diff.
   */
  beforeFile(last: FileKind | undefined, kind: FileKind): string;
  /**
   * Returns the JSON of a file without its hunks: the part before the hunks and the part after them. The
   * second part is missing if the file cannot have hunks.
   */
  fileJson(file: PlannedFile, content: FileContent): readonly [before: string, after?: string];
  /** Returns the JSON after the last file. */
  afterFiles(last: FileKind | undefined, stats: DiffStats): string;
}

/**
 * Text at the position of the hunks in the JSON of a file. Inside strings the text cannot occur, because
 * quotation marks are escaped.
 */
const NO_HUNKS = '"hunks":[';

/** Splits the JSON of a file into the parts that {@link DiffView.fileJson} returns. */
export function splitAtHunks(file: object, content: FileContent): readonly [before: string, after?: string] {
  if (!("diff" in file) || content === NO_CONTENT || content === BINARY_CONTENT) {
    return [JSON.stringify(file)];
  }
  const whole = JSON.stringify(file);
  const at = whole.indexOf(NO_HUNKS) + NO_HUNKS.length;
  return [whole.slice(0, at), whole.slice(at)];
}

/** Kinds of change in the order of the response. */
const FILE_KINDS: readonly FileKind[] = ["added", "deleted", "moved", "copied", "modified"];

/** Writes a diff with five lists of files. */
export const diffByKind: DiffView = {
  countsMoved: false,
  arrange(files: readonly PlannedFile[]): readonly PlannedFile[] {
    const arranged: PlannedFile[] = [];
    for (const kind of FILE_KINDS) for (const file of files) if (file.kind === kind) arranged.push(file);
    return arranged;
  },
  beforeFile: (last: FileKind | undefined, kind: FileKind): string =>
    last === kind ? "," : openLists(last, kind),
  fileJson: (file: PlannedFile, content: FileContent) => splitAtHunks(toDiffFile(file, content), content),
  afterFiles: (last: FileKind | undefined, stats: DiffStats): string =>
    `${openLists(last, undefined)}],"stats":${JSON.stringify(stats)}}`,
};

/** Writes only the statistics of a diff. */
export const diffStats: DiffView = {
  countsMoved: false,
  arrange: (files) => files,
  beforeFile: () => "",
  fileJson: () => [""],
  afterFiles: (_last: FileKind | undefined, stats: DiffStats) => JSON.stringify(stats),
};

/**
 * Writes the old and new path of each moved file, for the history of a file. The list ends with an additional
 * `null`.
 */
export const diffMoves: DiffView = {
  countsMoved: false,
  arrange: (files) => files.filter(({ kind }) => kind === "moved"),
  beforeFile: (last: FileKind | undefined) => last === undefined ? "[" : "",
  fileJson: ({ path, newPath }: PlannedFile) => [`${JSON.stringify([path, newPath])},`],
  afterFiles: (last: FileKind | undefined) => last === undefined ? "[null]" : "null]",
};

/** Closes the list of the last file, and opens the lists up to `kind`, or all lists. */
function openLists(last: FileKind | undefined, kind: FileKind | undefined): string {
  const from = last === undefined ? 0 : FILE_KINDS.indexOf(last) + 1;
  const to = kind === undefined ? FILE_KINDS.length - 1 : FILE_KINDS.indexOf(kind);
  let json = last === undefined ? "{" : "";
  for (let i = from; i <= to; i++) json += `${i > 0 ? "]," : ""}"${FILE_KINDS[i]}":[`;
  return json;
}
