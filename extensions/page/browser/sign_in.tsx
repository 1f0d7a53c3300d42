/** The sign-in view, which accepts the token or the link that `xylem session` prints. */
import type { JSX } from "preact";
import { go, visitor } from "./app.ts";
import { Title } from "./parts.tsx";
import { hashOf } from "./places.ts";
import { parseSignIn } from "./session.ts";
import { Field, Form } from "./writing.tsx";

export function SignInView(): JSX.Element {
  const send = async ({ token = "" }) => {
    const signIn = parseSignIn(token);
    if (signIn === undefined) throw new Error("This is neither a token nor a link of xylem session.");
    await visitor.signIn(signIn);
    go(hashOf([]));
  };
  return (
    <div class="narrow">
      <Title text="Sign in" />
      <p>
        The command <code>xylem session</code>{" "}
        signs in with the key of the node. It prints a link to this page, which signs you in; paste the link
        or the token here if the link cannot be opened. Both are secrets. A link is good for a minute, a
        session for a week.
      </p>
      <Form kind="editor" action="Sign in" onSend={send}>
        <Field
          label="Token or link"
          id="token"
          name="token"
          type="password"
          spellcheck={false}
          required
          aria-describedby="token-help"
        />
        <p class="note" id="token-help">The token stays in this tab, and is gone when it closes.</p>
      </Form>
    </div>
  );
}
