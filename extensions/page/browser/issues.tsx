/** Views of issues: the list of issues, a single issue, and the form for a new issue. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Issue } from "../../../src/client/mod.ts";
import { seen, visitor } from "./app.ts";
import { noteActions, NoteView, Threads } from "./discussion.tsx";
import type { ViewProps } from "./places.ts";
import { noteOf, threadsOf } from "./notes.ts";
import { NewObject, ObjectFrame, type ObjectProps, objectViews } from "./objects.tsx";
import { useRepository } from "./parts.tsx";
import { Editor, Field, listOf, SignedIn, type Written } from "./writing.tsx";

export const Issues: ComponentType<ViewProps> = objectViews("issues", IssueView, NewIssue);

function IssueView({ object: issue, change }: ObjectProps<Issue>): JSX.Element {
  const notes = useMemo(() => issue.discussion.map(noteOf), [issue.discussion]);
  const [first] = notes;
  useEffect(() => void seen.set("id", issue.id), [issue.id]);
  const actions = noteActions(change, "comment");
  const { redact: _, reply: __, ...ofFirst } = actions;
  return (
    <ObjectFrame kind="issues" object={issue} change={change}>
      {first && <NoteView note={first} actions={ofFirst} verb="wrote" level="h2" />}
      <Threads threads={threadsOf(notes, first?.id)} actions={actions} />
      {issue.truncated && <p class="note">The discussion is too long: only a part of it is shown.</p>}
      <SignedIn to="comment">
        <Editor
          label="Comment"
          action="Comment"
          onSend={({ body, embeds }) => change({ type: "comment", body, embeds, replyTo: first?.id ?? null })}
        />
      </SignedIn>
    </ObjectFrame>
  );
}

function NewIssue(): JSX.Element {
  const { rid } = useRepository();
  const open = (title: string, { body: description, embeds, fields: { labels } }: Written) =>
    visitor.client.post("/api/v1/projects/:project/issues", { project: rid }, {
      title,
      description,
      labels: listOf(labels),
      assignees: [],
      embeds,
    });
  return (
    <NewObject kind="issues" open={open}>
      <Field label="Labels, with commas" name="labels" />
    </NewObject>
  );
}
