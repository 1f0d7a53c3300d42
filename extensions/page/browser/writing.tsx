/** Forms. An error is shown next to the field or button that caused it. */
import type { ComponentChildren, InputHTMLAttributes, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Embed, ReactionGroup } from "../../../src/client/mod.ts";
import { maySign } from "./app.ts";
import { Markdown } from "./markdown_view.tsx";
import { Failure } from "./parts.tsx";
import { hashOf } from "./places.ts";

/** Reactions that a visitor can choose. */
const EMOJIS = ["👍", "👎", "🎉", "❤️", "🚀", "👀"];
/**
 * Maximum total size of the files that are attached to a text, in bytes. The service accepts request bodies
 * of at most 4 MiB.
 */
export const MAX_EMBEDDED_BYTES = 2 * 1024 * 1024;

/**
 * Returns a function that sends changes one at a time, whether a change is being sent, and the error of the
 * last change.
 */
function useChange() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef(false);
  const run = async (change: () => unknown) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await change();
    } catch (error) {
      setError(error);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { isBusy, error, run };
}

/** Draws its children for visitors who have signed in, and an invitation to sign in for other visitors. */
export function SignedIn(
  { to, children }: { readonly to: string; readonly children?: ComponentChildren },
): JSX.Element {
  if (maySign()) return <>{children}</>;
  return (
    <p class="note">
      <a href={hashOf(["sign-in"])}>Sign in</a> to {to}.
    </p>
  );
}

/** Draws a form with a button. If sending fails, draws the error. A form without fields is only a button. */
export function Form(
  { kind = "", label, action, isQuiet = false, onSend, onCancel, children }: {
    /** CSS class of the form. */
    readonly kind?: string;
    readonly label?: string;
    /** Label of the button. */
    readonly action: string;
    readonly isQuiet?: boolean;
    /** Receives the values of the fields by field name, without spaces around the values. */
    readonly onSend: (fields: Readonly<Record<string, string>>) => unknown;
    readonly onCancel?: (() => void) | undefined;
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const change = useChange();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget as HTMLFormElement)];
    void change.run(() =>
      onSend(Object.fromEntries(fields.map(([name, value]) => [name, `${value}`.trim()])))
    );
  };
  return (
    <form class={kind} aria-label={label} onSubmit={send}>
      {children}
      <Failure error={change.error} />
      <span class="actions">
        <button type="submit" class={isQuiet ? "quiet" : ""} disabled={change.isBusy}>
          {change.isBusy ? "Sending…" : action}
        </button>
        {onCancel && <button type="button" class="quiet" onClick={onCancel}>Cancel</button>}
      </span>
    </form>
  );
}

export function Field(
  { label, ...input }: { readonly label: string } & InputHTMLAttributes<HTMLInputElement>,
): JSX.Element {
  return (
    <label>
      {label} <input autocomplete="off" {...input} />
    </label>
  );
}

/** The content of a form: a text, its attached files, and the values of further fields. */
export interface Written {
  readonly body: string;
  readonly embeds: readonly Embed[];
  readonly fields: Readonly<Record<string, string>>;
}

