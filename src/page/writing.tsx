/** Forms for whoever has signed in. What has failed stands beside what caused it. */
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { explain } from "./answers.ts";
import { visitor } from "./app.ts";
import { Markdown } from "./markdown_view.tsx";
import { hashOf } from "./places.ts";

/** Reactions that are offered. */
const EMOJIS = ["👍", "👎", "🎉", "❤️", "🚀", "👀"];

/** A change that is on its way, or has failed. */
export interface Change {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Makes it; says whether it was made. One at a time. */
  readonly run: (change: () => Promise<unknown>) => Promise<boolean>;
}

/** The changes of one form. */
export function useChange(): Change {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef(false);
  const run = async (change: () => Promise<unknown>) => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await change();
      return true;
    } catch (error) {
      setError(error);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { isBusy, error, run };
}

/** Whether the visitor may write. */
export function maySign(): boolean {
  return visitor.ofSession !== undefined;
}

/** The failure of a change. */
export function ChangeFailure({ change: { error } }: { readonly change: Change }): JSX.Element | null {
  return error === undefined ? null : <p class="failure" role="alert">{explain(error)}</p>;
}

/** An invitation to sign in, for those who only read. */
export function SignInNote({ to }: { readonly to: string }): JSX.Element {
  return (
    <p class="note">
      <a href={hashOf(["sign-in"])}>Sign in</a> to {to}.
    </p>
  );
}

/** A text in markdown, with a preview. */
export function Editor(
  { label, value = "", action, onSubmit, onCancel, isOptional = false, children }: {
    readonly label: string;
    readonly value?: string;
    /** Name of the button. */
    readonly action: string;
    readonly onSubmit: (text: string) => Promise<unknown>;
    readonly onCancel?: (() => void) | undefined;
    readonly isOptional?: boolean;
    /** Further fields. */
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const [text, setText] = useState(value);
  const [isPreview, setPreview] = useState(false);
  const change = useChange();
  const send = async (event: Event) => {
    event.preventDefault();
    if (await change.run(() => onSubmit(text))) setText("");
  };
  return (
    <form class="editor" onSubmit={(event) => void send(event)}>
      {children}
      <div class="choice" role="group" aria-label={label}>
        <button type="button" aria-pressed={!isPreview} onClick={() => setPreview(false)}>Write</button>
        <button type="button" aria-pressed={isPreview} onClick={() => setPreview(true)}>Preview</button>
      </div>
      {isPreview
        ? (
          <div class="box inside">
            <Markdown text={text} />
          </div>
        )
        : (
          <textarea
            aria-label={label}
            name="text"
            rows={5}
            required={!isOptional}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.currentTarget.form
                  ?.requestSubmit();
              }
            }}
          />
        )}
      <ChangeFailure change={change} />
      <p class="actions">
        <button type="submit" disabled={change.isBusy}>{change.isBusy ? "Sending…" : action}</button>
        {onCancel && <button type="button" class="quiet" onClick={onCancel}>Cancel</button>}
      </p>
    </form>
  );
}

/** A text on one line that can be changed where it stands. */
export function LineEditor(
  { label, value, onSubmit, children }: {
    readonly label: string;
    readonly value: string;
    readonly onSubmit: (text: string) => Promise<unknown>;
    readonly children: ComponentChildren;
  },
): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const change = useChange();
  if (!isOpen) {
    return (
      <>
        {children} {maySign() && (
          <button
            type="button"
            class="quiet"
            aria-label={`Change ${label}`}
            onClick={() => setOpen(true)}
          >
            Edit
          </button>
        )}
      </>
    );
  }
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get("text"));
    if (await change.run(() => onSubmit(text.trim()))) setOpen(false);
  };
  return (
    <form class="line-editor" onSubmit={(event) => void send(event)}>
      <input name="text" aria-label={label} defaultValue={value} autoFocus autocomplete="off" />
      <button type="submit" disabled={change.isBusy}>Save</button>
      <button type="button" class="quiet" onClick={() => setOpen(false)}>Cancel</button>
      <ChangeFailure change={change} />
    </form>
  );
}

/** Reads a list that is written with commas. */
export function listOf(text: string): readonly string[] {
  return [...new Set(text.split(",").map((part) => part.trim()).filter((part) => part !== ""))];
}

/** A button that makes a change at once. */
export function ChangeButton(
  { children, onPress, kind = "quiet" }: {
    readonly children: ComponentChildren;
    readonly onPress: () => Promise<unknown>;
    readonly kind?: string;
  },
): JSX.Element {
  const change = useChange();
  return (
    <>
      <button type="button" class={kind} disabled={change.isBusy} onClick={() => void change.run(onPress)}>
        {children}
      </button>
      <ChangeFailure change={change} />
    </>
  );
}

/** Reactions, and for whoever has signed in the way to give and take one. */
export function Reactions(
  { reactions, me, onReact }: {
    readonly reactions: readonly { readonly emoji: string; readonly authors: readonly string[] }[];
    /** Node id of the visitor. */
    readonly me: string | undefined;
    readonly onReact?: ((emoji: string, active: boolean) => Promise<unknown>) | undefined;
  },
): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const change = useChange();
  if (reactions.length === 0 && onReact === undefined) return null;
  const isMine = (emoji: string) =>
    me !== undefined &&
    reactions.some((group) => group.emoji === emoji && group.authors.some((id) => id.endsWith(me)));
  const react = (emoji: string) => {
    setOpen(false);
    void change.run(() => onReact!(emoji, !isMine(emoji)));
  };
  return (
    <div class="reactions">
      {reactions.map(({ emoji, authors }) =>
        onReact === undefined
          ? <span class="reaction" key={emoji} title={authors.join(", ")}>{emoji} {authors.length}</span>
          : (
            <button
              type="button"
              class="reaction"
              key={emoji}
              title={authors.join(", ")}
              aria-pressed={isMine(emoji)}
              aria-label={`${emoji}, ${authors.length}`}
              onClick={() => react(emoji)}
            >
              {emoji} {authors.length}
            </button>
          )
      )}
      {onReact && (
        <button
          type="button"
          class="reaction"
          aria-expanded={isOpen}
          aria-label="React"
          onClick={() => setOpen(!isOpen)}
        >
          ☺
        </button>
      )}
      {isOpen &&
        EMOJIS.map((emoji) => (
          <button
            type="button"
            class="reaction"
            key={emoji}
            aria-label={`React with ${emoji}`}
            onClick={() => react(emoji)}
          >
            {emoji}
          </button>
        ))}
      <ChangeFailure change={change} />
    </div>
  );
}
