/** Issues: their list, one of them, and a new one. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Issue, IssueAction } from "../client/mod.ts";
import { useAnswer, useFreshness } from "./answers.ts";
import { go, seen, visitor } from "./app.ts";
import { type NoteActions, NoteView, ThreadView } from "./discussion.tsx";
import { noteOf, threadsOf } from "./notes.ts";
import { Badge, counted, Loaded, Person, Title } from "./parts.tsx";
import { inRepository } from "./places.ts";
import type { InRepositoryProps } from "./lazily.tsx";
import { Filters, LabelsAndAssignees, type Listed, ObjectList, useNode } from "./objects.tsx";
import { ChangeButton, Editor, LineEditor, listOf, maySign, SignInNote } from "./writing.tsx";

/** Issues of a page. */
const PER_PAGE = 25;

/** The view of issues that a place names. */
export function Issues(props: InRepositoryProps): JSX.Element {
  const [, id] = props.place.parts;
  if (id === "new") return <NewIssue {...props} />;
  return id === undefined ? <List {...props} /> : <One {...props} id={id} />;
}

function List({ project, place: { query } }: InRepositoryProps): JSX.Element {
  const { id: rid, name, issues } = project;
  const state = query["state"] === "closed" || query["state"] === "all" ? query["state"] : "open";
  const { q, label, author, assignee } = query;
  const page = Number(query["page"] ?? 0) || 0;
  const answer = useAnswer(
    `issues ${rid} ${JSON.stringify(query)}`,
    (options) =>
      visitor.client.get("/api/v1/projects/:project/issues", {
        project: rid,
        state,
        q,
        label,
        author,
        assignee,
        page,
        perPage: PER_PAGE,
      }, options),
  );
  useFreshness(answer.reload, rid);
  return (
    <>
      <div class="bar">
        <Title text="Issues" window={`Issues · ${name}`} />
        <a class="button push" href={inRepository(rid, ["issues", "new"])}>New issue</a>
      </div>
      <Filters
        rid={rid}
        kind="issues"
        query={query}
        state={state}
        states={[["open", issues.open], ["closed", issues.closed], ["all", issues.open + issues.closed]]}
      />
      <Loaded answer={answer}>
        {(found) => (
          <ObjectList
            rid={rid}
            kind="issues"
            query={query}
            page={page}
            perPage={PER_PAGE}
            objects={found.map(listed)}
          />
        )}
      </Loaded>
    </>
  );
}

function listed({ id, title, author, state, labels, discussion }: Issue): Listed {
  return {
    id,
    title,
    author,
    labels,
    status: state.status,
    timestamp: discussion[0]?.timestamp ?? 0,
    remark: counted(Math.max(0, discussion.length - 1), "comment"),
  };
}

/** An issue with its discussion. */
function One({ project, id, reload }: InRepositoryProps & { readonly id: string }): JSX.Element {
  const { id: rid, name } = project;
  const answer = useAnswer(`issue ${rid} ${id}`, async (options) => {
    const issue = await visitor.client.get(
      "/api/v1/projects/:project/issues/:id",
      { project: rid, id },
      options,
    );
    seen.set("id", issue.id);
    return issue;
  });
  useFreshness(answer.reload, rid);
  const change = async (action: IssueAction) => {
    await visitor.client.patch("/api/v1/projects/:project/issues/:id", { project: rid, id }, action);
    answer.reload();
    if (action.type === "lifecycle") reload();
  };
  return (
    <Loaded answer={answer} isView>
      {(issue) => <IssueView rid={rid} name={name} issue={issue} change={change} />}
    </Loaded>
  );
}

