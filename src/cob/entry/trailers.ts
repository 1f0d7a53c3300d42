/**
 * Trailers of a commit message: lines `Token: value` in its last paragraph, found exactly as the real programs find them (libgit2, which
 * differs from git-interpret-trailers(1) in details). One pass over the message, whatever it holds.
 */

/** One trailer. The value goes to the end of its line, further lines that begin with a space included as they are. */
export interface Trailer {
  readonly token: string;
  readonly value: string;
}

/** What ends a message before its trailers, such as a patch: a line that begins with `---`, or with that and white space. */
export type Dividers = "all" | "spaced";

/** Lines that git itself writes and that let other lines stand between trailers. */
const GIT_GENERATED = ["Signed-off-by: ", "(cherry picked from commit "];
const CONFLICTS = "Conflicts:\n";
const COMMENT = "#";
const DIVIDER = "---";
/** From the start of a line: a token, blanks, and the colon. */
const SEPARATED = /[A-Za-z0-9-]+[ \t]*:/y;
/** As {@link SEPARATED}, with blanks after it; the token may be empty. */
const TOKEN = /([A-Za-z0-9-]*)[ \t]*:[ \t]*/y;
const BLANK_LINE = /[ \t\v\f\r]*(?:\n|$)/y;
const WHITE_SPACE = /[ \t\n\v\f\r]/y;

/**
 * The trailers of a message. They are the lines of its last paragraph, provided that this is not the title and that all of its lines are trailers, or
 * at least a quarter of them are and one is of a kind that git writes.
 */
export function parseTrailers(message: string, dividers: Dividers): Trailer[] {
  const end = findEnd(message, findDivider(message, dividers));
  return readTrailers(message.slice(findStart(message, end), end));
}

/** Where the text before `length` ends when comments, blank lines and git's list of conflicts at its end are left out. */
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

/** Where the trailers before `end` start; `end` when there are none. */
function findStart(message: string, end: number): number {
  let title = 0;
  while (title < end && (message[title] === COMMENT || !matches(BLANK_LINE, message, title))) {
    title = nextLine(message, title);
  }
  let trailers = 0;
  let others = 0;
  /** Lines that belong to the trailer before them, if there is one. */
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
 * Reads lines of trailers; others are passed over. A value begins with the first character that is no blank, even where that ends the line, and goes
 * on in lines that begin with a space.
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
    // What ends with the colon has no value.
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
