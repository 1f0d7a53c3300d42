/** Tags that a Markdown text may use in the page. */

export const ALLOWED_TAGS: readonly string[] = [
  ..."a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li ol"
    .split(" "),
  ..."p pre s samp span strong sub summary sup table tbody td tfoot th thead tr u ul var".split(" "),
];

/**
 * Tags that are renamed until the text is sanitized and its elements are counted. If a formatting element is
 * still open at the end of a block, an HTML parser repeats the element in each following block (HTML
 * 13.2.4.3, "reconstruct the active formatting elements"). A text of 100 KB could become millions of
 * elements. A browser needs seconds to create thousands of nested `details` elements.
 */
export const RENAMED_TAGS: readonly string[] = ["a", "b", "code", "details", "em", "i", "s", "strong", "u"];

const PREFIX = "x-";

export function renamed(tag: string): string {
  return PREFIX + tag;
}

export function originalTag(renamed: string): string {
  return renamed.slice(PREFIX.length);
}
