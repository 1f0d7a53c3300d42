/**
 * Converts Markdown to HTML that can be parsed and sanitized quickly. The syntax is CommonMark with the
 * tables, task lists and strikethrough of GFM. The page sanitizes the HTML, because DOMPurify needs a
 * document.
 */
import { Marked } from "marked";
import { ALLOWED_TAGS, renamed, RENAMED_TAGS } from "../markup.ts";
import { scope } from "./scope.ts";

/** Maximum length of the HTML that the page gets, in characters. */
const MAX_HTML_LENGTH = 512 * 1024;
/** Maximum number of elements in the HTML that the page gets. */
const MAX_ELEMENTS = 6000;
/**
 * Maximum number of lines in the HTML that the page gets. With more lines, the page shows the Markdown text
 * as it is.
 */
const MAX_LINES = 10_000;
/**
 * Maximum length of a tag with its attributes, in characters. The page removes attributes one by one, which
 * takes time.
 */
const MAX_TAG_LENGTH = 8192;
/**
 * Tags whose content is not HTML, or is in another namespace. DOMPurify removes these tags together with
 * their content.
 */
const REMOVED_TAGS =
  "iframe math noembed noframes noscript plaintext script style svg template textarea title xmp".split(" ");
/**
 * Replacement for an unknown tag, because DOMPurify would need more time to remove the tag. An empty
 * replacement could join the characters around the tag to another tag.
 */
const NOTHING = "<!---->";

const known = new Set([...ALLOWED_TAGS, ...REMOVED_TAGS]);
const toRename = new Set(RENAMED_TAGS);
const marked = new Marked({ gfm: true, async: false });

/** Converts a text to HTML; `undefined` if the HTML is more than a page can show at once. */
export function renderMarkdown(text: string): string | undefined {
  const html = marked.parse(text) as string;
  if (html.length > MAX_HTML_LENGTH || html.split("\n").length > MAX_LINES) return undefined;
  let elements = 0;
  let longest = 0;
  const tamed = html.replace(
    /<(\/?)([a-z][^\s/>]*)([^>]*)>?/gi,
    (_, slash: string, name: string, rest: string) => {
      if (slash === "") elements++;
      longest = Math.max(longest, name.length + rest.length);
      const tag = name.toLowerCase();
      if (!known.has(tag)) return NOTHING;
      return `<${slash}${toRename.has(tag) ? renamed(tag) : tag}${rest}>`;
    },
  );
  return elements > MAX_ELEMENTS || longest > MAX_TAG_LENGTH ? undefined : tamed;
}

scope.calls["renderMarkdown"] = renderMarkdown;
