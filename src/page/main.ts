/** The page: its frame, and the view that the address names. */
import { type Child, el, errorNote, fill, link } from "./dom.ts";
import { homeView } from "./home_view.ts";
import { repositoryView } from "./repository_view.ts";
import { parseSignIn, Visitor } from "./session.ts";
import { searchView } from "./search_view.ts";
import { signInView } from "./sign_in_view.ts";
import { parsePlace, type View, type ViewContext } from "./views.ts";

const visitor = new Visitor(new URL(".", location.href), sessionStorage);
const context: ViewContext = { visitor, seen: new Map(), go };

const main = el("main", { id: "main", tabindex: "-1" });
const account = el("div", { class: "account" });
const navigation = el(
  "nav",
  { "aria-label": "Page" },
  link("#/", "Repositories"),
  link("#/reference", "API reference"),
);

/** Number of the view that was asked for last: of several that load, it is shown. */
let asked = 0;

function go(hash: string): void {
  if (location.hash === hash) void show();
  else location.hash = hash;
}

/** Shows the view that the address names. */
async function show({ isFirst = false } = {}): Promise<void> {
  const number = ++asked;
  main.setAttribute("aria-busy", "true");
  const [view, failure] = await viewOf(location.hash).then(
    (view) => [view, undefined] as const,
    (error) => [undefined, errorNote(error)] as const,
  );
  if (number !== asked || view === "elsewhere") return;
  const { title, content }: View = view ?? { title: "Not shown", content: [failure!] };
  const heading = el("h1", { tabindex: "-1" }, title);
  fill(main, heading, ...content);
  main.removeAttribute("aria-busy");
  document.title = `${title} · Xylem`;
  showAccount();
  markCurrent();
  if (isFirst) return;
  scrollTo(0, 0);
  // A reader of the screen learns that the view has changed.
  heading.focus({ preventScroll: true });
}

/** Finds the view; `elsewhere` when the address has been replaced meanwhile. */
async function viewOf(hash: string): Promise<View | "elsewhere"> {
  const place = parsePlace(hash);
  switch (place.name) {
    case "home":
      return await homeView(context);
    case "repository":
      return await repositoryView(context, place.rid, place.path);
    case "search":
      return searchView(context, place.words);
    case "sign-in":
      return signInView(context);
    case "session":
      await signInByLink(place.link);
      return "elsewhere";
    case "reference": {
      const { referenceView } = await import("./reference/view.ts");
      return await referenceView(context, place.operation);
    }
  }
}

/** Signs in by a link of `xylem session`. The link leaves the address before it is used: it is a secret. */
async function signInByLink(text: string): Promise<void> {
  history.replaceState(null, "", location.pathname);
  const signIn = parseSignIn(text);
  if (signIn === undefined) throw new Error("The link is incomplete: copy it whole.");
  await visitor.signIn(signIn);
  void show();
}

function showAccount(): void {
  const { ofSession } = visitor;
  const parts: readonly Child[] = ofSession === undefined ? [link("#/sign-in", "Sign in")] : [
    el("span", {}, "Signed in as ", el("b", {}, ofSession)),
    " ",
    el("button", { type: "button", onclick: () => void visitor.signOut().then(() => show()) }, "Sign out"),
  ];
  fill(account, ...parts);
}

/** Marks the link of the view that is shown. */
function markCurrent(): void {
  for (const one of navigation.querySelectorAll("a")) {
    const isCurrent = one.hash === "#/reference"
      ? location.hash.startsWith("#/reference")
      : !/^#\/(?:reference|sign-in)/.test(location.hash);
    if (isCurrent) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
}

document.body.prepend(
  el(
    "button",
    { type: "button", class: "skip", onclick: () => main.focus() },
    "Skip to the content",
  ),
  el("header", {}, link("#/", el("span", { class: "brand" }, "Xylem")), navigation, account),
  main,
);
addEventListener("hashchange", () => void show());
void visitor.resume().then(() => show({ isFirst: true }));
