/** Elements. Text of the API becomes text nodes, never HTML. */

/** A part of an element: another one, a text, or nothing. */
export type Child = Node | string | number | false | null | undefined;

/** Attributes by name, and listeners of events by `on` and the name of the event. */
export type Attributes = Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>;

/** Makes an element. Attributes that are `false` or `undefined` are left out. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice("on".length), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  fill(element, ...children);
  return element;
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(
    ...children.flatMap((child) =>
      child === false || child === null || child === undefined
        ? []
        : [typeof child === "number" ? String(child) : child]
    ),
  );
}

/** A link to a view of this page, or to an answer of the service. */
export function link(href: string, ...children: readonly Child[]): HTMLAnchorElement {
  return el("a", { href }, ...children);
}

/** A text that is often too long for its place, such as an id: whole for programs and on demand. */
export function code(text: string): HTMLElement {
  return el("code", { title: text }, text);
}

/** A sentence in which parts between backticks are code. */
export function prose(text: string): readonly Child[] {
  return text.split(/`([^`]+)`/).map((part, i) => i % 2 === 1 ? el("code", {}, part) : part);
}

/** A button that copies a text; nothing where the browser has no clipboard for this page. */
export function copyButton(text: string, name: string): HTMLButtonElement | undefined {
  if (!("clipboard" in navigator)) return undefined;
  const button = el("button", {
    type: "button",
    class: "quiet",
    "aria-label": `Copy ${name}`,
    onclick: () => void navigator.clipboard.writeText(text).then(() => button.textContent = "Copied"),
  }, "Copy");
  return button;
}

/** A word that stands out, such as a state. */
export function badge(text: string): HTMLElement {
  return el("span", { class: `badge ${text}` }, text);
}

/** A time, given in seconds since the Unix epoch. */
export function time(seconds: number): HTMLTimeElement {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return el("time", {}, "unknown time");
  const iso = date.toISOString();
  return el("time", { datetime: iso, title: iso }, date.toLocaleDateString("en", { dateStyle: "medium" }));
}

/** A region that is filled when its content is there. Says that it waits, and what has failed. */
export function loading(content: Promise<Child | readonly Child[]>): HTMLElement {
  const place = el("div", { "aria-busy": "true" }, el("p", { class: "note", role: "status" }, "Loading…"));
  content.then(
    (made) => fill(place, ...(Array.isArray(made) ? made : [made])),
    (error) => fill(place, errorNote(error)),
  ).finally(() => place.removeAttribute("aria-busy"));
  return place;
}

/** A paragraph with the reason of a failure. */
export function errorNote(error: unknown): HTMLElement {
  const reason = error instanceof Error ? error.message : String(error);
  return el("p", { class: "error", role: "alert" }, reason);
}
