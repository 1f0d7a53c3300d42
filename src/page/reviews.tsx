/** Reviews of a revision of a patch: read, written, and discussed. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { CodeLocation, PatchAction, Review } from "../client/mod.ts";
import { type NoteActions, NoteView } from "./discussion.tsx";
import { type Note, reviewNotes, threadsOf } from "./notes.ts";
import { ChangeButton, Editor, maySign } from "./writing.tsx";

/** Changes a patch, and shows it anew. */
export type ChangePatch = (action: PatchAction) => Promise<void>;

/** Changes of comments of a review. */
export function reviewActions(review: string, me: string | undefined, change: ChangePatch): NoteActions {
  if (!maySign()) return { me: undefined };
  return {
    me,
    react: ({ id }, reaction, active) =>
      change({ type: "review.comment.react", review, comment: id, reaction, active }),
    reply: ({ id }, body) => change({ type: "review.comment", review, body, replyTo: id }),
    edit: ({ id, embeds }, body) =>
      change({ type: "review.comment.edit", review, comment: id, body, embeds }),
    redact: ({ id }) => change({ type: "review.comment.redact", review, comment: id }),
  };
}

/** A review of the whole revision. */
export function ReviewForm(
  { revision, change }: { readonly revision: string; readonly change: ChangePatch },
): JSX.Element {
  const chosen = useMemo(() => ({ verdict: "accept" }), []);
  return (
    <details class="list">
      <summary>Review</summary>
      <Editor
        label="Summary"
        action="Review"
        isOptional
        onSubmit={(summary) =>
          change({
            type: "review",
            revision,
            summary,
            verdict: chosen.verdict === "accept" || chosen.verdict === "reject" ? chosen.verdict : null,
          })}
      >
        <label>
          Verdict{" "}
          <select name="verdict" onChange={({ currentTarget }) => chosen.verdict = currentTarget.value}>
            <option value="accept">Accept</option>
            <option value="reject">Reject</option>
            <option value="none">None</option>
          </select>
        </label>
      </Editor>
    </details>
  );
}

/** A review, with its comments. */
export function ReviewView(
  { rid, review, aliases, me, change }: {
    readonly rid: string;
    readonly review: Review;
    readonly aliases: ReadonlyMap<string, string>;
    readonly me: string | undefined;
    readonly change: ChangePatch;
  },
): JSX.Element {
  const { id, author, verdict, summary, timestamp } = review;
  const note: Note = {
    id,
    author,
    body: summary ?? "",
    timestamp,
    isEdited: false,
    embeds: [],
    reactions: [],
    replyTo: null,
    isResolved: false,
    location: undefined,
  };
  const said = verdict === "accept"
    ? "accepted this revision"
    : verdict === "reject"
    ? "rejected this revision"
    : "reviewed this revision";
  return (
    <div class={`review ${verdict ?? ""}`}>
      <NoteView rid={rid} note={note} actions={{ me: undefined }} said={said} level="h2">
        {threadsOf(reviewNotes(review, aliases)).map((thread) => (
          <div class="in-review" key={thread.first.id}>
            <PlaceNote location={thread.first.location} />
            {[thread.first, ...thread.replies].map((note) => (
              <NoteView key={note.id} rid={rid} note={note} actions={reviewActions(id, me, change)}>
                {maySign() && note === thread.first && (
                  <ChangeButton
                    onPress={() =>
                      change({
                        type: note.isResolved ? "review.comment.unresolve" : "review.comment.resolve",
                        review: id,
                        comment: note.id,
                      })}
                  >
                    {note.isResolved ? "Not resolved" : "Resolve"}
                  </ChangeButton>
                )}
              </NoteView>
            ))}
          </div>
        ))}
      </NoteView>
    </div>
  );
}

/** The place of a comment in the code. */
export function PlaceNote({ location }: { readonly location: CodeLocation | undefined }): JSX.Element | null {
  if (location === undefined) return null;
  const [side, line] = lineOf(location) ?? [];
  return (
    <p class="note at">
      at <code>{location.path}</code>
      {line !== undefined && `, ${side === "old" ? "old " : ""}line ${line}`}
    </p>
  );
}

/** The line below which a comment stands: the last one of its lines. */
export function lineOf({ old, new: now }: CodeLocation): readonly ["old" | "new", number] | undefined {
  const range = now ?? old;
  if (range === null || range === undefined) return undefined;
  const side = now ? "new" : "old";
  // The end of a range is the line after it.
  return range.type === "chars"
    ? [side, range.line]
    : [side, Math.max(range.range.start, range.range.end - 1)];
}
