/**
 * Writes hunks as JSON directly from the bytes of the texts. Decoding each line first would take several
 * times as long.
 */
import { type HunkSpan, type LineContent, rangeOf } from "../../diff/text/hunks.ts";
import { viewOf } from "../../bytes/bytes.ts";
import type { Lines } from "../../diff/text/lines.ts";
import type { JsonBytes } from "./json_bytes.ts";

const NEWLINE = 0x0a;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strictDecoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

const bytesOf = (text: string): Uint8Array => encoder.encode(text);

const [FIRST_LINE, NEXT_LINE] = [bytesOf('{"line":"'), bytesOf(',{"line":"')];
const [LINE_NUMBER, OLD_NUMBER, NEW_NUMBER] = [
  bytesOf('","lineNo":'),
  bytesOf('","lineNoOld":'),
  bytesOf(',"lineNoNew":'),
];
const [ADDITION, DELETION, CONTEXT] = [
  bytesOf(',"type":"addition"}'),
  bytesOf(',"type":"deletion"}'),
  bytesOf(',"type":"context"}'),
];

/**
 * Writes hunks with commas between them. The lines of a hunk are in the order of git. Bytes that are not
 * UTF-8 become U+FFFD.
 *
 * @param limit Length of the JSON at which writing ends.
 * @returns Whether all hunks were written.
 */
export function writeHunks(json: JsonBytes, { texts, marks, spans }: LineContent, limit: number): boolean {
  const { deleted, added } = marks;
  for (const [i, span] of spans.entries()) {
    const { oldStart, oldEnd, newStart, newEnd } = span;
    const old = utf8Lines(texts.old, oldStart, oldEnd);
    const now = utf8Lines(texts.new, newStart, newEnd);
    json.write(`${i === 0 ? "" : ","}{"header":${JSON.stringify(span.header)},"lines":[`);
    let before = FIRST_LINE;
    for (let [oldLine, newLine] = [oldStart, newStart]; oldLine < oldEnd || newLine < newEnd;) {
      if (json.length > limit) return false;
      const isDeleted = oldLine < oldEnd && deleted[oldLine] === 1;
      const isAdded = !isDeleted && newLine < newEnd && added[newLine] === 1;
      const { bytes, starts, first } = isAdded ? now : old;
      const line = isAdded ? newLine : oldLine;
      json.writeBytes(before);
      before = NEXT_LINE;
      json.writeString(bytes, starts[line - first]!, starts[line - first + 1]!);
      json.writeBytes(isAdded || isDeleted ? LINE_NUMBER : OLD_NUMBER);
      json.writeNumber(line + 1);
      if (!isAdded && !isDeleted) {
        json.writeBytes(NEW_NUMBER);
        json.writeNumber(newLine + 1);
      }
      json.writeBytes(isAdded ? ADDITION : isDeleted ? DELETION : CONTEXT);
      if (!isAdded) oldLine++;
      if (!isDeleted) newLine++;
    }
    if (json.length > limit) return false;
    json.write(endOf(span));
  }
  return true;
}

function endOf({ oldStart, oldEnd, newStart, newEnd }: HunkSpan): string {
  return `],"old":${JSON.stringify(rangeOf(oldStart, oldEnd))},"new":${
    JSON.stringify(rangeOf(newStart, newEnd))
  }}`;
}

interface Utf8Lines {
  readonly bytes: Uint8Array;
  /** Offsets of the lines, starting with the line `first`. */
  readonly starts: Int32Array;
  readonly first: number;
}

function utf8Lines({ bytes, starts, view }: Lines, start: number, end: number): Utf8Lines {
  const [from, to] = [starts[start]!, starts[end]!];
  if (isAscii(view, bytes, from, to)) return { bytes, starts, first: 0 };
  const part = bytes.subarray(from, to);
  try {
    strictDecoder.decode(part);
    return { bytes, starts, first: 0 };
  } catch {
    return resplit(encoder.encode(decoder.decode(part)), start, end - start);
  }
}

/** Finds the lines of a text that was converted to UTF-8. The conversion adds and removes no newline. */
function resplit(bytes: Uint8Array, first: number, count: number): Utf8Lines {
  const starts = new Int32Array(count + 1);
  for (let line = 1, at = 0; line <= count; line++) {
    const newline = bytes.indexOf(NEWLINE, at);
    at = newline < 0 ? bytes.length : newline + 1;
    starts[line] = at;
  }
  return { bytes, starts, first };
}

/** Checks whether bytes are ASCII, four bytes at a time. */
export function isAscii(
  view: DataView,
  bytes: Uint8Array,
  from = 0,
  to = bytes.length,
): boolean {
  let at = from;
  for (; at + 4 <= to; at += 4) if ((view.getInt32(at) & 0x80808080) !== 0) return false;
  for (; at < to; at++) if (bytes[at]! > 0x7f) return false;
  return true;
}

export function isUtf8(bytes: Uint8Array): boolean {
  if (isAscii(viewOf(bytes), bytes)) return true;
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
