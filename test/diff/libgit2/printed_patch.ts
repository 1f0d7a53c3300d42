/** Reads whole patches that libgit2 prints for numbered files, to compare what they show with our hunks. */
import type { DiffLine, FileContent, Hunk, LineRange } from "../diff_object.ts";

const FILE_HEADER = /^diff --git a\/(\d+) b\/\1\n$/;
const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** First characters of the lines of a hunk. */
const ADDITION = "+";
const DELETION = "-";
const CONTEXT = " ";
const MARKER = "\\";

// Invalid UTF-8 becomes U+FFFD, which never replaces a newline. So the whole patch can be decoded at once.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Parses a patch: the content of each file, by the number that replaces its path.
 *
 * @throws {TypeError} when the text is not such a patch.
 */
export function readPatch(patch: Uint8Array): Map<number, FileContent> {
  const contents = new Map<number, FileContent>();
  const lines = new LineReader(decoder.decode(patch));
  while (!lines.isDone) {
    const number = FILE_HEADER.exec(lines.next())?.[1];
    if (number === undefined) throw new TypeError("Not a patch of numbered files");
    while (!lines.isDone && !lines.isAt("@@ ") && !lines.isAt("diff ")) lines.next();
    contents.set(Number(number), readContent(lines));
  }
  return contents;
}

/** Reads the hunks of one file; there may be none. */
function readContent(reader: LineReader): FileContent {
  const hunks: Hunk[] = [];
  const stats = { additions: 0, deletions: 0 };
  const missing = { old: false, new: false };
  while (reader.isAt("@@ ")) {
    const header = reader.next();
    const numbers = HUNK_HEADER.exec(header);
    if (numbers === null) throw new TypeError("Not a hunk header");
    const [old, now] = [toRange(numbers[1], numbers[2]), toRange(numbers[3], numbers[4])];
    const lines: DiffLine[] = [];
    let [oldNumber, newNumber] = [old.start, now.start];
    for (;;) {
      const origin = reader.peek();
      if (origin !== ADDITION && origin !== DELETION && origin !== CONTEXT) break;
      const text = reader.next();
      const isLast = reader.peek() === MARKER;
      if (isLast) reader.next();
      const line = text.slice(1, isLast ? -1 : undefined);
      if (origin === ADDITION) {
        lines.push({ line, lineNo: newNumber++, type: "addition" });
        stats.additions++;
        if (isLast) stats.deletions++;
      } else if (origin === DELETION) {
        lines.push({ line, lineNo: oldNumber++, type: "deletion" });
        stats.deletions++;
        if (isLast) stats.additions++;
      } else {
        lines.push({ line, lineNoOld: oldNumber++, lineNoNew: newNumber++, type: "context" });
      }
      if (isLast && origin !== ADDITION) missing.old = true;
      if (isLast && origin !== DELETION) missing.new = true;
    }
    hunks.push({ header, lines, old, new: now });
  }
  return { type: "plain", hunks, stats, eof: EOF[Number(missing.old)]![Number(missing.new)]! };
}

const EOF = [["noneMissing", "newMissing"], ["oldMissing", "bothMissing"]] as const;

function toRange(start = "0", count = "1"): LineRange {
  return { start: Number(start), end: Number(start) + Number(count) };
}

/** Lines of a text, with their newlines. */
class LineReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    return this.#at === this.#text.length;
  }

  isAt(prefix: string): boolean {
    return this.#text.startsWith(prefix, this.#at);
  }

  /** The first character of the next line. */
  peek(): string | undefined {
    return this.#text[this.#at];
  }

  next(): string {
    const newline = this.#text.indexOf("\n", this.#at);
    const end = newline < 0 ? this.#text.length : newline + 1;
    const line = this.#text.slice(this.#at, end);
    this.#at = end;
    return line;
  }
}
