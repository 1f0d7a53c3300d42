/** Patches: their list, one of them with its revisions, reviews and changes, and a new one. */
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { CodeRange, Patch, Revision } from "../client/mod.ts";
import { useGet } from "./answers.ts";
import { maySign, visitor } from "./app.ts";
import { Changes, type LineNotes, type LineWriting } from "./changes.tsx";
import { useComparison } from "./commit.tsx";
import { FoldedCommits } from "./commits.tsx";
import { type NoteActions, noteActions, NoteView, ThreadView } from "./discussion.tsx";
import type { ViewProps } from "./lazily.tsx";
import { type Note, noteOf, reviewNotes, revisionReactions, threadsOf } from "./notes.ts";
import { type Change, NewObject, ObjectFrame, ObjectList, useObject } from "./objects.tsx";
import { CommitLink, Loaded, Person, Section, shownNode } from "./parts.tsx";
import { inRepository, type Query, shortOid } from "./places.ts";
import { useRepository } from "./repository_context.ts";
import { lineOf, PlaceNote, ReviewForm, ReviewView } from "./reviews.tsx";
import { Editor, SignInNote, type Written } from "./writing.tsx";

/** The view of patches that a place names. */
export function Patches({ place: { parts: [, id], query } }: ViewProps): JSX.Element {
  const { open, draft, archived, merged } = useRepository().project.patches;
  if (id === "new") return <NewPatch head={query["head"]} />;
  return id === undefined
    ? <ObjectList kind="patches" query={query} states={{ open, draft, archived, merged }} />
    : <One id={id} query={query} />;
}

/** A patch. */
function One({ id, query }: { readonly id: string; readonly query: Query }): JSX.Element {
  const { answer, change } = useObject("patches", id);
  return (
    <Loaded answer={answer} isView>
      {(patch) => <PatchView patch={patch} query={query} change={change} />}
    </Loaded>
  );
}

/** Aliases of all who have said something in a patch, by their DIDs. */
function aliasesIn({ author, revisions }: Patch): ReadonlyMap<string, string> {
  const said = revisions.flatMap((revision) => [revision, ...revision.reviews, ...revision.discussions]);
  const people = [author, ...said.map(({ author }) => author)];
  return new Map(people.flatMap(({ id, alias }) => alias === undefined ? [] : [[id, alias] as const]));
}

interface PatchProps {
  readonly patch: Patch;
  readonly revision: Revision;
  readonly change: Change;
}

function PatchView(
  { patch, query, change }: { readonly patch: Patch; readonly query: Query; readonly change: Change },
): JSX.Element {
  const { rid } = useRepository();
  const { id, author, revisions, merges } = patch;
  const { revision: chosen, tab } = query;
  const revision = revisions.find(({ id }) => id === chosen) ?? revisions.at(-1);
  const place = (query: Query) => inRepository(rid, ["patches", id], query);
  const merged = merges.at(-1);
  const View = tab === "changes" ? RevisionChanges : Discussion;
  return (
    <ObjectFrame
      kind="patches"
      object={patch}
      change={change}
      remark={merged && (
        <>
          · merged by <Person author={merged.author} /> as <CommitLink oid={merged.commit} />
        </>
      )}
      side={revision && <RevisionFacts id={id} revision={revision} />}
    >
      <nav class="tabs" aria-label="Patch">
        {[undefined, "changes"].map((name) => (
          <a
            key={name}
            href={place({ revision: chosen, tab: name })}
            aria-current={(tab === "changes") === (name === "changes") ? "page" : undefined}
          >
            {name === undefined ? "Discussion" : "Changes"}
          </a>
        ))}
      </nav>
      <nav class="revisions" aria-label="Revisions">
        {revisions.map(({ id, author: by }, i) => (
          <a
            key={id}
            class="chip"
            title={id}
            href={place({ revision: i === revisions.length - 1 ? undefined : id, tab })}
            aria-current={id === revision?.id ? "true" : undefined}
          >
            Revision {i + 1}
            {by.id !== author.id && ` by ${by.alias ?? "another"}`}
          </a>
        ))}
      </nav>
      {revision === undefined
        ? <p class="note">This patch has no revision.</p>
        : <View key={revision.id} patch={patch} revision={revision} change={change} />}
    </ObjectFrame>
  );
}

function RevisionFacts(
  { id, revision: { oid, base } }: { readonly id: string; readonly revision: Revision },
): JSX.Element {
  const { rid } = useRepository();
  return (
    <>
      <Section title="Revision">
        <ul class="plain">
          <li>
            Head <CommitLink oid={oid} />
          </li>
          <li>
            Base <CommitLink oid={base} />
          </li>
          <li>
            <a href={inRepository(rid, ["tree", oid])}>Files</a>
          </li>
        </ul>
      </Section>
      <Section title="To try it">
        <code class="command">rad patch checkout {shortOid(id)}</code>
      </Section>
    </>
  );
}

