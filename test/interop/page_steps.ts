/** Steps that tests take in pages of a browser: each function runs there, and stands for itself. */

/** Waits for an element that a selector finds and whose text has a part. */
export function waitFor(selector: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const isThere = () =>
      [...document.querySelectorAll(selector)].some(({ textContent }) => textContent.includes(text));
    if (isThere()) return resolve();
    const observer = new MutationObserver(() => {
      if (!isThere()) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}

/** Goes to a place in the page, and waits until a new view has its heading. */
export function goTo(hash: string, heading: string): Promise<void> {
  return new Promise((resolve) => {
    const before = document.querySelector("h1");
    // Another query is the same view.
    const isSameView = (location.hash || "#/").split("?")[0] === hash.split("?")[0];
    if (isSameView && before?.textContent === heading) {
      location.hash = hash;
      return resolve();
    }
    const observer = new MutationObserver(() => {
      const now = document.querySelector("h1");
      if (now === null || now === before || now.textContent !== heading) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(document, { subtree: true, childList: true });
    location.hash = hash;
  });
}

/** Changes the part of the address behind `#`. */
export function setHash(hash: string): Promise<void> {
  location.hash = hash;
  return Promise.resolve();
}

/** Texts of all elements that a selector finds. */
export function textsOf(selector: string): Promise<string[]> {
  return Promise.resolve([...document.querySelectorAll(selector)].map(({ textContent }) => textContent));
}

/** Clicks, when the element is there. */
export async function clickIn(selector: string): Promise<void> {
  while (document.querySelector(selector) === null) await new Promise((resume) => setTimeout(resume));
  document.querySelector<HTMLElement>(selector)!.click();
}

/** Writes into a field, when it is there. */
export async function type(selector: string, text: string): Promise<void> {
  while (document.querySelector(selector) === null) await new Promise((resume) => setTimeout(resume));
  const field = document.querySelector<HTMLInputElement>(selector)!;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** All values that the browser stores for the origin of the page, those of the tab apart, and the address. */
export function storedSecrets(): Promise<{ session: string[]; others: string[]; address: string }> {
  return Promise.resolve({
    session: Object.values(sessionStorage) as string[],
    others: [
      ...Object.values(localStorage) as string[],
      ...document.cookie.split(";").filter((text) => text),
    ],
    address: location.href,
  });
}

/** The title of a page, or of a picture. */
export function titleOf(): Promise<string> {
  return Promise.resolve(document.title);
}

/** Ways by which foreign content could come into the page or leave it; names those that work. */
export async function comeIn(outside: string, raw: string): Promise<string[]> {
  const element = <Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    set: (made: HTMLElementTagNameMap[Tag]) => void,
  ) =>
    new Promise<boolean>((resolve) => {
      const made = document.createElement(tag);
      made.onload = () => resolve(true);
      made.onerror = () => resolve(false);
      set(made);
      document.body.append(made);
    });
  const tries: Record<string, () => unknown> = {
    "HTML from text": () => document.createElement("div").innerHTML = "<b>b</b>",
    "a document from text": () => new DOMParser().parseFromString("<b>b</b>", "text/html"),
    "a script from text": () => document.createElement("script").text = "1",
    "a script's address from text": () => document.createElement("script").src = "page/x.js",
    "a policy of its own": () =>
      (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } })
        .trustedTypes.createPolicy("mine", {}),
    "a worker": () => new Worker(raw),
    "a request to another host": () => fetch(outside),
    "an image of another host": () => element("img", (made) => made.src = `${outside}/hostile.svg`),
    "an image of a repository": () => element("img", (made) => made.src = raw),
    "a style": () =>
      element("link", (made) => Object.assign(made, { rel: "stylesheet", href: `${outside}/style.css` })),
    "a service worker": () => navigator.serviceWorker.register(raw),
  };
  const worked: string[] = [];
  for (const [name, attempt] of Object.entries(tries)) {
    const result = await Promise.resolve().then(attempt).then((value) => value !== false, () => false);
    if (result) worked.push(name);
  }
  return worked;
}

/** Notes what the policy of the page refuses from now on. */
export function noteViolations(): Promise<void> {
  const refused: string[] = [];
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    refused.push(`${effectiveDirective} ${blockedURI}`);
  });
  Object.assign(globalThis, { refused });
  return Promise.resolve();
}

/** What {@link noteViolations} has noted: the directive and the address of each. */
export function notedViolations(): Promise<string[]> {
  return Promise.resolve((globalThis as unknown as { refused: string[] }).refused);
}

/**
 * Ways by which files of this host could become parts of the page, if a text came into it unchecked; names those
 * that work.
 */
