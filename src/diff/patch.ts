/** Reads the patch that libgit2 prints for numbered files and tells it as a diff object. */
import type {
  AddedFile,
  CopiedFile,
  DeletedFile,
  Diff,
  DiffLine,
  EndOfFile,
  FileContent,
  Hunk,
  LineRange,
  ModifiedFile,
  MovedFile,
} from "./diff_object.ts";
import type { Change } from "./tree_comparison.ts";

const FILE_HEADER = /^diff --git a\/(\d+) b\/(\d+)\n$/;
const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** What the lines of a hunk begin with. */
const ADDITION = "+";
const DELETION = "-";
const CONTEXT = " ";
const MARKER = "\\";

// Bytes that are no UTF-8 become U+FFFD. No newline is ever lost to them, so the whole patch can be decoded at once.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The diff that a patch tells of; in the patch, files have the numbers of their changes as names.
 *
 * @throws {TypeError} when the text is no such patch.
 */
export function readPatch(patch: Uint8Array, changes: readonly Change[]): Diff {
  const files = new FileLists();
  const lines = new LineReader(decoder.decode(patch));
  while (!lines.isDone) {
    const numbers = FILE_HEADER.exec(lines.next());
    const from = changes[Number(numbers?.[1])];
    const to = changes[Number(numbers?.[2])];
    if (from === undefined || to === undefined) throw new TypeError("Not a patch of these changes");
    let isRename = false;
    while (!lines.isDone && !lines.isAt("@@ ") && !lines.isAt("diff ")) {
      if (lines.next().startsWith("rename from ")) isRename = true;
    }
    const content = readContent(lines);
    if (from === to) files.addChange(to, content);
    else files.addPair(from, to, isRename, content);
  }
  return files.toDiff();
}

/** The diff that names the changes and looks into no file: nothing is moved or copied, and there are no hunks. */
export function diffWithoutContent(changes: readonly Change[]): Diff {
  const files = new FileLists();
  const content = readContent(new LineReader(""));
  for (const change of changes) files.addChange(change, content);
  return files.toDiff();
}

/** The hunks of one file, of which there may be none. */
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
  return { type: "plain", hunks, stats, eof: toEndOfFile(missing) };
}

function toRange(start = "0", count = "1"): LineRange {
  return { start: Number(start), end: Number(start) + Number(count) };
}

function toEndOfFile(missing: { old: boolean; new: boolean }): EndOfFile {
  if (missing.old) return missing.new ? "bothMissing" : "oldMissing";
  return missing.new ? "newMissing" : "noneMissing";
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

/** Files of a diff, sorted by what happened to them. */
class FileLists {
  readonly #added: AddedFile[] = [];
  readonly #deleted: DeletedFile[] = [];
  readonly #moved: MovedFile[] = [];
  readonly #copied: CopiedFile[] = [];
  readonly #modified: ModifiedFile[] = [];

  /** A file that kept its path. */
  addChange(change: Change, diff: FileContent): void {
    const path = decoder.decode(change.path);
    if (change.old === undefined) {
      if (change.new !== undefined) this.#added.push({ path, diff, new: change.new });
    } else if (change.new === undefined) {
      this.#deleted.push({ path, diff, old: change.old });
    } else {
      this.#modified.push({ path, diff, old: change.old, new: change.new });
    }
  }

  /** A file that was made from one with another path. */
  addPair(from: Change, to: Change, isRename: boolean, diff: FileContent): void {
    if (from.old === undefined || to.new === undefined) throw new TypeError("Not a pair of files");
    const [oldPath, newPath] = [decoder.decode(from.path), decoder.decode(to.path)];
    if (!isRename) {
      this.#copied.push({ oldPath, newPath, old: from.old, new: to.new, diff });
    } else if (from.old.oid === to.new.oid && from.old.mode === to.new.mode) {
      this.#moved.push({ oldPath, newPath, current: to.new });
    } else {
      this.#moved.push({ oldPath, newPath, old: from.old, new: to.new, diff });
    }
  }

  toDiff(): Diff {
    const [added, deleted, moved, copied, modified] = [
      this.#added,
      this.#deleted,
      this.#moved,
      this.#copied,
      this.#modified,
    ];
    let [insertions, deletions] = [0, 0];
    for (const { diff } of [...added, ...deleted, ...modified]) {
      for (const hunk of diff.hunks) {
        for (const { type } of hunk.lines) {
          if (type === "addition") insertions++;
          else if (type === "deletion") deletions++;
        }
      }
    }
    const filesChanged = added.length + deleted.length + moved.length + copied.length + modified.length;
    return { added, deleted, moved, copied, modified, stats: { filesChanged, insertions, deletions } };
  }
}
