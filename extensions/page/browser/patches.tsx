/**
 * Views of patches: the list of patches, a single patch with its revisions, reviews and changes, and the form
 * for a new patch.
 */
import type { ComponentType, JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { CodeRange, Patch, Review, Revision } from "../../../src/client/mod.ts";
import { useGet } from "./answers.ts";
import { maySign, visitor } from "./app.ts";
import { Changes, type LineWriting } from "./changes.tsx";
import { FoldedCommits, useComparison } from "./commits.tsx";
import { type NoteActions, noteActions, NoteView, Threads } from "./discussion.tsx";
import { lineOf, type Note, noteOf, reviewNotes, threadsOf } from "./notes.ts";
import { type Change, NewObject, ObjectFrame, type ObjectProps, objectViews } from "./objects.tsx";
import { CommitLink, currentIf, Loaded, Person, Section, shownNode, useRepository } from "./parts.tsx";
import { atPath, inRepository, type Query, shortOid, type ViewProps } from "./places.ts";
import { Editor, SignedIn, type Written } from "./writing.tsx";

export const Patches: ComponentType<ViewProps> = objectViews("patches", PatchView, NewPatch);

/** Returns the aliases of all people in a patch, by their DIDs. */
function aliasesIn({ author, revisions }: Patch): ReadonlyMap<string, string> {
  const texts = revisions.flatMap((revision) => [revision, ...revision.reviews, ...revision.discussions]);
  const people = [author, ...texts.map(({ author }) => author)];
  return new Map(people.flatMap(({ id, alias }) => alias === undefined ? [] : [[id, alias] as const]));
}

function PatchView({ object: patch, query, change }: ObjectProps<Patch>): JSX.Element {
  const { rid } = useRepository();
  const { id, author, revisions, merges } = patch;
  const { revision: chosen, tab } = query;
  const revision = revisions.find(({ id }) => id === chosen) ?? revisions.at(-1);
  const place = (query: Query) => inRepository(rid, ["patches", id], query);
  const merged = merges.at(-1);
  const isOfChanges = tab === "changes";
  const View = isOfChanges ? RevisionChanges : Discussion;
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
      side={revision && (
        <>
          <Section title="Revision">
            <ul class="plain">
              <li>
                Head <CommitLink oid={revision.oid} />
              </li>
              <li>
                Base <CommitLink oid={revision.base} />
              </li>
              <li>
                <a href={atPath(rid, "tree", revision.oid)}>Files</a>
              </li>
            </ul>
          </Section>
          <Section title="To try it">
            <code class="command">rad patch checkout {shortOid(id)}</code>
          </Section>
        </>
      )}
    >
      <nav class="tabs" aria-label="Patch">
        <a href={place({ revision: chosen })} aria-current={currentIf(!isOfChanges)}>Discussion</a>
        <a href={place({ revision: chosen, tab: "changes" })} aria-current={currentIf(isOfChanges)}>
          Changes
        </a>
      </nav>
      <nav class="revisions" aria-label="Revisions">
        {revisions.map(({ id, author: by }, i) => (
          <a
            key={id}
            class="chip"
            title={id}
            href={place({ revision: i === revisions.length - 1 ? undefined : id, tab })}
            aria-current={currentIf(id === revision?.id)}
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

interface RevisionProps {
  readonly patch: Patch;
  readonly revision: Revision;
  readonly change: Change;
}

/** Draws the description of a revision, its comments and its reviews. */
function Discussion({ patch, revision, change }: RevisionProps): JSX.Element {
  const { id, description: body, edits, reviews, discussions, base, oid } = revision;
  const aliases = useMemo(() => aliasesIn(patch), [patch]);
  const notes = useMemo(() => discussions.map(noteOf), [discussions]);
  const embeds = edits.at(-1)?.embeds ?? [];
  // A reaction with a location belongs to a line of code, not to the whole revision.
  const reactions = revision.reactions.filter(({ location }) => !location);
  const described = noteOf({ ...revision, body, embeds, reactions });
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
      <NoteView note={described} level="h2" verb="proposed" actions={maySign() ? ofDescription : {}} />
      <Loaded answer={comparison}>{({ commits }) => <FoldedCommits commits={commits} />}</Loaded>
      {reviews.map((review) => (
        <ReviewView key={review.id} review={review} aliases={aliases} change={change} />
      ))}
      <Threads threads={threadsOf(notes)} actions={actions} />
      <SignedIn to="comment or review">
        <Editor
          label="Comment"
          action="Comment"
          onSend={({ body, embeds }) =>
            change({ type: "revision.comment", revision: id, body, embeds })}
        />
        {isOpen && <ReviewForm revision={id} change={change} />}
      </SignedIn>
    </>
  );
}

const VERDICTS = { accept: "accepted", reject: "rejected" };

function ReviewForm(
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
      <Editor label="Summary" action="Review" isSummary onSend={send}>
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

function ReviewView(
  { review, aliases, change }: {
    readonly review: Review;
    readonly aliases: ReadonlyMap<string, string>;
    readonly change: Change;
  },
): JSX.Element {
  const { id, author, verdict, summary, timestamp } = review;
  const verb = `${verdict === null ? "reviewed" : VERDICTS[verdict]} this revision`;
  const note = noteOf({ id, author, body: summary ?? "", timestamp });
  return (
    <div class={`review ${verdict ?? ""}`}>
      <NoteView note={note} actions={{}} verb={verb} level="h2">
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

/** Draws the changes of a revision, with comments and reviews at the lines to which they belong. */
function RevisionChanges({ patch, revision, change }: RevisionProps): JSX.Element {
  const { id, base, oid, discussions, reviews } = revision;
  const answer = useComparison(base, oid);
  const isSigned = maySign();
  const notes = useMemo(() => {
    const aliases = aliasesIn(patch);
    const placed = (notes: readonly Note[], actions: NoteActions) =>
      threadsOf(notes).flatMap((thread) => {
        const { id, location } = thread.first;
        if (!location) return [];
        const shown = <Threads key={id} threads={[thread]} actions={actions} level="h3" />;
        return [{ path: location.path, place: lineOf(location)?.join(" ") ?? "new 1", shown }];
      });
    const all = [
      ...placed(discussions.map(noteOf), noteActions(change, "revision.comment", { revision: id })),
      ...reviews.flatMap((review) =>
        placed(reviewNotes(review, aliases), noteActions(change, "review.comment", { review: review.id }))
      ),
    ];
    return Map.groupBy(all, ({ path }) => path);
  }, [revision, isSigned]);
  const writing = useMemo((): LineWriting => (path, place, close) => {
    const [side, number] = place.split(" ");
    const line = Number(number);
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

/** Draws the form for a new patch, which proposes a commit that a node has pushed as a branch. */
function NewPatch({ query }: { readonly query: Query }): JSX.Element {
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
    <NewObject kind="patches" open={open} isSummary>
      <label>
        Branch, proposed for {defaultBranch}{" "}
        <select name="oid" required defaultValue={query["head"]}>
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
