/** Tags that a Markdown text may use in the page. The worker writes these tags, and the page reads them. */

export const ALLOWED_TAGS: readonly string[] = [
  ..."a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li ol"
    .split(" "),
  ..."p pre s samp span strong sub summary sup table tbody td tfoot th thead tr u ul var".split(" "),
];

/**
 * Tags that have another name until the text is sanitized and its elements are counted. For most of these
 * tags, the reason is that an HTML parser opens the tag again in each following block if the end of a block
 * is inside the tag (HTML 13.2.4.3, "reconstruct the active formatting elements"). Therefore a text of 100 KB
 * could become millions of elements. For `details`, the reason is that thousands of nested elements take a
 * browser seconds as soon as they are created.
 */
export const RENAMED_TAGS: readonly string[] = ["a", "b", "code", "details", "em", "i", "s", "strong", "u"];

const PREFIX = "x-";

/** Returns the replacement name of a tag. */
export function renamed(tag: string): string {
  return PREFIX + tag;
}

/** Returns the original name of a renamed tag. */
export function originalTag(renamed: string): string {
  return renamed.slice(PREFIX.length);
}
