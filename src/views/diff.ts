/**
 * A diff as clients see it (2.4), in pieces of JSON: neither a long file nor a whole diff is ever one string
 * in memory.
 */
import type { DiffFile, DiffStats, FileKind, Hunk } from "../diff/diff_object.ts";
import { FILE_KINDS } from "../diff/plan.ts";
import { NO_CONTENT } from "../diff/text/hunks.ts";

/** Lines of a hunk serialized at once. */
const LINES_PER_PIECE = 1024;

/**
 * Position of the hunks in the JSON of a file. Quotation marks inside strings are escaped, so it is unique.
 */
const NO_HUNKS = '"hunks":[';

/**
 * The JSON before a file of a kind.
 *
 * @param last Kind of the file before it; `undefined` at the start of the diff.
 */
export function beforeFile(last: FileKind | undefined, kind: FileKind): string {
  return last === kind ? "," : openLists(last, kind);
}

/** The JSON after the last file. */
export function afterFiles(last: FileKind | undefined, stats: DiffStats): string {
  return `${openLists(last, undefined)}],"stats":${JSON.stringify(stats)}}`;
}

/** Closes the list of the last file, and opens the lists up to `kind`, or all. */
function openLists(last: FileKind | undefined, kind: FileKind | undefined): string {
  const from = last === undefined ? 0 : FILE_KINDS.indexOf(last) + 1;
  const to = kind === undefined ? FILE_KINDS.length - 1 : FILE_KINDS.indexOf(kind);
  const lists = FILE_KINDS.slice(from, to + 1).map((name) => `"${name}":[`);
  return (last === undefined ? "{" : lists.length > 0 ? "]," : "") + lists.join("],");
}

/**
 * The JSON of a file without its hunks: the part before them, and the part after them unless the file cannot
 * have hunks.
 */
export function fileJson(file: DiffFile): [before: string, after?: string] {
  if (!("diff" in file) || file.diff === NO_CONTENT) return [JSON.stringify(file)];
  const whole = JSON.stringify({ ...file, diff: { ...file.diff, hunks: [] } });
  const at = whole.indexOf(NO_HUNKS) + NO_HUNKS.length;
  return [whole.slice(0, at), whole.slice(at)];
}

/** The JSON of hunks, with commas between them. */
export function* hunksJson(hunks: readonly Hunk[]): Generator<string> {
  for (const [i, hunk] of hunks.entries()) {
    const { header, lines, old, new: now } = hunk;
    const comma = i === 0 ? "" : ",";
    if (lines.length <= LINES_PER_PIECE) {
      yield comma + JSON.stringify(hunk);
      continue;
    }
    yield `${comma}{"header":${JSON.stringify(header)},"lines":[`;
    for (let start = 0; start < lines.length; start += LINES_PER_PIECE) {
      const some = JSON.stringify(lines.slice(start, start + LINES_PER_PIECE)).slice(1, -1);
      yield start === 0 ? some : `,${some}`;
    }
    yield `],"old":${JSON.stringify(old)},"new":${JSON.stringify(now)}}`;
  }
}
