/**
 * Draws Markdown in the page. A worker converts Markdown to HTML (`worker/markdown.ts`), and DOMPurify
 * removes scripts, styles, forms, names that could replace properties of the document (DOM clobbering), and
 * URLs that would load something from other hosts. Only the trusted types policy of DOMPurify may create
 * HTML.
 */
import createDOMPurify from "dompurify";
import { ALLOWED_TAGS, originalTag, renamed, RENAMED_TAGS } from "./markup.ts";
import type { PictureSource } from "./pictures.ts";
import { atPath, decode, inRepository, type PathProps } from "./places.ts";

/** The file that contains a text. Relative links and pictures in the text refer to this file. */
export interface TextPlace extends PathProps {
  readonly rid: string;
}

/** An image element, and the source of its picture. */
export interface Picture {
  readonly element: HTMLImageElement;
  readonly source: PictureSource;
}

const ATTRIBUTES = "align alt checked class colspan height href open rowspan src start title width".split(
  " ",
);
/** Allowed targets of links: web and mail addresses, `rad:` ids, and relative addresses. */
const ADDRESSES = /^(?:https?:|mailto:|rad:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;
/** Maximum depth of nested elements. Browsers take seconds to lay out a more deeply nested text. */
const MAX_DEPTH = 100;
/** Names of the tags that the worker renames. */
const RENAMED = RENAMED_TAGS.map(renamed);
const purify = createDOMPurify();

/**
 * Draws a text. Returns `undefined` if its elements are nested too deeply.
 *
 * @param html The text as HTML that is not sanitized yet.
 * @param embeds Object ids of embedded files, by the names in the text.
 * @param firstLevel Level of the highest heading in the text. It should be one below the level of the view's
 * heading.
 */
export function drawMarkdown(
  html: string,
  place: TextPlace | undefined,
  embeds: ReadonlyMap<string, string>,
  firstLevel: number,
): { readonly content: DocumentFragment; readonly pictures: readonly Picture[] } | undefined {
  const content = purify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [...ALLOWED_TAGS, ...RENAMED],
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESSES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
  if (depthOf(content) > MAX_DEPTH) return undefined;
  renameBack(content);
  keepLanguages(content);
  orderHeadings(content, firstLevel);
  for (const box of content.querySelectorAll("input")) {
    // The text contains a checkbox for each item of a task list.
    const replaced = document.createElement("span");
    replaced.className = "task";
    replaced.textContent = box.checked ? "☑ " : "☐ ";
    box.replaceWith(replaced);
  }
  for (const block of content.querySelectorAll("pre")) block.tabIndex = 0;
  for (const table of content.querySelectorAll("table")) wrapTable(table);
  for (const link of content.querySelectorAll("a")) aim(link, place);
  const pictures = [...content.querySelectorAll("img")].flatMap((image) => picture(image, place, embeds));
  return { content, pictures };
}

function depthOf(content: DocumentFragment): number {
  let depth = 0;
  let most = 0;
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT);
  for (;;) {
    if (walker.firstChild() !== null) most = Math.max(most, ++depth);
    else {
      while (walker.nextSibling() === null) {
        if (walker.parentNode() === null) return most;
        depth--;
      }
    }
  }
}

function renameBack(content: DocumentFragment): void {
  for (const element of content.querySelectorAll(RENAMED.join())) {
    const replaced = document.createElement(originalTag(element.localName));
    for (const { name, value } of element.attributes) replaced.setAttribute(name, value);
    replaced.append(...element.childNodes);
    element.replaceWith(replaced);
  }
}

/** Removes all classes except the language classes of code elements. */
function keepLanguages(content: DocumentFragment): void {
  for (const element of content.querySelectorAll("[class]")) {
    const language = element.localName === "code" && /^language-([\w+#-]+)$/.exec(element.className);
    if (language) element.className = `language-${language[1]}`;
    else element.removeAttribute("class");
  }
}

/**
 * Changes the levels of headings so that they are below the headings of the view, without skipping a level.
 */
function orderHeadings(content: DocumentFragment, firstLevel: number): void {
  let last = firstLevel - 1;
  for (const heading of content.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const level = Math.min(Number(heading.localName[1]) + firstLevel - 1, last + 1, 6);
    const replaced = document.createElement(`h${level}`);
    replaced.className = `size-${heading.localName[1]}`;
    replaced.append(...heading.childNodes);
    heading.replaceWith(replaced);
    last = level;
  }
}

function wrapTable(table: HTMLTableElement): void {
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  table.replaceWith(scroll);
  scroll.append(table);
}

/**
 * Sets the target of a link. A link to another host opens in a new tab. A relative link leads to a view of
 * the repository.
 */
function aim(link: HTMLAnchorElement, place: TextPlace | undefined): void {
  const href = link.getAttribute("href");
  link.removeAttribute("href");
  if (href === null) return;
  const path = place && resolvePath(place.path, href);
  if (/^(?:https?:|mailto:)/i.test(href)) leadOut(link, href);
  else if (/^rad:z\w+$/.test(href)) link.href = inRepository(href);
  else if (place && path !== undefined) {
    link.href = atPath(place.rid, /\/$/.test(href) ? "tree" : "blob", place.revision, path);
  }
}

function leadOut(link: HTMLAnchorElement, href: string): void {
  Object.assign(link, { href, target: "_blank", rel: "noopener noreferrer" });
}

function picture(
  element: HTMLImageElement,
  place: TextPlace | undefined,
  embeds: ReadonlyMap<string, string>,
): readonly Picture[] {
  const src = element.getAttribute("src") ?? "";
  element.removeAttribute("src");
  const oid = embeds.get(src) ?? embeds.get(decode(src));
  if (oid !== undefined) return [{ element, source: { oid } }];
  const path = place && resolvePath(place.path, src);
  if (place && path !== undefined) return [{ element, source: { revision: place.revision, path } }];
  // The page loads nothing from other hosts, so a link replaces the picture.
  const link = document.createElement("a");
  link.textContent = element.alt || src || "picture";
  if (/^https?:/i.test(src)) leadOut(link, src);
  // Links cannot be nested.
  if (element.closest("a") === null) element.replaceWith(link);
  else element.replaceWith(element.alt || "picture");
  return [];
}

/**
 * Resolves a path relative to the path of a file; `undefined` for URLs, for links inside the text, and for
 * paths that lead out of the repository.
 */
export function resolvePath(from: string, relative: string): string | undefined {
  if (/^(?:[\w+.-]+:|\/\/|#)/.test(relative)) return undefined;
  const [path = ""] = decode(relative).split(/[?#]/);
  const parts = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join("/");
}
