/** Code locations of comments and reactions (specification, 2.10). */
import * as v from "valibot";
import { compareUtf8 } from "../../text/utf8.ts";
import { nullIfMissing, OidText, Text } from "../entry/fields.ts";
import { MAX_COUNT } from "../entry/stored_json.ts";

const Count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_COUNT));
/**
 * Schema of a half-open range, in which `end` is exclusive. As in the Radicle programs, unknown properties
 * are refused here, although most other schemas ignore them.
 */
const Range = v.strictObject({ start: Count, end: Count });

/** Schema of a range of whole lines, or of characters in one line. */
export const CodeRange = v.variant("type", [
  v.object({ type: v.literal("lines"), range: Range }),
  v.object({ type: v.literal("chars"), line: Count, range: Range }),
]);

/**
 * Schema of lines of a file before (`old`) and after (`new`) a commit; null if the location is not in this
 * version of the file.
 */
export const CodeLocation = v.object({
  commit: OidText,
  path: Text,
  old: nullIfMissing(CodeRange),
  new: nullIfMissing(CodeRange),
});

/** Schema of a location as clients send it. If `commit` is absent, the head of the revision is used. */
export const SentCodeLocation = v.object({ ...CodeLocation.entries, commit: v.optional(OidText) });

export type CodeRange = v.InferOutput<typeof CodeRange>;
export type CodeLocation = v.InferOutput<typeof CodeLocation>;

/** Checks whether JavaScript can represent all numbers of a location exactly. */
export function isExactLocation({ old, new: after }: Pick<CodeLocation, "old" | "new">): boolean {
  return [old, after].every((range) =>
    range === null ||
    [range.type === "lines" ? 0 : range.line, range.range.start, range.range.end].every(Number.isSafeInteger)
  );
}

/**
 * Compares locations in the same way as the Radicle programs. `undefined` comes first. Locations are ordered
 * by commit, by path, by old range and by new range. Two locations are equal if their paths differ only in
 * doubled slashes, trailing slashes or an inner `.`, or if their ranges are different but empty.
 */
export function compareLocations(a: CodeLocation | undefined, b: CodeLocation | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compareUtf8(a.commit, b.commit) ||
    comparePaths(a.path, b.path) ||
    compareRanges(a.old, b.old) ||
    compareRanges(a.new, b.new);
}

/**
 * Returns a text that identifies a location. The texts of two locations are equal if and only if
 * {@link compareLocations} returns 0.
 */
export function locationKey(location: CodeLocation | undefined): string {
  if (location === undefined) return "";
  const { commit, path, old, new: after } = location;
  return JSON.stringify([commit, pathParts(path), rangeKey(old), rangeKey(after)]);
}

function rangeKey(range: CodeRange | null): readonly number[] {
  if (range === null) return [];
  const { start, end } = range.range;
  return [range.type === "lines" ? -1 : range.line, ...(end > start ? [start, end] : [])];
}

function compareRanges(a: CodeRange | null, b: CodeRange | null): number {
  const [x, y] = [rangeKey(a), rangeKey(b)];
  const index = x.findIndex((value, i) => value !== y[i]);
  return index < 0 || y[index] === undefined ? x.length - y.length : x[index]! - y[index];
}

function pathParts(path: string): string[] {
  const parts = path.split("/").filter((part, i) => part !== "" && (part !== "." || i === 0));
  return path.startsWith("/") ? ["/", ...parts] : parts;
}

function comparePaths(a: string, b: string): number {
  const [x, y] = [pathParts(a), pathParts(b)];
  const index = x.findIndex((part, i) => part !== y[i]);
  return index < 0 || y[index] === undefined ? x.length - y.length : compareUtf8(x[index]!, y[index]);
}
