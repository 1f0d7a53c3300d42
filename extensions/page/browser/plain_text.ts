/** Divides a text without markup into parts that a browser can draw at once. */

/** Maximum number of lines of a text that are drawn at once. */
const LINES_AT_ONCE = 500;
/**
 * Number of characters after which a part of a text ends. A part always ends with a whole line, so a part
 * with a long line is longer.
 */
const TEXT_AT_ONCE = 16 * 1024;
/**
 * Maximum number of parts of a text that are drawn. Together, the parts have at least 8 MiB or 250,000 lines.
 */
const MAX_TEXT_PARTS = 500;
/** Maximum length of a line that is drawn, in characters. */
const MAX_LINE_LENGTH = 128 * 1024;
/** Text that is shown instead of the rest of a long text. */
const MORE = "…";

/** Returns a line as it is drawn. A very long line is cut. */
export function shownLine(line: string): string {
  return line.length > MAX_LINE_LENGTH ? line.slice(0, MAX_LINE_LENGTH) + MORE : line;
}

/** Divides a text into parts that are drawn one at a time. A line is never divided. */
export function textParts(text: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let lines = 0;
  for (let start = 0; start <= text.length;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    part += `${shownLine(text.slice(start, end))}\n`;
    lines++;
    start = end + 1;
    if (start <= text.length && lines < LINES_AT_ONCE && part.length < TEXT_AT_ONCE) continue;
    parts.push(part);
    if (parts.length === MAX_TEXT_PARTS && start <= text.length) return [...parts, MORE];
    part = "";
    lines = 0;
  }
  return parts;
}

/** Returns the number of lines of a text. A line feed at the end does not begin another line. */
export function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