/** The description of a revision, its comments and reviews. */
function Discussion({ patch, revision, change }: PatchProps): JSX.Element {
  const { id, description: body, edits, reviews, discussions, base, oid } = revision;
  const aliases = useMemo(() => aliasesIn(patch), [patch]);
  const notes = useMemo(() => discussions.map(noteOf), [discussions]);
  const embeds = edits.at(-1)?.embeds ?? [];
  const described: Note = {
    ...noteOf({ ...revision, body, embeds, reactions: [] }),
    reactions: revisionReactions(revision),
  };
  const ofDescription: NoteActions = {
    react: (_, reaction, active) => change({ type: "revision.react", revision: id, reaction, active }),
    edit: (_, { body: description, embeds }) =>
      change({ type: "revision.edit", revision: id, description, embeds }),
  };
  const isOpen = patch.state.status === "open" || patch.state.status === "draft";
  const actions = noteActions(change, "revision.comment", { revision: id });
  const comparison = useComparison(base, oid);
  return (
    <>
      <NoteView note={described} level="h2" said="proposed" actions={maySign() ? ofDescription : {}} />
      <Loaded answer={comparison}>{({ commits }) => <FoldedCommits commits={commits} />}</Loaded>
      {reviews.map((review) => (
        <ReviewView key={review.id} review={review} aliases={aliases} change={change} />
      ))}
      {threadsOf(notes).map((thread) => (
        <div key={thread.first.id}>
          <PlaceNote location={thread.first.location} />
          <ThreadView thread={thread} actions={actions} />
        </div>
      ))}
      {maySign()
        ? (
          <>
            <Editor
              label="Comment"
              action="Comment"
              onSend={({ body, embeds }) => change({ type: "revision.comment", revision: id, body, embeds })}
            />
            {isOpen && <ReviewForm revision={id} change={change} />}
          </>
        )
        : <SignInNote to="comment or review" />}
    </>
  );
}

/** The changes of a revision, with comments and reviews at their lines. */
function RevisionChanges({ patch, revision, change }: PatchProps): JSX.Element {
  const { id, base, oid, discussions, reviews } = revision;
  const answer = useComparison(base, oid);
  const isSigned = maySign();
  const notes = useMemo(() => {
    const aliases = aliasesIn(patch);
    const byPath = new Map<string, Map<string, ComponentChildren[]>>();
    const add = (notes: readonly Note[], actions: NoteActions) => {
      for (const { first, replies } of threadsOf(notes)) {
        if (first.location === undefined) continue;
        const line = lineOf(first.location)?.join(" ") ?? "new 1";
        const ofFile = byPath.get(first.location.path) ?? new Map<string, ComponentChildren[]>();
        byPath.set(first.location.path, ofFile);
        const shown = [first, ...replies].map((note) => (
          <NoteView key={note.id} note={note} actions={actions} />
        ));
        ofFile.set(line, [...ofFile.get(line) ?? [], ...shown]);
      }
    };
    add(discussions.map(noteOf), noteActions(change, "revision.comment", { revision: id }));
    for (const review of reviews) {
      const actions = noteActions(change, "review.comment", { review: review.id });
      add(reviewNotes(review, aliases), actions);
    }
    return byPath as ReadonlyMap<string, LineNotes>;
  }, [revision, isSigned]);
  const writing = useMemo((): LineWriting => (path, place, close) => {
    const [side, line] = [place.split(" ")[0], Number(place.split(" ")[1])];
    const range: CodeRange = { type: "lines", range: { start: line, end: line + 1 } };
    const location = { commit: oid, path, old: null, new: null, [side as "old" | "new"]: range };
    return (
      <Editor
        label={`Comment on ${side} line ${line}`}
        action="Comment"
        onCancel={close}
        onSend={({ body, embeds }) =>
          change({ type: "revision.comment", revision: id, body, embeds, location }).then(close)}
      />
    );
  }, [id, oid]);
  return (
    <Loaded answer={answer}>
      {({ diff, files }) => (
        <Changes
          diff={diff}
          blobs={files}
          oldRevision={base}
          newRevision={oid}
          notes={notes}
          writing={isSigned ? writing : undefined}
        />
      )}
    </Loaded>
  );
}

/** A new patch, of a commit that a node has pushed as a branch. */
function NewPatch({ head: chosen }: { readonly head: string | undefined }): JSX.Element {
  const { rid, project: { head, defaultBranch } } = useRepository();
  const { value: remotes = [] } = useGet("/api/v1/projects/:project/remotes", { project: rid });
  const open = (title: string, { body: description, fields: { oid = "" } }: Written) =>
    visitor.client.post("/api/v1/projects/:project/patches", { project: rid }, {
      title,
      description,
      target: head,
      oid,
      labels: [],
    });
  return (
    <NewObject kind="patches" open={open} isOptional takesFiles={false}>
      <label>
        Branch, proposed for {defaultBranch}{" "}
        <select name="oid" required defaultValue={chosen}>
          {remotes.flatMap(({ id, alias, heads }) =>
            Object.entries(heads).filter(([, oid]) => oid !== head).map(([branch, oid]) => (
              <option key={`${id} ${branch}`} value={oid}>
                {branch} of {alias ?? shownNode(id)} ({shortOid(oid)})
              </option>
            ))
          )}
        </select>
      </label>
    </NewObject>
  );
}
