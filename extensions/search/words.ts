/**
 * Finds the words of texts and queries for the full-text index (tokenizer `unicode61`). A word is a sequence
 * of letters and digits, without regard to case and diacritics. In scripts without spaces, each character is
 * a word.
 */

/** Maximum length of a query, in UTF-16 units. */
export const MAX_QUERY_CHARACTERS = 256;
/** Maximum number of words of a query. Further words are ignored. */
export const MAX_QUERY_WORDS = 16;
/** Minimum length of the last word of a query for which longer words are also found, in characters. */
export const MIN_PREFIX_CHARACTERS = 2;
/** Approximate length of an excerpt, in UTF-16 units. */
export const EXCERPT_UNITS = 200;
/** Length of the start of a text in which a found word is searched for the excerpt, in UTF-16 units. */
export const EXCERPT_SEARCH_UNITS = 16 * 1024;

/** Length of the part of an excerpt before the found word, in UTF-16 units. */
const BEFORE_UNITS = 60;

/** Characters of scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Positions between a character of such a script and another character of a word. */
const BOUNDARIES = new RegExp(
  `(?<=${UNSPACED.source})(?=[\\p{L}\\p{N}])|(?<=[\\p{L}\\p{N}\\p{M}])(?=${UNSPACED.source})(?=\\p{L})`,
  "gu",
);

/**
 * Character that separates the characters of scripts without spaces in indexed texts. The character is
 * invisible, and no word contains it.
 */
const SEPARATOR = "\u2063";
const EACH_SEPARATOR = /\u2063/g;
/** Characters that are removed before a text is indexed. */
const DROPPED = /[\u2063\0]/g;

const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;
const MARKS = /\p{M}/gu;

/** Letters from which `unicode61` removes diacritics only after decomposition. */
const COMPOSED = /[\p{Script=Greek}\p{Script=Cyrillic}]+/gu;
const DECOMPOSED = /[\p{Script=Greek}\p{Script=Cyrillic}]\p{M}+/gu;

/** Converts a text for the index: each character of a script without spaces becomes a separate word. */
export function toIndexed(text: string): string {
  const plain = text.replace(DROPPED, "").replace(COMPOSED, (letters) => letters.normalize("NFD"));
  return UNSPACED.test(plain) ? plain.replace(BOUNDARIES, SEPARATOR) : plain;
}

/** Converts a text of {@link toIndexed} back to the original text. */
export function fromIndexed(text: string): string {
  return text.replace(EACH_SEPARATOR, "").replace(DECOMPOSED, (letters) => letters.normalize("NFC"));
}

export function wordsOf(query: string): readonly string[] {
  return (query.match(WORD) ?? []).slice(0, MAX_QUERY_WORDS);
}

/**
 * Returns the FTS5 expression for texts that contain all words; `undefined` without words. Each word is
 * quoted, so that no word can contain syntax.
 */
export function toExpression(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  return words.map((word, i) => {
    const isPrefix = i === words.length - 1 && [...word].length >= MIN_PREFIX_CHARACTERS &&
      !UNSPACED.test(word);
    return `"${toIndexed(word)}"${isPrefix ? "*" : ""}`;
  }).join(" AND ");
}

/**
 * Returns a part of a text around the first found word, on one line. Without a found word in the first
 * {@link EXCERPT_SEARCH_UNITS} units, returns the beginning of the text. `…` marks an end at which the text
 * was cut.
 */
export function excerptOf(text: string, words: readonly string[]): string {
  const folded = words.map(fold);
  let found = 0;
  for (const { 0: word, index } of text.slice(0, EXCERPT_SEARCH_UNITS).matchAll(WORD)) {
    const candidate = fold(word);
    const isFound = folded.some((wanted) =>
      candidate.startsWith(wanted) || UNSPACED.test(wanted) && candidate.includes(wanted)
    );
    if (!isFound) continue;
    found = index + Math.max(0, ...words.map((wanted) => word.indexOf(wanted)));
    break;
  }
  const start = found > BEFORE_UNITS ? wordStart(text, found - BEFORE_UNITS) : 0;
  const end = Math.min(text.length, start + EXCERPT_UNITS);
  const cut = text.slice(start, end).toWellFormed().replace(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
}

/** Returns the start of the next word after a position; the position itself if the next word is far away. */
function wordStart(text: string, place: number): number {
  const space = text.slice(place, place + BEFORE_UNITS / 2).search(/\s/u);
  return space < 0 ? place : place + space + 1;
}

function fold(word: string): string {
  return word.normalize("NFD").replace(MARKS, "").toLowerCase();
}
