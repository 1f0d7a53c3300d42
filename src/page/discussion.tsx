/** A discussion: comments with their answers, reactions and files. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Author, Embed } from "../client/mod.ts";
import { blobAddress } from "./app.ts";
import { Markdown } from "./markdown_view.tsx";
import type { Note, Thread } from "./notes.ts";
import { Avatar, Badge, Outside, Person, shownNode, Time } from "./parts.tsx";
import { ChangeButton, Editor, Reactions } from "./writing.tsx";

/** Changes of a comment, where the visitor may make them. */
export interface NoteActions {
  /** Node id of the visitor. */
  readonly me: string | undefined;
  readonly react?: (note: Note, emoji: string, active: boolean) => Promise<unknown>;
  readonly reply?: (to: Note, body: string) => Promise<unknown>;
  readonly edit?: (note: Note, body: string) => Promise<unknown>;
  readonly redact?: (note: Note) => Promise<unknown>;
}

/** A comment, with its heading. */
export function NoteView(
  { rid, note, actions, said = "commented", level: Heading = "h3", children }: {
    readonly rid: string;
    readonly note: Note;
    readonly actions: NoteActions;
    /** Words for the deed of its author. */
    readonly said?: ComponentChildren;
    readonly level?: "h2" | "h3";
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const [doing, setDoing] = useState<"edit" | "reply">();
  const { author, body, timestamp, isEdited, embeds, reactions, isResolved } = note;
  const isMine = actions.me !== undefined && author.id.endsWith(actions.me);
  const close = () => setDoing(undefined);
  const done = (result: Promise<unknown>) => result.then(close);
  return (
    <article class="note-box" id={`note-${note.id}`}>
      <Heading class="note-head">
        <Avatar id={author.id} name={author.alias ?? ""} />
        <span>
          <Person author={author} /> {said} <Time at={timestamp} />
        </span>
        {isEdited && <span class="note">edited</span>}
        {isResolved && <Badge kind="resolved">resolved</Badge>}
      </Heading>
      {doing === "edit"
        ? (
          <Editor
            label="Comment"
            value={body}
            action="Save"
            onCancel={close}
            onSubmit={(text) => done(actions.edit!(note, text))}
          />
        )
        : (
          <div class="inside">
            {body === ""
              ? <p class="note">No description.</p>
              : <Markdown text={body} embeds={embeds} rid={rid} />}
          </div>
        )}
      <Embeds rid={rid} embeds={embeds} />
      {children}
      <div class="foot">
        <Reactions
          reactions={reactions}
          me={actions.me}
          onReact={actions.react && ((emoji, active) => actions.react!(note, emoji, active))}
        />
        {actions.reply && (
          <button type="button" class="quiet" onClick={() => setDoing("reply")}>
            Reply
          </button>
        )}
        {isMine && actions.edit && (
          <button type="button" class="quiet" onClick={() => setDoing("edit")}>Edit</button>
        )}
        {isMine && actions.redact && (
          <ChangeButton onPress={() => actions.redact!(note)}>
            Delete
          </ChangeButton>
        )}
      </div>
      {doing === "reply" && (
        <Editor
          label={`Reply to ${author.alias ?? shownNode(author.id)}`}
          action="Reply"
          onCancel={close}
          onSubmit={(text) => done(actions.reply!(note, text))}
        />
      )}
    </article>
  );
}

/** A comment and the answers to it. */
export function ThreadView(
  { rid, thread: { first, replies }, actions }: {
    readonly rid: string;
    readonly thread: Thread;
    readonly actions: NoteActions;
  },
): JSX.Element {
  return (
    <div class="thread">
      <NoteView rid={rid} note={first} actions={actions} level="h2" />
      {replies.length > 0 && (
        <div class="replies">
          {replies.map((note) => (
            <NoteView key={note.id} rid={rid} note={note} actions={actions} said="answered" />
          ))}
        </div>
      )}
    </div>
  );
}

function Embeds(
  { rid, embeds }: { readonly rid: string; readonly embeds: readonly Embed[] },
): JSX.Element | null {
  if (embeds.length === 0) return null;
  return (
    <p class="embeds note">
      Files: {embeds.map(({ name, content }) => (
        <span key={name}>
          <Outside href={blobAddress(rid, content.replace(/^git:/, ""))}>{name}</Outside>
        </span>
      ))}
    </p>
  );
}

/** People by name, with their ids. */
export function People({ people }: { readonly people: readonly Author[] }): JSX.Element {
  return (
    <>
      {people.map((author) => (
        <span class="chip" key={author.id}>
          <Person author={author} />
        </span>
      ))}
    </>
  );
}
