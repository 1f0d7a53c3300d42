/** Reviews of a revision of a patch: read, written, and discussed. */
import type { JSX } from "preact";
import type { Review } from "../client/mod.ts";
import { noteActions, NoteView, Threads } from "./discussion.tsx";
import { noteOf, reviewNotes, threadsOf } from "./notes.ts";
import type { Change } from "./objects.tsx";
import { Editor, type Written } from "./writing.tsx";

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
  const note = noteOf({ id, author, body: summary ?? "", timestamp });
  return (
    <div class={`review ${verdict ?? ""}`}>
      <NoteView note={note} actions={{}} said={said} level="h2">
        <div class="in-review">
          <Threads
            threads={threadsOf(reviewNotes(review, aliases))}
            actions={noteActions(change, "review.comment", { review: id })}
            level="h3"
          />
        </div>
      </NoteView>
    </div>
  );
}
