/** The history of a branch, a file or a folder. */
import type { JSX } from "preact";
import type { Commit } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import { CommitLink, counted, Empty, Loaded, pageNumber, Pager, Time, Title, Trail } from "./parts.tsx";
import { atPath, inRepository } from "./places.ts";
import type { InRepositoryProps } from "./lazily.tsx";
import { RevisionBar } from "./revision_bar.tsx";

/** Commits of a page. */
const PER_PAGE = 30;

/** Commits in the order of history, by day. */
export function Commits({ project, place }: InRepositoryProps): JSX.Element {
  const [, revision = project.defaultBranch, ...parts] = place.parts;
  const { id, name } = project;
  const path = parts.join("/");
  const page = pageNumber(place.query["page"]);
  const answer = useAnswer(
    `commits ${id} ${revision} ${path} ${page}`,
    (options) =>
      visitor.client.get("/api/v1/projects/:project/commits", {
        project: id,
        parent: revision,
        page,
        perPage: PER_PAGE,
        diff: "none",
        ...(path !== "" && { path, follow: "true" }),
      }, options),
  );
  return (
    <>
      <Title text={path === "" ? "Commits" : `History of ${parts.at(-1)}`} window={`Commits · ${name}`} />
      <div class="bar">
        <RevisionBar project={project} revision={revision} />
        {path !== "" && <Trail rid={id} revision={revision} path={path} root={name} />}
        {path === "" && answer.value && (
          <span class="note">{counted(answer.value.stats.commits, "commit")}</span>
        )}
      </div>
      <Loaded answer={answer}>
        {({ commits }) => (
          <>
            {commits.length === 0 && <Empty>No commits {page > 0 ? "beyond this page" : "here"}.</Empty>}
            <CommitList rid={id} commits={commits.map(({ commit }) => commit)} />
            <Pager
              page={page}
              hasMore={commits.length === PER_PAGE}
              hrefOf={(page) =>
                atPath(id, "commits", revision, path, { page: page === 0 ? undefined : `${page}` })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Commits with headings for their days. */
export function CommitList(
  { rid, commits }: { readonly rid: string; readonly commits: readonly Commit[] },
): JSX.Element {
  const days: { readonly day: string; readonly commits: Commit[] }[] = [];
  for (const commit of commits) {
    const date = new Date(commit.committer.time * 1000);
    const day = Number.isNaN(date.getTime())
      ? "unknown time"
      : date.toLocaleDateString("en", { dateStyle: "long" });
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
                <CommitLink rid={rid} oid={id} />
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
