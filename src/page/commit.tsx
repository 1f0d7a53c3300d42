/** A commit with its changes, and the comparison of two. */
import type { JSX } from "preact";
import { useAnswer } from "./answers.ts";
import { go, visitor } from "./app.ts";
import { Changes } from "./changes.tsx";
import { CommitList } from "./commits.tsx";
import { Badge, CommitLink, Copy, counted, Loaded, Time, Title } from "./parts.tsx";
import { atPath, inRepository, shortOid, shownRevision } from "./places.ts";
import type { InRepositoryProps } from "./lazily.tsx";

/** A commit. */
export function CommitView({ project, place }: InRepositoryProps): JSX.Element {
  const [, sha = project.head] = place.parts;
  const { id, name } = project;
  const answer = useAnswer(
    `commit ${id} ${sha}`,
    (options) => visitor.client.get("/api/v1/projects/:project/commits/:sha", { project: id, sha }, options),
  );
  return (
    <Loaded answer={answer} isView>
      {({ commit, diff, files, branches }) => (
        <>
          <Title text={commit.summary || "(no message)"} window={`${commit.summary} · ${name}`} />
          <div class="box inside message">
            {commit.description !== "" && <pre class="text">{commit.description}</pre>}
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
                  <CommitLink rid={id} oid={parent} />
                </span>
              ))}
              {" · "}
              <a href={atPath(id, "tree", commit.id)}>Files at this commit</a>
            </p>
          </div>
          <Changes
            rid={id}
            diff={diff}
            blobs={files}
            oldRevision={commit.parents[0]}
            newRevision={commit.id}
          />
        </>
      )}
    </Loaded>
  );
}

/** The comparison of two commits. */
export function ComparisonView({ project, place }: InRepositoryProps): JSX.Element {
  const [, base = "", head = ""] = place.parts;
  const { id, name } = project;
  return (
    <>
      <Title text="Compare" window={`Compare · ${name}`} />
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const [base, head] = ["base", "head"].map((name) => String(form.get(name)).trim());
          if (base && head) go(inRepository(id, ["compare", base, head]));
        }}
      >
        <label>
          From <input name="base" required defaultValue={base} autocomplete="off" spellcheck={false} />
        </label>
        <label>
          to <input name="head" required defaultValue={head} autocomplete="off" spellcheck={false} />
        </label>
        <button type="submit">Compare</button>
      </form>
      {base === "" || head === ""
        ? <p class="note">Branches, tags and object ids of commits can be compared.</p>
        : <Comparison rid={id} base={base} head={head} />}
    </>
  );
}

function Comparison(
  { rid, base, head }: { readonly rid: string; readonly base: string; readonly head: string },
): JSX.Element {
  const answer = useAnswer(
    `compare ${rid} ${base} ${head}`,
    (options) =>
      visitor.client.get(
        "/api/v1/projects/:project/diff/:base/:oid",
        { project: rid, base, oid: head },
        options,
      ),
  );
  return (
    <Loaded answer={answer}>
      {({ diff, files, commits }) => (
        <>
          <details class="list" open={commits.length <= 10}>
            <summary>
              {counted(commits.length, "commit")} from {short(base)} to {short(head)}
            </summary>
            <CommitList rid={rid} commits={commits} />
          </details>
          <Changes rid={rid} diff={diff} blobs={files} oldRevision={base} newRevision={head} />
        </>
      )}
    </Loaded>
  );
}

function short(revision: string): string {
  return /^[\da-f]{40,}$/.test(revision) ? shortOid(revision) : shownRevision(revision);
}
