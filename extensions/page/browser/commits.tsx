/**
 * Views of the history of a branch, a file or a folder, of a commit with its changes, and of the comparison
 * of two commits.
 */
import type { JSX } from "preact";
import type { Commit } from "../../../src/client/mod.ts";
import { useGet } from "./answers.ts";
import { go } from "./app.ts";
import { Changes } from "./changes.tsx";
import { RevisionBar, usePath } from "./folder.tsx";
import { pageNumber, Pager, PlainText } from "./lists.tsx";
import {
  Badge,
  CommitLink,
  Copy,
  counted,
  dayOf,
  Empty,
  Loaded,
  Time,
  Title,
  Trail,
  useRepository,
} from "./parts.tsx";
import { atPath, inRepository, shortOid, shownRevision, type ViewProps } from "./places.ts";
import { Field, Form } from "./writing.tsx";

/** Number of commits on a page. */
const PER_PAGE = 30;

/** Draws a history. Commits are grouped by day. */
export function Commits({ place }: ViewProps): JSX.Element {
  const { rid } = useRepository();
  const { revision, path } = usePath(place);
  const page = pageNumber(place.query["page"]);
  const answer = useGet("/api/v1/projects/:project/commits", {
    project: rid,
    parent: revision,
    page,
    perPage: PER_PAGE,
    diff: "none",
    ...(path !== "" && { path, follow: "true" }),
  });
  return (
    <>
      <Title
        text={path === "" ? "Commits" : `History of ${place.parts.at(-1)}`}
      />
      <div class="bar">
        <RevisionBar revision={revision} />
        {path !== "" && <Trail revision={revision} path={path} />}
        {path === "" && answer.value && (
          <span class="note">{counted(answer.value.stats.commits, "commit")}</span>
        )}
      </div>
      <Loaded answer={answer}>
        {({ commits }) => (
          <>
            {commits.length === 0 && <Empty>No commits {page > 0 ? "beyond this page" : "here"}.</Empty>}
            <CommitList commits={commits.map(({ commit }) => commit)} />
            <Pager
              page={page}
              hasMore={commits.length === PER_PAGE}
              hrefOf={(page) => atPath(rid, "commits", revision, path, { page })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

function CommitList({ commits }: { readonly commits: readonly Commit[] }): JSX.Element {
  const { rid } = useRepository();
  const days: { readonly day: string; readonly commits: Commit[] }[] = [];
  for (const commit of commits) {
    const day = dayOf(commit.committer.time, "long");
    if (days.at(-1)?.day !== day) days.push({ day, commits: [] });
    days.at(-1)!.commits.push(commit);
  }
  return (
    <>
      {days.map(({ day, commits }, i) => (
        <section key={i} class="day">
          <h2>{day}</h2>
          <ul class="box rows">
            {commits.map(({ id, summary, author, committer, parents }) => (
              <li key={id}>
                <div class="grow">
                  <a class="subject" href={inRepository(rid, ["commit", id])}>{summary || "(no message)"}</a>
                  <p class="note">
                    {author.name}
                    {committer.name !== author.name && ` · committed by ${committer.name}`} ·{" "}
                    <Time at={committer.time} />
                    {parents.length > 1 && " · merge"}
                  </p>
                </div>
                <CommitLink oid={id} />
                <a class="quiet" href={atPath(rid, "tree", id)} aria-label={`Files at ${shortOid(id)}`}>
                  Files
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** Draws a list of commits, which is folded if it is long. */
export function FoldedCommits(
  { commits, range = "" }: { readonly commits: readonly Commit[]; readonly range?: string },
): JSX.Element {
  return (
    <details class="list" open={commits.length <= 10}>
      <summary>{counted(commits.length, "commit")}{range}</summary>
      <CommitList commits={commits} />
    </details>
  );
}

export function CommitView({ place }: ViewProps): JSX.Element {
  const { rid, project: { head } } = useRepository();
  const [, sha = head] = place.parts;
  const answer = useGet("/api/v1/projects/:project/commits/:sha", { project: rid, sha });
  return (
    <Loaded answer={answer} isView>
      {({ commit, diff, files, branches }) => (
        <>
          <Title text={commit.summary || "(no message)"} />
          <div class="box inside message">
            {commit.description !== "" && <PlainText text={commit.description} />}
            <p class="note">
              <b>{commit.author.name}</b>
              {commit.committer.name !== commit.author.name && (
                <>
                  , committed by <b>{commit.committer.name}</b>
                </>
              )}
              {" · "}
              <Time at={commit.committer.time} />
              {branches.slice(0, 10).map((branch) => (
                <Badge key={branch}>{branch.replace(/^refs\/heads\//, "")}</Badge>
              ))}
            </p>
            <p class="note">
              Commit <code title={commit.id}>{commit.id}</code> <Copy text={commit.id} name="commit id" />
            </p>
            <p class="note">
              {commit.parents.length === 0 ? "No parent" : commit.parents.length === 1 ? "Parent" : "Parents"}
              {commit.parents.map((parent) => (
                <span key={parent}>
                  {" "}
                  <CommitLink oid={parent} />
                </span>
              ))}
              {" · "}
              <a href={atPath(rid, "tree", commit.id)}>Files at this commit</a>
            </p>
          </div>
          <Changes diff={diff} blobs={files} oldRevision={commit.parents[0]} newRevision={commit.id} />
        </>
      )}
    </Loaded>
  );
}

export function ComparisonView({ place }: ViewProps): JSX.Element {
  const { rid } = useRepository();
  const [, base = "", head = ""] = place.parts;
  return (
    <>
      <Title text="Compare" />
      <Form
        kind="bar"
        action="Compare"
        onSend={({ base, head }) => go(inRepository(rid, ["compare", base!, head!]))}
      >
        <Field label="From" name="base" required defaultValue={base} spellcheck={false} />
        <Field label="to" name="head" required defaultValue={head} spellcheck={false} />
      </Form>
      {base === "" || head === ""
        ? <p class="note">Branches, tags and object ids of commits can be compared.</p>
        : <Comparison base={base} head={head} />}
    </>
  );
}

/** Loads the commits and changes between two commits. */
export function useComparison(base: string, oid: string) {
  const { rid: project } = useRepository();
  return useGet("/api/v1/projects/:project/diff/:base/:oid", { project, base, oid });
}

function Comparison({ base, head }: { readonly base: string; readonly head: string }): JSX.Element {
  const answer = useComparison(base, head);
  return (
    <Loaded answer={answer}>
      {({ diff, files, commits }) => (
        <>
          <FoldedCommits
            commits={commits}
            range={` from ${shownRevision(base)} to ${shownRevision(head)}`}
          />
          <Changes diff={diff} blobs={files} oldRevision={base} newRevision={head} />
        </>
      )}
    </Loaded>
  );
}