export async function takeIn(
  { style, script, document: other }: Readonly<Record<"style" | "script" | "document", string>>,
): Promise<string[]> {
  const element = <Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    members: Partial<HTMLElementTagNameMap[Tag]>,
  ) =>
    new Promise<boolean>((resolve) => {
      const made = document.createElement(tag);
      made.onload = () => resolve(true);
      made.onerror = () => resolve(false);
      document.body.append(Object.assign(made, members));
    });
  // The one policy by which the page itself makes a worker.
  const rules = { createScriptURL: (text: string) => text };
  const { trustedTypes: trusted } = globalThis as unknown as {
    trustedTypes: { createPolicy(name: string, own: typeof rules): typeof rules };
  };
  const tries: Record<string, () => unknown> = {
    "a style": () => element("link", { rel: "stylesheet", href: style }),
    "a style in a style": () => element("style", { textContent: `@import url("${style}")` }),
    "a module": () => import(script),
    "a module that waits": () => element("link", { rel: "modulepreload", href: script }),
    "a script": () => element("script", { src: script }),
    "a worker": () => new Worker(script),
    "a worker that the page has made": () =>
      new Promise<boolean>((resolve) => {
        const made = new Worker(trusted.createPolicy("worker", rules).createScriptURL(script));
        made.onmessage = () => resolve(true);
        made.onerror = () => resolve(false);
      }),
    "a shared worker": () => new SharedWorker(script),
    "a service worker": () => navigator.serviceWorker.register(script),
    "an object": () => element("object", { data: other }),
    // It is there in any case: what is refused is told by the policy alone.
    "a frame": () => element("iframe", { src: other }).then(() => false),
  };
  const worked: string[] = [];
  for (const [name, attempt] of Object.entries(tries)) {
    const result = await Promise.resolve().then(attempt).then((value) => value !== false, () => false);
    if (result) worked.push(name);
  }
  return worked;
}

/** What has changed in the page by a style or a script of {@link takeIn}. */
export function changedBy(): Promise<string[]> {
  const isHidden = getComputedStyle(document.querySelector("main")!).display === "none";
  return Promise.resolve([
    ...(isHidden ? ["style"] : []),
    ...(/^ran/.test(document.title) ? ["script"] : []),
  ]);
}

/** What the page hears of a frame until it is there, and whether it can read in it. */
export async function heardOfFrame(path: string): Promise<{ heard: string[]; isReadable: boolean }> {
  const heard: string[] = [];
  const hear = ({ data }: MessageEvent) => heard.push(String(data));
  addEventListener("message", hear);
  const frame = document.createElement("iframe");
  await new Promise((resolve) => {
    frame.onload = resolve;
    frame.src = path;
    document.documentElement.append(frame);
  });
  await new Promise((resume) => setTimeout(resume));
  removeEventListener("message", hear);
  const isReadable = frame.contentDocument !== null;
  frame.remove();
  return { heard, isReadable };
}

/** All faults that axe finds when nothing moves or fades any more, each with the places where it is. */
export async function faultsByAxe(): Promise<string[]> {
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  // deno-lint-ignore no-explicit-any -- a global of its script
  const { violations } = await (globalThis as any).axe.run(document, { resultTypes: ["violations"] });
  return violations.map(({ id, nodes }: { id: string; nodes: readonly { html: string }[] }) =>
    `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" ")}`
  );
}

/** Width that the page takes, in CSS pixels. */
export function widthOfPage(): Promise<number> {
  return Promise.resolve(document.documentElement.scrollWidth);
}

/** Marks all that a visitor may use, puts the focus before it, and says how often Tab has to be pressed. */
export function startOfTabbing(): Promise<number> {
  const usable = [...document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex='0']",
  )].filter((element) => element.tabIndex >= 0 && element.checkVisibility());
  for (const element of usable) element.dataset["wanted"] = "";
  (document.activeElement as HTMLElement | null)?.blur();
  // Focus begins at the start of the document.
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
  scrollTo(0, 0);
  return Promise.resolve(usable.length);
}

/** Takes the mark of what has the focus, if it can be seen that it has. */
export function markFocused(): Promise<void> {
  const element = document.activeElement as HTMLElement;
  if (getComputedStyle(element).outlineStyle !== "none") delete element.dataset["wanted"];
  return Promise.resolve();
}

/** Elements that still have the mark of {@link startOfTabbing}. */
export function unreached(): Promise<string[]> {
  return Promise.resolve(
    [...document.querySelectorAll("[data-wanted]")].map(({ outerHTML }) => outerHTML.slice(0, 200)),
  );
}

/** Puts the focus on an element. */
export function focus(selector: string): Promise<void> {
  document.querySelector<HTMLElement>(selector)!.focus();
  return Promise.resolve();
}

/** Text of the element that has the focus. */
export function focusedText(): Promise<string> {
  return Promise.resolve(document.activeElement?.textContent ?? "");
}

/** Sends a form, when it is there. */
export async function submit(selector: string): Promise<void> {
  while (document.querySelector(selector) === null) await new Promise((resume) => setTimeout(resume));
  document.querySelector<HTMLFormElement>(selector)!.requestSubmit();
}
