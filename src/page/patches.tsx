/** Patches: their list, and one of them with its revisions, reviews and changes. */
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Patch, PatchAction, Revision } from "../client/mod.ts";
import { useAnswer, useFreshness } from "./answers.ts";
import { visitor } from "./app.ts";
import { Changes, type LineNotes, type LineWriting } from "./changes.tsx";
import { CommitList } from "./commits.tsx";
import { type NoteActions, NoteView, ThreadView } from "./discussion.tsx";
import { type Note, noteOf, reviewNotes, revisionReactions, threadsOf } from "./notes.ts";
import { Filters, LabelsAndAssignees, type Listed, ObjectList, useNode } from "./objects.tsx";
import { Badge, CommitLink, counted, Loaded, Person, Title } from "./parts.tsx";
import { inRepository, type Query } from "./places.ts";
import type { InRepositoryProps } from "./lazily.tsx";
import { type ChangePatch, lineOf, PlaceNote, reviewActions, ReviewForm, ReviewView } from "./reviews.tsx";
import { ChangeButton, Editor, LineEditor, maySign, SignInNote } from "./writing.tsx";

/** Patches of a page. */
const PER_PAGE = 25;
const STATES = ["open", "draft", "archived", "merged", "all"] as const;

/** The view of patches that a place names. */
export function Patches(props: InRepositoryProps): JSX.Element {
  const [, id] = props.place.parts;
  return id === undefined ? <List {...props} /> : <One {...props} id={id} />;
}

