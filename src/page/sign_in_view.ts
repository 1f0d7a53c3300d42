/** The view in which visitors sign in, by the token or the link that `xylem session` prints. */
import { el, errorNote, fill } from "./dom.ts";
import { parseSignIn } from "./session.ts";
import type { View, ViewContext } from "./views.ts";

/** Shows the form, or whose session it is. */
export function signInView({ visitor, go }: ViewContext): View {
  const input = el("input", {
    id: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "token-help",
  });
  const place = el("div");
  const submit = async () => {
    fill(place);
    try {
      const signIn = parseSignIn(input.value);
      if (signIn === undefined) throw new Error("This is neither a token nor a link of xylem session.");
      await visitor.signIn(signIn);
      go("#/");
    } catch (error) {
      fill(place, errorNote(error));
      input.focus();
    }
  };
  return {
    title: "Sign in",
    content: [
      el(
        "p",
        {},
        "The command ",
        el("code", {}, "xylem session"),
        " signs in with the key of the node. It prints a link to this page, which signs you in; paste the link or " +
          "the token here if the link cannot be opened. Both are secrets. A link is good for a minute, a session for a week.",
      ),
      el(
        "form",
        {
          onsubmit: (event) => {
            event.preventDefault();
            void submit();
          },
        },
        el("label", { for: "token" }, "Token or link"),
        input,
        el(
          "p",
          { class: "note", id: "token-help" },
          "The token stays in this tab, and is gone when it closes.",
        ),
        el("button", { type: "submit" }, "Sign in"),
        place,
      ),
    ],
  };
}
