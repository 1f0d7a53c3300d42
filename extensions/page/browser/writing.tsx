/** Forms. What has failed stands beside what caused it. */
import type { ComponentChildren, InputHTMLAttributes, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Embed, ReactionGroup } from "../../../src/client/mod.ts";
import { maySign } from "./app.ts";
import { Markdown } from "./markdown_view.tsx";
import { Failure } from "./parts.tsx";
import { hashOf } from "./places.ts";

/** Reactions that are offered. */
const EMOJIS = ["👍", "👎", "🎉", "❤️", "🚀", "👀"];
/** Largest size of the files that a text brings, together, in bytes: the service takes bodies of 4 MiB. */
export const MAX_EMBEDDED_BYTES = 2 * 1024 * 1024;

/** The changes of one form or button: one at a time; whether it is on its way, and what has failed. */
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

/** Fields for those who have signed in, and for the others an invitation. */
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

/** A form, with its button and what has failed; without fields a button that makes a change at once. */
export function Form(
  { kind = "", label, action, isQuiet = false, onSend, onCancel, children }: {
    /** Class of the form. */
    readonly kind?: string;
    readonly label?: string;
    /** Name of the button. */
    readonly action: string;
    readonly isQuiet?: boolean;
    /** Gets what is in the fields, by their names, without blanks around. */
    readonly onSend: (fields: Readonly<Record<string, string>>) => unknown;
    readonly onCancel?: (() => void) | undefined;
    /** The fields. */
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

/** A field on one line, with its label. */
export function Field(
  { label, ...input }: { readonly label: string } & InputHTMLAttributes<HTMLInputElement>,
): JSX.Element {
  return (
    <label>
      {label} <input autocomplete="off" {...input} />
    </label>
  );
}

/** A text that was written, the files that belong to it, and further fields of its form. */
export interface Written {
  readonly body: string;
  readonly embeds: readonly Embed[];
  readonly fields: Readonly<Record<string, string>>;
}

/** A text in markdown, with a preview and files. */
export function Editor(
  { label, value = "", files = [], action, onSend, onCancel, isSummary = false, children }: {
    readonly label: string;
    readonly value?: string;
    /** Files that belong to it already. */
    readonly files?: readonly Embed[];
    readonly action: string;
    readonly onSend: (written: Written) => Promise<unknown>;
    readonly onCancel?: (() => void) | undefined;
    /** Whether it may be empty, and brings no files. */
    readonly isSummary?: boolean;
    /** Further fields. */
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

/** A text on one line that can be changed where it stands. */
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

/** Reads a list that is written with commas. */
export function listOf(text: string = ""): readonly string[] {
  return [...new Set(text.split(",").map((part) => part.trim()).filter((part) => part !== ""))];
}

/** Reactions, and for whoever has signed in the way to give and take one. */
export function Reactions(
  { reactions, me, onReact }: {
    readonly reactions: readonly ReactionGroup[];
    /** Node id of the visitor. */
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
