/**
 * Trailers of a commit message: lines `Token: value` in its last paragraph. They are found as libgit2 finds
 * them, which differs from git-interpret-trailers(1) in details. The parser takes one pass over any message.
 */

/**
 * One trailer. The value extends to the end of its line, and includes continuation lines, which begin with a
 * space, as they are.
 */
export interface Trailer {
  readonly token: string;
  readonly value: string;
}

/**
 * The lines that end a message before its trailers, as in a patch: lines that begin with `---`, or only lines
 * that begin with `---` and white space.
 */
export type Dividers = "all" | "spaced";

/** Lines that git writes. A paragraph with one of them may mix trailers with other lines. */
const GIT_GENERATED = ["Signed-off-by: ", "(cherry picked from commit "];
const CONFLICTS = "Conflicts:\n";
const COMMENT = "#";
const DIVIDER = "---";
/** At the start of a line: a token, blanks, and the colon. */
const SEPARATED = /[A-Za-z0-9-]+[ \t]*:/y;
/** As {@link SEPARATED}, with blanks after it; the token may be empty. */
const TOKEN = /([A-Za-z0-9-]*)[ \t]*:[ \t]*/y;
const BLANK_LINE = /[ \t\v\f\r]*(?:\n|$)/y;
const WHITE_SPACE = /[ \t\n\v\f\r]/y;

/**
 * The trailers of a message. The last paragraph has trailers if it is not the title, and either all of its
 * lines are trailers, or a quarter of them are and one line is of a kind that git writes.
 */
export function parseTrailers(message: string, dividers: Dividers): readonly Trailer[] {
  const end = findEnd(message, findDivider(message, dividers));
  return readTrailers(message.slice(findStart(message, end), end));
}

/** End of the text before `length`, without comments, blank lines and git's list of conflicts at its end. */
function findEnd(message: string, length: number): number {
  let end = 0;
  let isInConflicts = false;
  for (let line = 0; line < length; line = nextLine(message, line)) {
    if (message[line] === COMMENT || message[line] === "\n") end ||= line;
    else if (message.startsWith(CONFLICTS, line)) {
      isInConflicts = true;
      end ||= line;
    } else if (!(isInConflicts && message[line] === "\t") && end > 0) {
      end = 0;
      isInConflicts = false;
    }
  }
  return end || length;
}

/** Start of the trailers before `end`; `end` when there are none. */
function findStart(message: string, end: number): number {
  let title = 0;
  while (title < end && (message[title] === COMMENT || !matches(BLANK_LINE, message, title))) {
    title = nextLine(message, title);
  }
  let trailers = 0;
  let others = 0;
  /** Possible continuation lines of the trailer before them. */
  let continuations = 0;
  let hasGenerated = false;
  let isAfterText = true;
  for (let line = end; line > 0;) {
    line = lastLine(message, line);
    if (line < title) break;
    if (message[line] === COMMENT) {
      others += continuations;
      continuations = 0;
    } else if (matches(BLANK_LINE, message, line)) {
      if (isAfterText) continue;
      others += continuations;
      const isBlock = hasGenerated ? trailers * 3 >= others : others === 0;
      return trailers > 0 && isBlock ? nextLine(message, line) : end;
    } else {
      isAfterText = false;
      const isGenerated = GIT_GENERATED.some((prefix) => message.startsWith(prefix, line));
      if (isGenerated || matches(SEPARATED, message, line)) {
        trailers++;
        continuations = 0;
        hasGenerated ||= isGenerated;
      } else if (matches(WHITE_SPACE, message, line)) {
        continuations++;
      } else {
        others += continuations + 1;
        continuations = 0;
      }
    }
  }
  return end;
}

/**
 * Reads trailers, and skips other lines. A value begins with the first character that is no blank, even a
 * line feed. It continues in lines that begin with a space.
 */
function readTrailers(block: string): Trailer[] {
  const trailers: Trailer[] = [];
  for (let at = 0; at < block.length;) {
    TOKEN.lastIndex = at;
    const [head = "", token = ""] = TOKEN.exec(block) ?? [];
    if (head === "") {
      at = nextLine(block, at);
      continue;
    }
    const start = at + head.length;
    // A line that ends the block with its colon has no value.
    if (start === block.length) break;
    let end = block.indexOf("\n", start + 1);
    while (end >= 0 && block[end + 1] === " ") end = block.indexOf("\n", end + 2);
    if (end < 0) end = block.length;
    trailers.push({ token, value: block.slice(start, end) });
    at = end + 1;
  }
  return trailers;
}

/** Position of the first line that ends a message, or its length. */
function findDivider(message: string, dividers: Dividers): number {
  for (let at = message.indexOf(DIVIDER); at >= 0; at = message.indexOf(DIVIDER, at + 1)) {
    const isLine = at === 0 || message[at - 1] === "\n";
    if (isLine && (dividers === "all" || matches(WHITE_SPACE, message, at + DIVIDER.length))) return at;
  }
  return message.length;
}

function nextLine(message: string, at: number): number {
  return message.indexOf("\n", at) + 1 || message.length;
}

/** Start of the last line before `end`, which may be the end of that line. */
function lastLine(message: string, end: number): number {
  const feed = end < 2 ? -1 : message.lastIndexOf("\n", end - 2);
  return feed > 0 ? feed + 1 : 0;
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
