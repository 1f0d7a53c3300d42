/**
 * Markdown in the page. The worker turns it into HTML (`worker/markdown.ts`), and DOMPurify cleans this HTML;
 * only its policy of trusted types may create HTML. Removed are scripts, styles, forms, names that scripts
 * could mistake for others, and addresses that would load something from other hosts.
 */
import createDOMPurify from "dompurify";
import { ALLOWED_TAGS, originalTag, renamed, RENAMED_TAGS } from "./markup.ts";
import type { PictureSource } from "./pictures.ts";
import { atPath, decode, inRepository, type PathProps } from "./places.ts";

/** The file that contains a text. Links and pictures in the text are relative to it. */
export interface TextPlace extends PathProps {
  readonly rid: string;
}

/** A picture in a text, and its source. */
export interface Picture {
  readonly element: HTMLImageElement;
  readonly source: PictureSource;
}

const ATTRIBUTES = "align alt checked class colspan height href open rowspan src start title width".split(
  " ",
);
/** Allowed addresses of links: web, mail, and relative addresses. */
const ADDRESSES = /^(?:https?:|mailto:|rad:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;
/** Most elements inside each other: browsers take seconds to lay out a text that is nested more deeply. */
const MAX_DEPTH = 100;
/** The replacement names of all renamed tags. */
const RENAMED = RENAMED_TAGS.map(renamed);
const purify = createDOMPurify();

/**
 * Draws a text. `undefined` for a text that is nested too deeply.
 *
 * @param html The text as HTML that is not cleaned yet.
 * @param embeds Object ids of blobs by the names that the text uses for them.
 * @param firstLevel Level of the highest heading: one below the heading of the view.
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
    // Checkboxes of task lists.
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

/** Depth of the most deeply nested element, counted with the element itself. */
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

/** Gives renamed elements their original names. */
function renameBack(content: DocumentFragment): void {
  for (const element of content.querySelectorAll(RENAMED.join())) {
    const replaced = document.createElement(originalTag(element.localName));
    for (const { name, value } of element.attributes) replaced.setAttribute(name, value);
    replaced.append(...element.childNodes);
    element.replaceWith(replaced);
  }
}

/** Removes classes, except on code, where they name the language. */
function keepLanguages(content: DocumentFragment): void {
  for (const element of content.querySelectorAll("[class]")) {
    const language = element.localName === "code" && /^language-([\w+#-]+)$/.exec(element.className);
    if (language) element.className = `language-${language[1]}`;
    else element.removeAttribute("class");
  }
}

/** Moves headings below the headings of the view, without gaps between levels. */
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

/** Makes a link open another host in its own tab, or a place in the repository. */
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
  // A picture on another host becomes a link: the page loads nothing from there.
  const link = document.createElement("a");
  link.textContent = element.alt || src || "picture";
  if (/^https?:/i.test(src)) leadOut(link, src);
  // Links cannot be nested.
  if (element.closest("a") === null) element.replaceWith(link);
  else element.replaceWith(element.alt || "picture");
  return [];
}

/**
 * A path relative to a file. `undefined` for addresses, for places inside the text, and for paths outside of
 * the repository.
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
