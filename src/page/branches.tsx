/** Branches and tags: those of the repository, and those that nodes have signed. */
import type { JSX } from "preact";
import type { Remote } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import { tagsOf } from "./overview.tsx";
import { Avatar, Badge, CommitLink, Empty, Loaded, shownNode, Title } from "./parts.tsx";
import { atPath, branchOfNode, inRepository } from "./places.ts";
import type { InRepositoryProps } from "./lazily.tsx";

/** Branches of each node, and tags. */
export function Branches({ project }: InRepositoryProps): JSX.Element {
  const { id, name, defaultBranch, head } = project;
  const answer = useAnswer(`branches ${id}`, async ({ signal }) => {
    const [remotes, tags] = await Promise.all([
      visitor.client.get("/api/v1/projects/:project/remotes", { project: id }, { signal }),
      tagsOf(id, signal),
    ]);
    return { remotes: remotes.toSorted((a, b) => Number(b.delegate) - Number(a.delegate)), tags };
  });
  return (
    <>
      <Title text="Branches and tags" window={`Branches · ${name}`} />
      <section>
        <h2>Of the repository</h2>
        <p class="note">The branch on which its delegates agree.</p>
        <ul class="box rows">
          <BranchRow rid={id} name={defaultBranch} revision={defaultBranch} oid={head} base={undefined} />
        </ul>
      </section>
      <Loaded answer={answer}>
        {({ remotes, tags }) => (
          <>
            {remotes.map((remote) => (
              <OfNode
                key={remote.id}
                rid={id}
                remote={remote}
                base={defaultBranch}
              />
            ))}
            <section>
              <h2>Tags</h2>
              {tags.length === 0 ? <Empty>No tags.</Empty> : (
                <ul class="box rows">
                  {tags.map(({ name, commit, of }) => (
                    <li key={`${name} ${of}`}>
                      <a class="grow subject" href={atPath(id, "tree", commit)}>{name}</a>
                      {of !== undefined && <span class="note">by {shownNode(of)}</span>}
                      <CommitLink rid={id} oid={commit} />
                    </li>
                  ))}
                </ul>
              )}
            </section>
          </>
        )}
      </Loaded>
    </>
  );
}

function OfNode(
  { rid, remote: { id, alias, heads, delegate }, base }: {
    readonly rid: string;
    readonly remote: Remote;
    readonly base: string;
  },
): JSX.Element {
  const branches = Object.entries(heads).sort(([a], [b]) =>
    Number(a.startsWith("patches/")) - Number(b.startsWith("patches/"))
  );
  return (
    <section>
      <h2 class="person-head">
        <Avatar id={id} name={alias ?? ""} /> <span title={id}>{alias ?? shownNode(id)}</span>
        {delegate && <Badge kind="delegate">delegate</Badge>}
      </h2>
      {branches.length === 0 ? <Empty>No branches.</Empty> : (
        <ul class="box rows">
          {branches.map(([name, oid]) => (
            <BranchRow
              key={name}
              rid={rid}
              name={name}
              revision={branchOfNode(id, name)}
              oid={oid}
              base={base}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function BranchRow(
  { rid, name, revision, oid, base }: {
    readonly rid: string;
    readonly name: string;
    readonly revision: string;
    readonly oid: string;
    readonly base: string | undefined;
  },
): JSX.Element {
  const patch = /^patches\/([\da-f]{40,})$/.exec(name)?.[1];
  return (
    <li>
      <a class="grow subject" href={atPath(rid, "tree", revision)}>
        {patch === undefined ? name : `patches/${patch.slice(0, 7)}`}
      </a>
      {patch !== undefined && <a class="quiet" href={inRepository(rid, ["patches", patch])}>Patch</a>}
      <a class="quiet" href={atPath(rid, "commits", revision)}>Commits</a>
      {base !== undefined && (
        <a class="quiet" href={inRepository(rid, ["compare", base, revision])}>Compare</a>
      )}
      <CommitLink rid={rid} oid={oid} />
    </li>
  );
}