/** Draws an editor for a Markdown text, with a preview and files. */
export function Editor(
  { label, value = "", files = [], action, onSend, onCancel, isSummary = false, children }: {
    readonly label: string;
    readonly value?: string;
    /** Files that already belong to the text. */
    readonly files?: readonly Embed[];
    readonly action: string;
    readonly onSend: (written: Written) => Promise<unknown>;
    readonly onCancel?: (() => void) | undefined;
    /** Whether the text is a summary. A summary may be empty, and has no attached files. */
    readonly isSummary?: boolean;
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const [body, setBody] = useState(value);
  const [embeds, setEmbeds] = useState(files);
  const [isPreview, setPreview] = useState(false);
  const attaching = useChange();
  const send = async (fields: Written["fields"]) => {
    await onSend({ body, embeds, fields });
    setBody("");
    setEmbeds([]);
    setPreview(false);
  };
  const attach = async (input: HTMLInputElement) => {
    const chosen = [...input.files ?? []];
    const bytes = embeds.reduce((sum, { content }) => sum + content.length * 3 / 4, 0) +
      chosen.reduce((sum, { size }) => sum + size, 0);
    input.value = "";
    if (bytes > MAX_EMBEDDED_BYTES) {
      throw new Error(`The files are larger than ${MAX_EMBEDDED_BYTES / 1024 / 1024} MiB together.`);
    }
    const { dataAddress } = await import("./pictures.ts");
    const added = await Promise.all(
      chosen.map(async (file) => ({ name: file.name, content: await dataAddress(file) })),
    );
    setEmbeds([...embeds, ...added]);
    setBody((body) => added.reduce((text, { name }) => `${text}\n\n![${name}](<${name}>)`, body).trimStart());
  };
  return (
    <Form kind="editor" action={action} onSend={send} onCancel={onCancel}>
      {children}
      <div class="choice" role="group" aria-label={label}>
        <button type="button" aria-pressed={!isPreview} onClick={() => setPreview(false)}>Write</button>
        <button type="button" aria-pressed={isPreview} onClick={() => setPreview(true)}>Preview</button>
      </div>
      {isPreview
        ? (
          <div class="box inside">
            <Markdown text={body} embeds={embeds} />
          </div>
        )
        : (
          <textarea
            aria-label={label}
            name="text"
            rows={5}
            required={!isSummary}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
            onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
              if (key === "Enter" && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
            }}
          />
        )}
      {!isSummary && (
        <label class="note">
          Attach files{" "}
          <input
            type="file"
            multiple
            onChange={({ currentTarget }) => void attaching.run(() => attach(currentTarget))}
          />
          {embeds.map(({ name }) => <span class="chip" key={name}>{name}</span>)}
        </label>
      )}
      <Failure error={attaching.error} />
    </Form>
  );
}

export function LineEditor(
  { label, value, onSend, children }: {
    readonly label: string;
    readonly value: string;
    readonly onSend: (text: string) => Promise<unknown>;
    readonly children: ComponentChildren;
  },
): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) {
    const send = ({ text = "" }) => onSend(text).then(() => setOpen(false));
    return (
      <Form kind="line-editor" action="Save" onSend={send} onCancel={() => setOpen(false)}>
        <input name="text" aria-label={label} defaultValue={value} autoFocus autocomplete="off" />
      </Form>
    );
  }
  return (
    <>
      {children} {maySign() && (
        <button
          type="button"
          class="quiet"
          aria-label={`Edit ${label}`}
          onClick={() => setOpen(true)}
        >
          Edit
        </button>
      )}
    </>
  );
}

/** Parses a comma-separated list. */
export function listOf(text: string = ""): readonly string[] {
  return [...new Set(text.split(",").map((part) => part.trim()).filter((part) => part !== ""))];
}

/** Draws reactions. Visitors who have signed in can add and remove their own reactions. */
export function Reactions(
  { reactions, me, onReact }: {
    readonly reactions: readonly ReactionGroup[];
    readonly me: string | undefined;
    readonly onReact?: ((emoji: string, active: boolean) => Promise<unknown>) | undefined;
  },
): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const change = useChange();
  if (reactions.length === 0 && onReact === undefined) return null;
  const others = EMOJIS.filter((emoji) => !reactions.some((given) => given.emoji === emoji));
  const offered = isOpen ? others.map((emoji) => ({ emoji, authors: [] })) : [];
  return (
    <div class="reactions">
      {[...reactions, ...offered].map(({ emoji, authors }) => {
        const isMine = me !== undefined && authors.some((id) => id.endsWith(me));
        const text = authors.length === 0 ? emoji : `${emoji} ${authors.length}`;
        const shown = { class: "reaction", title: authors.join(", ") };
        if (onReact === undefined) return <span key={emoji} {...shown}>{text}</span>;
        const react = () => {
          setOpen(false);
          void change.run(() => onReact(emoji, !isMine));
        };
        const name = authors.length === 0 ? `React with ${emoji}` : text;
        return (
          <button
            key={emoji}
            {...shown}
            type="button"
            aria-pressed={isMine}
            aria-label={name}
            onClick={react}
          >
            {text}
          </button>
        );
      })}
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
      <Failure error={change.error} />
    </div>
  );
}
