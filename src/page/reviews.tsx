/** Reviews of a revision of a patch: read, written, and discussed. */
import type { JSX } from "preact";
import type { CodeLocation, Review } from "../client/mod.ts";
import { maySign } from "./app.ts";
import { noteActions, NoteView } from "./discussion.tsx";
import { noteOf, reviewNotes, threadsOf } from "./notes.ts";
import type { Change } from "./objects.tsx";
import { ChangeButton, Editor, type Written } from "./writing.tsx";

const VERDICTS = { accept: "accepted", reject: "rejected" };

/** A review of the whole revision. */
export function ReviewForm(
  { revision, change }: { readonly revision: string; readonly change: Change },
): JSX.Element {
  const send = ({ body: summary, fields: { verdict } }: Written) =>
    change({
      type: "review",
      revision,
      summary,
      verdict: verdict === "accept" || verdict === "reject" ? verdict : null,
    });
  return (
    <details class="list">
      <summary>Review</summary>
      <Editor label="Summary" action="Review" isOptional takesFiles={false} onSend={send}>
        <label>
          Verdict{" "}
          <select name="verdict">
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
  { review, aliases, change }: {
    readonly review: Review;
    readonly aliases: ReadonlyMap<string, string>;
    readonly change: Change;
  },
): JSX.Element {
  const { id, author, verdict, summary, timestamp } = review;
  const said = `${verdict === null ? "reviewed" : VERDICTS[verdict]} this revision`;
  const actions = noteActions(change, "review.comment", { review: id });
  const note = noteOf({ id, author, body: summary ?? "", timestamp });
  return (
    <div class={`review ${verdict ?? ""}`}>
      <NoteView note={note} actions={{}} said={said} level="h2">
        {threadsOf(reviewNotes(review, aliases)).map(({ first, replies }) => (
          <div class="in-review" key={first.id}>
            <PlaceNote location={first.location} />
            {[first, ...replies].map((note) => (
              <NoteView key={note.id} note={note} actions={actions}>
                {maySign() && note === first && (
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
