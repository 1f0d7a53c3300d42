/** The view of the branches and tags of a repository, including branches and tags that nodes have signed. */
import type { JSX } from "preact";
import { useGet } from "./answers.ts";
import { Rows } from "./lists.tsx";
import { Avatar, Badge, CommitLink, Loaded, Section, shownNode, Title, useRepository } from "./parts.tsx";
import { atPath, branchOfNode, inRepository } from "./places.ts";
import { useTags } from "./tags.ts";

export function Branches(): JSX.Element {
  const { rid, project: { defaultBranch, head } } = useRepository();
  const remotes = useGet("/api/v1/projects/:project/remotes", { project: rid });
  const tags = useTags();
  return (
    <>
      <Title text="Branches and tags" />
      <Section title="Of the repository">
        <p class="note">The branch on which its delegates agree.</p>
        <ul class="box rows">
          <BranchRow name={defaultBranch} revision={defaultBranch} oid={head} />
        </ul>
      </Section>
      <Loaded answer={remotes}>
        {(remotes) =>
          remotes.toSorted((a, b) => Number(b.delegate) - Number(a.delegate)).map((remote) => {
            const { id, alias, heads, delegate } = remote;
            const branches = Object.entries(heads).sort(([a], [b]) =>
              Number(a.startsWith("patches/")) - Number(b.startsWith("patches/"))
            );
            return (
              <section key={id}>
                <h2 class="person-head">
                  <Avatar id={id} name={alias ?? ""} /> <span title={id}>{alias ?? shownNode(id)}</span>
                  {delegate && <Badge kind="delegate">delegate</Badge>}
                </h2>
                <Rows items={branches} empty="No branches.">
                  {([name, oid]) => (
                    <BranchRow key={name} name={name} revision={branchOfNode(id, name)} oid={oid} />
                  )}
                </Rows>
              </section>
            );
          })}
      </Loaded>
      <Loaded answer={tags}>
        {(tags) => (
          <Section title="Tags">
            <Rows items={tags} empty="No tags.">
              {({ name, commit, of }) => (
                <li key={`${name} ${of}`}>
                  <a class="grow subject" href={atPath(rid, "tree", commit)}>{name}</a>
                  {of !== undefined && <span class="note">by {shownNode(of)}</span>}
                  <CommitLink oid={commit} />
                </li>
              )}
            </Rows>
          </Section>
        )}
      </Loaded>
    </>
  );
}

function BranchRow(
  { name, revision, oid }: { readonly name: string; readonly revision: string; readonly oid: string },
): JSX.Element {
  const { rid, project: { defaultBranch } } = useRepository();
  const patch = /^patches\/([\da-f]{40,})$/.exec(name)?.[1];
  return (
    <li>
      <a class="grow subject" href={atPath(rid, "tree", revision)}>
        {patch === undefined ? name : `patches/${patch.slice(0, 7)}`}
      </a>
      {patch !== undefined
        ? <a class="quiet" href={inRepository(rid, ["patches", patch])}>Patch</a>
        : revision !== defaultBranch && (
          <a class="quiet" href={inRepository(rid, ["patches", "new"], { head: oid })}>Propose</a>
        )}
      <a class="quiet" href={atPath(rid, "commits", revision)}>Commits</a>
      {revision !== defaultBranch && (
        <a class="quiet" href={inRepository(rid, ["compare", defaultBranch, revision])}>Compare</a>
      )}
      <CommitLink oid={oid} />
    </li>
  );
}
