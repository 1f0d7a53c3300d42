/**
 * White space as defined by Unicode and Rust. Unlike in JavaScript's `trim`, U+0085 is white space and U+FEFF
 * is not.
 */
import { runSync, type Steps } from "../scheduling/task.ts";

/** Number of code units that are skipped in one step, which takes less than a millisecond. */
const UNITS_AT_ONCE = 2 ** 16;

/** Checks for the white space of C: space, tab, line feed, form feed, vertical tab, and carriage return. */
export function isAsciiSpace(code: number): boolean {
  return code === 0x20 || code >= 0x09 && code <= 0x0d;
}

/** Removes white space at both ends of a text. */
export function trimWhiteSpace(text: string): string {
  return runSync(trimInSteps(text));
}

/** Does the same as {@link trimWhiteSpace}, in steps. */
export function* trimInSteps(text: string): Steps<string> {
  const start = yield* skipStart(text, isWhiteSpace);
  return text.slice(start, Math.max(start, yield* skipEnd(text, isWhiteSpace)));
}

/** Returns the index of the first code unit that is not skipped, in steps. */
export function* skipStart(text: string, isSkipped: (unit: number) => boolean): Steps<number> {
  let at = 0;
  for (; at < text.length && isSkipped(text.charCodeAt(at)); at++) {
    if (at % UNITS_AT_ONCE === UNITS_AT_ONCE - 1) yield;
  }
  return at;
}

/** Returns the index after the last code unit that is not skipped, in steps. */
export function* skipEnd(text: string, isSkipped: (unit: number) => boolean): Steps<number> {
  let end = text.length;
  for (; end > 0 && isSkipped(text.charCodeAt(end - 1)); end--) if (end % UNITS_AT_ONCE === 0) yield;
  return end;
}

/** Checks whether a code unit is white space in Unicode. No white space has surrogates. */
function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return isAsciiSpace(code);
  return code === 0x85 || code === 0xa0 || code === 0x1680 || code >= 0x2000 && code <= 0x200a ||
    code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000;
}
