/** The history of a branch, a file or a folder. */
import type { JSX } from "preact";
import type { Commit } from "../client/mod.ts";
import { useGet } from "./answers.ts";
import { RevisionBar, usePath } from "./folder.tsx";
import type { ViewProps } from "./lazily.tsx";
import { pageNumber, Pager } from "./lists.tsx";
import { CommitLink, counted, dayOf, Empty, Loaded, Time, Title, Trail } from "./parts.tsx";
import { atPath, inRepository } from "./places.ts";
import { useRepository } from "./repository_context.ts";

/** Commits of a page. */
const PER_PAGE = 30;

/** Commits in the order of history, by day. */
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

/** Commits with headings for their days. */
export function CommitList({ commits }: { readonly commits: readonly Commit[] }): JSX.Element {
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
                <a class="quiet" href={atPath(rid, "tree", id)} aria-label={`Files at ${id.slice(0, 7)}`}>
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

/** A list of commits that is folded where it is long. */
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
