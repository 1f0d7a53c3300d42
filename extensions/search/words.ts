/**
 * Words of texts and of queries. For the index (tokenizer `unicode61`), a word is a run of letters and
 * digits, without case and diacritics. Scripts without spaces are indexed character by character, so that
 * any part of such a text is found.
 */

/** Characters of a query, in UTF-16 units. */
export const MAX_QUERY_CHARACTERS = 256;
/** Words of a query that count. Others are ignored. */
export const MAX_QUERY_WORDS = 16;
/** The last word of a query also finds longer words that begin with it, if it has this many characters. */
export const MIN_PREFIX_CHARACTERS = 2;
/** Approximate length of an excerpt, in UTF-16 units. */
export const EXCERPT_UNITS = 200;
/** Units at the beginning of a text in which a found word is searched. */
export const EXCERPT_SEARCH_UNITS = 16 * 1024;

/** Units of an excerpt before the found word. */
const BEFORE_UNITS = 60;

/** Characters of scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Places between such a character and another character of a word. */
const BOUNDARIES = new RegExp(
  `(?<=${UNSPACED.source})(?=[\\p{L}\\p{N}])|(?<=[\\p{L}\\p{N}\\p{M}])(?=${UNSPACED.source})(?=\\p{L})`,
  "gu",
);

/** Separates characters in indexed texts: it is invisible, and no word contains it. */
const SEPARATOR = "\u2063";
const EACH_SEPARATOR = /\u2063/g;
/** Characters that are removed from texts. */
const DROPPED = /[\u2063\0]/g;

const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;
const MARKS = /\p{M}/gu;

/** Letters whose diacritics the tokenizer removes only when they are separate characters. */
const COMPOSED = /[\p{Script=Greek}\p{Script=Cyrillic}]+/gu;
const DECOMPOSED = /[\p{Script=Greek}\p{Script=Cyrillic}]\p{M}+/gu;

/** The form of a text in the index: each character of a script without spaces is a word. */
export function toIndexed(text: string): string {
  const plain = text.replace(DROPPED, "").replace(COMPOSED, (letters) => letters.normalize("NFD"));
  return UNSPACED.test(plain) ? plain.replace(BOUNDARIES, SEPARATOR) : plain;
}

/** Undoes {@link toIndexed}. */
export function fromIndexed(text: string): string {
  return text.replace(EACH_SEPARATOR, "").replace(DECOMPOSED, (letters) => letters.normalize("NFC"));
}

/** The words of a query that count. */
export function wordsOf(query: string): readonly string[] {
  return (query.match(WORD) ?? []).slice(0, MAX_QUERY_WORDS);
}

/**
 * The expression of FTS5 for texts that contain all words; `undefined` without words. Each word is quoted, so
 * that it cannot contain syntax.
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
 * A part of a text around the first found word, on one line. When the first {@link EXCERPT_SEARCH_UNITS} have
 * none of the words, the beginning of the text. Cut ends show as `…`.
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

/** Where the next word starts after a place in a text; the place itself when that is far. */
function wordStart(text: string, place: number): number {
  const space = text.slice(place, place + BEFORE_UNITS / 2).search(/\s/u);
  return space < 0 ? place : place + space + 1;
}

function fold(word: string): string {
  return word.normalize("NFD").replace(MARKS, "").toLowerCase();
}
