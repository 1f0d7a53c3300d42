/** Draws a discussion: comments with their replies, reactions and files. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { CodeLocation, Embed } from "../../../src/client/mod.ts";
import { blobAddress, maySign } from "./app.ts";
import { Markdown } from "./markdown_view.tsx";
import { lineOf, type Note, type Thread } from "./notes.ts";
import type { Change, ObjectAction } from "./objects.tsx";
import { Avatar, Badge, Outside, Person, shownNode, Time, useRepository } from "./parts.tsx";
import { Editor, Form, Reactions, type Written } from "./writing.tsx";

/** Functions that change a comment. A function is `undefined` if the visitor may not make this change. */
export interface NoteActions {
  readonly react?: (note: Note, emoji: string, active: boolean) => Promise<unknown>;
  readonly reply?: (to: Note, written: Written) => Promise<unknown>;
  readonly edit?: (note: Note, written: Written) => Promise<unknown>;
  readonly redact?: (note: Note) => Promise<unknown>;
  /** Resolves a discussion, or opens a resolved discussion. */
  readonly resolve?: (first: Note) => Promise<unknown>;
}

/**
 * Returns the functions with which a visitor can change comments.
 *
 * @param type Type of the action that writes a comment: `comment`, `revision.comment` or `review.comment`.
 * @param owner Member of the action that names the revision or review of the comments.
 */
export function noteActions(change: Change, type: string, owner: object = {}): NoteActions {
  if (!maySign()) return {};
  const send = (action: object) => change({ ...owner, ...action } as ObjectAction);
  const one = ({ id }: Note) => type === "comment" ? { id } : { comment: id };
  return {
    react: (note, reaction, active) => send({ type: `${type}.react`, ...one(note), reaction, active }),
    reply: ({ id, location }, { body, embeds }) =>
      send({ type, body, embeds, replyTo: id, ...(type === "revision.comment" && location && { location }) }),
    edit: (note, { body, embeds }) => send({ type: `${type}.edit`, ...one(note), body, embeds }),
    redact: (note) => send({ type: `${type}.redact`, ...one(note) }),
    ...(type === "review.comment" && {
      resolve: (first) =>
        send({ type: `${type}.${first.resolved ? "unresolve" : "resolve"}`, ...one(first) }),
    }),
  };
}

/** Draws a comment with its heading. */
export function NoteView(
  { note, actions, verb = "commented", level: Heading = "h3", children }: {
    readonly note: Note;
    readonly actions: NoteActions;
    /** Words that describe the author's action. */
    readonly verb?: ComponentChildren;
    readonly level?: "h2" | "h3";
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const { me } = useRepository();
  const [doing, setDoing] = useState<"edit" | "reply">();
  const { author, body, timestamp, edits, embeds, reactions, resolved } = note;
  const { react, reply, edit, redact, resolve } = actions;
  const isMine = me !== undefined && author.id.endsWith(me);
  const close = () => setDoing(undefined);
  return (
    <article class="note-box" id={`note-${note.id}`}>
      <Heading class="note-head">
        <Avatar id={author.id} name={author.alias ?? ""} />
        <span>
          <Person author={author} /> {verb} <Time at={timestamp} />
        </span>
        {edits.length > 1 && <span class="note">edited</span>}
        {resolved && <Badge kind="resolved">resolved</Badge>}
      </Heading>
      {doing === "edit" && edit
        ? (
          <Editor
            label="Comment"
            value={body}
            files={embeds}
            action="Save"
            onCancel={close}
            onSend={(written) => edit(note, written).then(close)}
          />
        )
        : (
          <div class="inside">
            {body === "" ? <p class="note">No description.</p> : <Markdown text={body} embeds={embeds} />}
          </div>
        )}
      <Embeds embeds={embeds} />
      {children}
      <div class="foot">
        <Reactions
          reactions={reactions}
          me={me}
          onReact={react && ((emoji, active) => react(note, emoji, active))}
        />
        {reply && <button type="button" class="quiet" onClick={() => setDoing("reply")}>Reply</button>}
        {isMine && edit && <button type="button" class="quiet" onClick={() => setDoing("edit")}>Edit</button>}
        {isMine && redact && <Form action="Delete" isQuiet onSend={() => redact(note)} />}
        {resolve && (
          <Form
            action={resolved ? "Not resolved" : "Resolve"}
            isQuiet
            onSend={() => resolve(note)}
          />
        )}
      </div>
      {doing === "reply" && reply && (
        <Editor
          label={`Reply to ${author.alias ?? shownNode(author.id)}`}
          action="Reply"
          onCancel={close}
          onSend={(written) => reply(note, written).then(close)}
        />
      )}
    </article>
  );
}

/** Draws comments with their replies, and the lines of code to which they belong. */
export function Threads(
  { threads, actions, level = "h2" }: {
    readonly threads: readonly Thread[];
    readonly actions: NoteActions;
    readonly level?: "h2" | "h3";
  },
): JSX.Element {
  const { resolve: _, ...ofReplies } = actions;
  return (
    <>
      {threads.map(({ first, replies }) => (
        <div class="thread" key={first.id}>
          {first.location && <PlaceNote location={first.location} />}
          <NoteView note={first} actions={actions} level={level} />
          {replies.length > 0 && (
            <div class="replies">
              {replies.map((note) => (
                <NoteView key={note.id} note={note} actions={ofReplies} verb="answered" />
              ))}
            </div>
          )}
        </div>
      ))}
    </>
  );
}

function PlaceNote({ location }: { readonly location: CodeLocation }): JSX.Element {
  const [side, line] = lineOf(location) ?? [];
  return (
    <p class="note at">
      at <code>{location.path}</code>
      {line !== undefined && `, ${side === "old" ? "old " : ""}line ${line}`}
    </p>
  );
}

function Embeds({ embeds }: { readonly embeds: readonly Embed[] }): JSX.Element | null {
  const { rid } = useRepository();
  if (embeds.length === 0) return null;
  return (
    <p class="embeds note">
      Files:{embeds.map(({ name, content }) => [
        " ",
        <Outside key={name} href={blobAddress(rid, content.replace(/^git:/, ""))}>{name}</Outside>,
      ])}
    </p>
  );
}