function List({ project, place: { query } }: InRepositoryProps): JSX.Element {
  const { id: rid, name, patches } = project;
  const state = STATES.find((state) => state === query["state"]) ?? "open";
  const { q, label, author, assignee } = query;
  const page = Number(query["page"] ?? 0) || 0;
  const answer = useAnswer(
    `patches ${rid} ${JSON.stringify(query)}`,
    (options) =>
      visitor.client.get("/api/v1/projects/:project/patches", {
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
  const all = Object.values(patches).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <Title text="Patches" window={`Patches · ${name}`} />
      <Filters
        rid={rid}
        kind="patches"
        query={query}
        state={state}
        states={STATES.map((state) => [state, state === "all" ? all : patches[state]])}
      />
      <Loaded answer={answer}>
        {(found) => (
          <ObjectList
            rid={rid}
            kind="patches"
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

function listed({ id, title, author, state, labels, revisions }: Patch): Listed {
  return {
    id,
    title,
    author,
    labels,
    status: state.status,
    timestamp: revisions[0]?.timestamp ?? 0,
    remark: counted(revisions.length, "revision"),
  };
}

/** A patch. */
function One({ project, id, place, reload }: InRepositoryProps & { readonly id: string }): JSX.Element {
  const { id: rid } = project;
  const answer = useAnswer(
    `patch ${rid} ${id}`,
    (options) => visitor.client.get("/api/v1/projects/:project/patches/:id", { project: rid, id }, options),
  );
  useFreshness(answer.reload, rid);
  const change = async (action: PatchAction) => {
    await visitor.client.patch("/api/v1/projects/:project/patches/:id", { project: rid, id }, action);
    answer.reload();
    if (action.type === "lifecycle") reload();
  };
  return (
    <Loaded answer={answer} isView>
      {(patch) => (
        <PatchView rid={rid} name={project.name} patch={patch} query={place.query} change={change} />
      )}
    </Loaded>
  );
}

/** Aliases of all who have said something in a patch, by their DIDs. */
function aliasesIn({ author, revisions }: Patch): ReadonlyMap<string, string> {
  const people = [
    author,
    ...revisions.flatMap(({ author, reviews, discussions }) => [
      author,
      ...[...reviews, ...discussions].map(({ author }) => author),
    ]),
  ];
  return new Map(people.flatMap(({ id, alias }) => alias === undefined ? [] : [[id, alias] as const]));
}

interface PatchProps {
  readonly rid: string;
  readonly patch: Patch;
  readonly revision: Revision;
  readonly change: ChangePatch;
}

function PatchView(
  { rid, name, patch, query, change }: {
    readonly rid: string;
    readonly name: string;
    readonly patch: Patch;
    readonly query: Query;
    readonly change: ChangePatch;
  },
): JSX.Element {
  const { id, title, state, author, labels, assignees, revisions, merges, target } = patch;
  const revision = revisions.find(({ id }) => id === query["revision"]) ?? revisions.at(-1);
  const tab = query["tab"] === "changes" ? "changes" : "discussion";
  const place = (query: Query) => inRepository(rid, ["patches", id], query);
  const merged = merges.at(-1);
  return (
    <>
      <div class="object-head">
        <LineEditor
          label="the title"
          value={title}
          onSubmit={(title) => change({ type: "edit", title, target })}
        >
          <Title text={title || "(no title)"} window={`${title} · ${name}`} />
        </LineEditor>
        <p class="note">
          <Badge kind={state.status}>{state.status}</Badge> opened by <Person author={author} />
          {merged && (
            <>
              · merged by <Person author={merged.author} /> as <CommitLink rid={rid} oid={merged.commit} />
            </>
          )}
        </p>
      </div>
      {revision === undefined ? <p class="note">This patch has no revision.</p> : (
        <>
          <nav class="tabs" aria-label="Patch">
            <a
              href={place({ revision: query["revision"] })}
              aria-current={tab === "discussion" ? "page" : undefined}
            >
              Discussion
            </a>
            <a
              href={place({ revision: query["revision"], tab: "changes" })}
              aria-current={tab === "changes" ? "page" : undefined}
            >
              Changes
            </a>
          </nav>
          <div class="with-side">
            <div>
              <nav class="revisions" aria-label="Revisions">
                {revisions.map(({ id, author: by }, i) => (
                  <a
                    key={id}
                    class="chip"
                    title={id}
                    href={place({ revision: i === revisions.length - 1 ? undefined : id, tab: query["tab"] })}
                    aria-current={id === revision.id ? "true" : undefined}
                  >
                    Revision {i + 1}
                    {by.id !== author.id && ` by ${by.alias ?? "another"}`}
                  </a>
                ))}
              </nav>
              {tab === "changes"
                ? (
                  <RevisionChanges
                    key={revision.id}
                    rid={rid}
                    patch={patch}
                    revision={revision}
                    change={change}
                  />
                )
                : (
                  <Discussion
                    key={revision.id}
                    rid={rid}
                    patch={patch}
                    revision={revision}
                    change={change}
                  />
                )}
            </div>
            <LabelsAndAssignees
              rid={rid}
              kind="patches"
              id={id}
              labels={labels}
              assignees={assignees}
              onLabels={(labels) => change({ type: "label", labels })}
              onAssignees={(assignees) => change({ type: "assign", assignees })}
            >
              <section>
                <h2>Revision</h2>
                <ul class="plain">
                  <li>
                    Head <CommitLink rid={rid} oid={revision.oid} />
                  </li>
                  <li>
                    Base <CommitLink rid={rid} oid={revision.base} />
                  </li>
                  <li>
                    <a href={inRepository(rid, ["tree", revision.oid])}>Files</a>
                  </li>
                </ul>
              </section>
              <section>
                <h2>To try it</h2>
                <code class="command">rad patch checkout {id.slice(0, 7)}</code>
              </section>
            </LabelsAndAssignees>
          </div>
        </>
      )}
    </>
  );
}

/** Changes of comments of a revision. */
function revisionActions(
  revision: string,
  me: string | undefined,
  change: ChangePatch,
): NoteActions {
  if (!maySign()) return { me: undefined };
  return {
    me,
    react: ({ id }, reaction, active) =>
      change({ type: "revision.comment.react", revision, comment: id, reaction, active }),
    reply: ({ id, location }, body) =>
      change({ type: "revision.comment", revision, body, replyTo: id, ...(location && { location }) }),
    edit: ({ id, embeds }, body) =>
      change({ type: "revision.comment.edit", revision, comment: id, body, embeds }),
    redact: ({ id }) => change({ type: "revision.comment.redact", revision, comment: id }),
  };
}

/** The description of a revision, its comments and reviews. */
function Discussion({ rid, patch, revision, change }: PatchProps): JSX.Element {
  const me = useNode();
  const { id, author, description, timestamp, edits, reviews, discussions, base, oid } = revision;
  const aliases = useMemo(() => aliasesIn(patch), [patch]);
  const notes = useMemo(() => discussions.map(noteOf), [discussions]);
  const described: Note = {
    id,
    author,
    body: description,
    timestamp,
    isEdited: edits.length > 1,
    embeds: edits.at(-1)?.embeds ?? [],
    reactions: revisionReactions(revision),
    replyTo: null,
    isResolved: false,
    location: undefined,
  };
  const isOpen = patch.state.status === "open" || patch.state.status === "draft";
  return (
    <>
      <NoteView
        rid={rid}
        note={described}
        level="h2"
        said="proposed"
        actions={maySign()
          ? {
            me,
            react: (_, reaction, active) =>
              change({ type: "revision.react", revision: id, reaction, active }),
            edit: ({ embeds }, description) =>
              change({ type: "revision.edit", revision: id, description, embeds }),
          }
          : { me: undefined }}
      />
      <RevisionCommits rid={rid} base={base} oid={oid} />
      {reviews.map((review) => (
        <ReviewView key={review.id} rid={rid} review={review} aliases={aliases} me={me} change={change} />
      ))}
      {threadsOf(notes).map((thread) => (
        <div key={thread.first.id}>
          <PlaceNote location={thread.first.location} />
          <ThreadView rid={rid} thread={thread} actions={revisionActions(id, me, change)} />
        </div>
      ))}
      {maySign()
        ? (
          <>
            <Editor
              label="Comment"
              action="Comment"
              onSubmit={(body) => change({ type: "revision.comment", revision: id, body })}
            />
            {isOpen && <ReviewForm revision={id} change={change} />}
            <p class="actions">
              <Lifecycle patch={patch} change={change} />
            </p>
          </>
        )
        : <SignInNote to="comment or review" />}
    </>
  );
}

function Lifecycle({ patch: { state }, change }: Pick<PatchProps, "patch" | "change">): JSX.Element | null {
  const to = (status: "open" | "draft" | "archived") => () =>
    change({ type: "lifecycle", state: { status } });
  switch (state.status) {
    case "open":
      return (
        <>
          <ChangeButton onPress={to("draft")}>Make it a draft</ChangeButton>
          <ChangeButton onPress={to("archived")}>Archive</ChangeButton>
        </>
      );
    case "draft":
      return (
        <>
          <ChangeButton onPress={to("open")}>Ready for review</ChangeButton>
          <ChangeButton onPress={to("archived")}>Archive</ChangeButton>
        </>
      );
    case "archived":
      return <ChangeButton onPress={to("open")}>Open again</ChangeButton>;
    default:
      return null;
  }
}

function useComparison(rid: string, base: string, oid: string) {
  return useAnswer(
    `compare ${rid} ${base} ${oid}`,
    (options) =>
      visitor.client.get("/api/v1/projects/:project/diff/:base/:oid", { project: rid, base, oid }, options),
  );
}

function RevisionCommits(
  { rid, base, oid }: { readonly rid: string; readonly base: string; readonly oid: string },
): JSX.Element {
  const answer = useComparison(rid, base, oid);
  return (
    <Loaded answer={answer}>
      {({ commits }) => (
        <details class="list" open={commits.length <= 10}>
          <summary>{counted(commits.length, "commit")}</summary>
          <CommitList rid={rid} commits={commits} />
        </details>
      )}
    </Loaded>
  );
}

/** The changes of a revision, with comments and reviews at their lines. */
function RevisionChanges({ rid, patch, revision, change }: PatchProps): JSX.Element {
  const me = useNode();
  const { id, base, oid, discussions, reviews } = revision;
  const answer = useComparison(rid, base, oid);
  const isSigned = maySign();
  const notes = useMemo(() => {
    const aliases = aliasesIn(patch);
    const byPath = new Map<string, Map<string, ComponentChildren[]>>();
    const add = (notes: readonly Note[], actions: NoteActions) => {
      for (const { first, replies } of threadsOf(notes)) {
        if (first.location === undefined) continue;
        const [side, line] = lineOf(first.location) ?? ["new", 1];
        const ofFile = byPath.get(first.location.path) ?? new Map<string, ComponentChildren[]>();
        byPath.set(first.location.path, ofFile);
        const shown = [first, ...replies].map((note) => (
          <NoteView key={note.id} rid={rid} note={note} actions={actions} />
        ));
        ofFile.set(`${side} ${line}`, [...ofFile.get(`${side} ${line}`) ?? [], ...shown]);
      }
    };
    add(discussions.map(noteOf), revisionActions(id, me, change));
    for (const review of reviews) add(reviewNotes(review, aliases), reviewActions(review.id, me, change));
    return byPath as ReadonlyMap<string, LineNotes>;
  }, [revision, me, isSigned]);
  const writing = useMemo((): LineWriting | undefined =>
    isSigned
      ? {
        form: (path, side, line, close) => (
          <Editor
            label={`Comment on ${side} line ${line}`}
            action="Comment"
            onCancel={close}
            onSubmit={async (body) => {
              const range = { type: "lines", range: { start: line, end: line + 1 } } as const;
              const location = {
                commit: oid,
                path,
                old: side === "old" ? range : null,
                new: side === "new" ? range : null,
              };
              await change({ type: "revision.comment", revision: id, body, location });
              close();
            }}
          />
        ),
      }
      : undefined, [isSigned, id, oid]);
  return (
    <Loaded answer={answer}>
      {({ diff, files }) => (
        <Changes
          rid={rid}
          diff={diff}
          blobs={files}
          oldRevision={base}
          newRevision={oid}
          notes={notes}
          writing={writing}
        />
      )}
    </Loaded>
  );
}
