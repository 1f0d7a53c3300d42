/**
 * The tags that a text in markdown may bring into the page, as the worker writes them and the page reads
 * them.
 */

/** All tags. */
export const ALLOWED_TAGS: readonly string[] = [
  ..."a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li ol"
    .split(" "),
  ..."p pre s samp span strong sub summary sup table tbody td tfoot th thead tr u ul var".split(" "),
];

/**
 * Tags that have another name until the text is cleaned and counted. When a parser of HTML finds one of them
 * open where a block ends, it opens it again in each block that follows (HTML 13.2.4.3, "reconstruct the
 * active formatting elements"), so that a text of 100 KB could become millions of elements. And thousands of
 * `details` around each other take a browser seconds as soon as they are made.
 */
export const RENAMED_TAGS: readonly string[] = ["a", "b", "code", "details", "em", "i", "s", "strong", "u"];

const PREFIX = "x-";

/** The other name of a tag. */
export function renamed(tag: string): string {
  return PREFIX + tag;
}

/** The tag that has this other name. */
export function originalTag(renamed: string): string {
  return renamed.slice(PREFIX.length);
}
