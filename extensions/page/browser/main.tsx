/** The entry of the page. It draws the frame, and the view that the address names. */
import { type ComponentType, type JSX, render } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { forgetAnswers } from "./answers.ts";
import { go, REPLACED, visitor } from "./app.ts";
import { Home } from "./home.tsx";
import { lazily } from "./lazily.tsx";
import { currentIf, Failure, focusNextTitle, Nowhere } from "./parts.tsx";
import { hashOf, parsePlace, type ViewProps } from "./places.ts";
import { shareChanges } from "./live.ts";
import { Repository } from "./repository.tsx";
import { keepScroll, restoreScroll } from "./scroll.ts";
import { parseSignIn } from "./session.ts";

/**
 * Views, by the first segment of the address after `#`. The code of some views is loaded when they are
 * opened.
 */
const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  "": Home,
  repositories: Repository,
  node: lazily("node", async () => (await import("./node.tsx")).Node),
  search: lazily("search", async () => (await import("./search.tsx")).Search),
  "sign-in": lazily("sign-in", async () => (await import("./sign_in.tsx")).SignInView),
  reference: lazily("reference", async () => (await import("./reference/view.tsx")).Reference),
};

/** The error of the last failed sign-in with a link of `xylem session`. */
let signInFailure: unknown;

function App(): JSX.Element {
  const [hash, setHash] = useState(location.hash);
  const [, redraw] = useState(0);
  const [arrivals, arrive] = useState(0);
  useEffect(() => {
    const show = () => {
      if (followsSignInLink()) return;
      focusNextTitle();
      setHash(location.hash);
      arrive((count) => count + 1);
    };
    const showReplaced = () => setHash(location.hash);
    addEventListener("hashchange", show);
    addEventListener(REPLACED, showReplaced);
    visitor.onchange = () => {
      forgetAnswers();
      redraw((turn) => turn + 1);
    };
  }, []);
  // This effect must run after the view has been drawn.
  useLayoutEffect(restoreScroll, [arrivals]);
  const place = parsePlace(hash);
  const View = VIEWS[place.parts[0] ?? ""] ?? Nowhere;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <Header place={place} />
      <main id="main" tabIndex={-1}>
        <Failure error={signInFailure} />
        <View key={`${place.parts.join("/")} ${visitor.token ?? ""}`} place={place} />
      </main>
      <footer>
        <a href={hashOf(["reference"])}>API reference</a>
        <a href={hashOf(["node"])}>This node</a>
        <span>Served by Xylem</span>
      </footer>
    </>
  );
}

function Header({ place }: ViewProps): JSX.Element {
  const section = place.parts[0] ?? "";
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const words = String(new FormData(event.currentTarget as HTMLFormElement).get("words"));
    if (words.trim() !== "") go(hashOf(["search", words]));
  };
  return (
    <header>
      <a class="brand" href={hashOf([])}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 15V7M8 9C3 9 2 5 2 2c4 0 6 3 6 7M8 7c4 0 6-2 6-5-4 0-6 2-6 5" />
        </svg>
        Xylem
      </a>
      <nav aria-label="Page">
        <a href={hashOf([])} aria-current={currentIf(["", "repositories"].includes(section))}>Repositories</a>
        <a href={hashOf(["node"])} aria-current={currentIf(section === "node")}>Node</a>
        <a href={hashOf(["reference"])} aria-current={currentIf(section === "reference")}>API reference</a>
      </nav>
      <form role="search" onSubmit={search}>
        <input
          type="search"
          name="words"
          aria-label="Search repositories, issues and patches"
          placeholder="Search"
          maxLength={256}
          defaultValue={section === "search" ? place.parts[1] ?? "" : ""}
          key={section}
        />
      </form>
      <div class="account">
        {visitor.ofSession === undefined ? <a href={hashOf(["sign-in"])}>Sign in</a> : (
          <>
            <span>
              Signed in as <b>{visitor.ofSession}</b>
            </span>
            <button type="button" class="quiet" onClick={() => void visitor.signOut()}>Sign out</button>
          </>
        )}
      </div>
    </header>
  );
}

/**
 * Signs in if the address is a link that `xylem session` has printed. The link is secret, so it is removed
 * from the address before the sign-in. Returns whether the address is such a link.
 */
function followsSignInLink(): boolean {
  if (!location.hash.startsWith("#/session/")) return false;
  const signIn = parseSignIn(location.hash.slice("#".length));
  history.replaceState(null, "", location.pathname);
  const done = signIn === undefined
    ? Promise.reject(new Error("The link is incomplete: copy it whole."))
    : visitor.signIn(signIn);
  signInFailure = undefined;
  done.catch((error) => {
    signInFailure = error;
  }).finally(() => dispatchEvent(new HashChangeEvent("hashchange")));
  return true;
}

keepScroll();
shareChanges();
visitor.resume();
followsSignInLink();
render(<App />, document.body);
