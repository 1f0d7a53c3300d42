/** A commit with its changes, and the comparison of two. */
import type { JSX } from "preact";
import { useGet } from "./answers.ts";
import { go } from "./app.ts";
import { Changes } from "./changes.tsx";
import { FoldedCommits } from "./commits.tsx";
import type { ViewProps } from "./lazily.tsx";
import { Badge, CommitLink, Copy, Loaded, Time, Title } from "./parts.tsx";
import { atPath, inRepository, shownRevision } from "./places.ts";
import { useRepository } from "./repository_context.ts";
import { Field, Form } from "./writing.tsx";

/** A commit. */
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

/** The comparison of two commits. */
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

/** Asks for the commits and changes between two commits. */
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
