/**
 * Words of texts and of queries. The index knows words as letters and digits in a row, without case and
 * diacritics (tokenizer `unicode61`). Scripts without spaces are indexed character by character: there, any
 * part of a text is found.
 */

/** Characters of a query, in UTF-16 units. */
export const MAX_QUERY_CHARACTERS = 256;
/** Words of a query that count; further ones are passed over. */
export const MAX_QUERY_WORDS = 16;
/** The last word of a query also finds longer words that begin with it, if it has this many characters. */
export const MIN_PREFIX_CHARACTERS = 2;
/** Length of an excerpt, in UTF-16 units, approximately. */
export const EXCERPT_UNITS = 200;
/** Units of a text in which an excerpt is looked for; otherwise it is the beginning of the text. */
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

/** Separates characters in indexed texts: an invisible character that no word contains. */
const SEPARATOR = "\u2063";
const EACH_SEPARATOR = /\u2063/g;
/** Characters that indexed texts are without. */
const DROPPED = /[\u2063\0]/g;

const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu;
const MARKS = /\p{M}/gu;

/** Letters whose diacritics the tokenizer removes only where they are characters of their own. */
const COMPOSED = /[\p{Script=Greek}\p{Script=Cyrillic}]+/gu;
const DECOMPOSED = /[\p{Script=Greek}\p{Script=Cyrillic}]\p{M}+/gu;

/** A text as it is indexed: characters of scripts without spaces are words of their own. */
export function toIndexed(text: string): string {
  const plain = text.replace(DROPPED, "").replace(COMPOSED, (letters) => letters.normalize("NFD"));
  return UNSPACED.test(plain) ? plain.replace(BOUNDARIES, SEPARATOR) : plain;
}

/** A text as it was before {@link toIndexed}. */
export function fromIndexed(text: string): string {
  return text.replace(EACH_SEPARATOR, "").replace(DECOMPOSED, (letters) => letters.normalize("NFC"));
}

/** The words of a query that count. */
export function wordsOf(query: string): readonly string[] {
  return (query.match(WORD) ?? []).slice(0, MAX_QUERY_WORDS);
}

/**
 * The expression of FTS5 that finds texts with all words. Each word is quoted, so that nothing in it is
 * syntax. `undefined` without words.
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
 * A part of a text around the first of the words, on one line; the beginning of the text when none of them is
 * in its first {@link EXCERPT_SEARCH_UNITS}. Cut ends show as `…`.
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

/** The first start of a word after a place in a text; the place itself in a long word. */
function wordStart(text: string, place: number): number {
  const space = text.slice(place, place + BEFORE_UNITS / 2).search(/\s/u);
  return space < 0 ? place : place + space + 1;
}

function fold(word: string): string {
  return word.normalize("NFD").replace(MARKS, "").toLowerCase();
}