function IssueView(
  { rid, name, issue, change }: {
    readonly rid: string;
    readonly name: string;
    readonly issue: Issue;
    readonly change: (action: IssueAction) => Promise<void>;
  },
): JSX.Element {
  const { title, state, author, labels, assignees, discussion } = issue;
  const me = useNode();
  const notes = useMemo(() => discussion.map(noteOf), [discussion]);
  const [first] = notes;
  const actions: NoteActions = maySign()
    ? {
      me,
      react: ({ id }, reaction, active) => change({ type: "comment.react", id, reaction, active }),
      reply: ({ id }, body) => change({ type: "comment", body, replyTo: id }),
      edit: ({ id, embeds }, body) => change({ type: "comment.edit", id, body, embeds }),
      redact: ({ id }) => change({ type: "comment.redact", id }),
    }
    : { me: undefined };
  const { redact: _, reply: __, ...ofFirst } = actions;
  const isOpen = state.status === "open";
  return (
    <>
      <div class="object-head">
        <LineEditor label="the title" value={title} onSubmit={(title) => change({ type: "edit", title })}>
          <Title text={title || "(no title)"} window={`${title} · ${name}`} />
        </LineEditor>
        <p class="note">
          <Badge kind={state.status}>
            {isOpen ? "open" : `closed: ${"reason" in state ? state.reason : ""}`}
          </Badge>{" "}
          opened by <Person author={author} /> · {counted(Math.max(0, notes.length - 1), "comment")}
        </p>
      </div>
      <div class="with-side">
        <div>
          {first && <NoteView rid={rid} note={first} actions={ofFirst} said="wrote" level="h2" />}
          {threadsOf(notes, first?.id).map((thread) => (
            <ThreadView key={thread.first.id} rid={rid} thread={thread} actions={actions} />
          ))}
          {issue.truncated && <p class="note">The discussion is too long: only a part of it is shown.</p>}
          {maySign()
            ? (
              <>
                <Editor
                  label="Comment"
                  action="Comment"
                  onSubmit={(body) => change({ type: "comment", body, replyTo: first?.id ?? null })}
                />
                <p class="actions">
                  {isOpen
                    ? (
                      <>
                        <ChangeButton
                          onPress={() =>
                            change({ type: "lifecycle", state: { status: "closed", reason: "solved" } })}
                        >
                          Close as solved
                        </ChangeButton>
                        <ChangeButton
                          onPress={() =>
                            change({ type: "lifecycle", state: { status: "closed", reason: "other" } })}
                        >
                          Close for another reason
                        </ChangeButton>
                      </>
                    )
                    : (
                      <ChangeButton onPress={() => change({ type: "lifecycle", state: { status: "open" } })}>
                        Open again
                      </ChangeButton>
                    )}
                </p>
              </>
            )
            : <SignInNote to="comment" />}
        </div>
        <LabelsAndAssignees
          rid={rid}
          kind="issues"
          id={issue.id}
          labels={labels}
          assignees={assignees}
          onLabels={(labels) => change({ type: "label", labels })}
          onAssignees={(assignees) => change({ type: "assign", assignees })}
        />
      </div>
    </>
  );
}

function NewIssue({ project: { id: rid, name }, reload }: InRepositoryProps): JSX.Element {
  return (
    <>
      <Title text="New issue" window={`New issue · ${name}`} />
      {maySign() ? <NewIssueForm rid={rid} reload={reload} /> : <SignInNote to="open an issue" />}
    </>
  );
}

function NewIssueForm({ rid, reload }: { readonly rid: string; readonly reload: () => void }): JSX.Element {
  const fields = useMemo(() => ({ title: "", labels: "" }), []);
  const open = async (description: string) => {
    if (fields.title.trim() === "") throw new Error("The title is empty.");
    const body = {
      title: fields.title.trim(),
      description,
      labels: listOf(fields.labels),
      assignees: [],
      embeds: [],
    };
    const { id } = await visitor.client.post("/api/v1/projects/:project/issues", { project: rid }, body);
    reload();
    go(inRepository(rid, ["issues", id]));
  };
  return (
    <Editor label="Description" action="Open the issue" onSubmit={open}>
      <label>
        Title{" "}
        <input
          name="title"
          required
          autocomplete="off"
          onInput={({ currentTarget }) => fields.title = currentTarget.value}
        />
      </label>
      <label>
        Labels, with commas{" "}
        <input
          name="labels"
          autocomplete="off"
          onInput={({ currentTarget }) => fields.labels = currentTarget.value}
        />
      </label>
    </Editor>
  );
}
