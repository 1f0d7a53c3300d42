/** The first view of a repository: its files, its readme, and what it is. */
import type { ComponentChildren, JSX } from "preact";
import type { Author, Project } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import { Entries } from "./folder.tsx";
import { Copy, counted, Outside, shownNode } from "./parts.tsx";
import { atPath, inRepository } from "./places.ts";
import type { InRepositoryProps } from "./lazily.tsx";

/** A repository at its default branch. */
export function Overview({ project }: InRepositoryProps): JSX.Element {
  const { id, description, defaultBranch } = project;
  return (
    <div class="overview">
      <div>
        {description !== "" && <p class="lead">{description}</p>}
        <Entries project={project} revision={defaultBranch} path="" />
      </div>
      <About project={project} key={id} />
    </div>
  );
}

function About({ project }: { readonly project: Project }): JSX.Element {
  const { id, name, seeding, defaultBranch, visibility } = project;
  const { value } = useAnswer(`facts ${id}`, ({ signal }) => facts(project, signal));
  const clone = `git clone ${visitor.base}/${id}.git ${/^[\w.-]+$/.test(name) ? name : ""}`.trim();
  return (
    <aside class="about" aria-label="About the repository">
      <Fact name="Clone">
        <code class="command">{clone}</code>
        <Copy text={clone} name="command" />
      </Fact>
      <Fact name="Repository id">
        <code>{id}</code> <Copy text={id} name="repository id" />
      </Fact>
      <Fact name="Contents">
        <ul class="plain">
          {value?.commits !== undefined && (
            <li>
              <a href={atPath(id, "commits", defaultBranch)}>{counted(value.commits, "commit")}</a>
            </li>
          )}
          {value?.contributors !== undefined && <li>{counted(value.contributors, "contributor")}</li>}
          <li>
            <a href={inRepository(id, ["branches"])}>
              {value === undefined
                ? "Branches and tags"
                : `${counted(value.branches, "branch", "branches")} of ${counted(value.nodes, "node")}, ${
                  counted(value.tags, "tag")
                }`}
            </a>
          </li>
          <li>
            <Outside href={`${visitor.base}/raw/${id}/archive/${defaultBranch}.tar.gz`}>
              Archive (.tar.gz)
            </Outside>
          </li>
        </ul>
      </Fact>
      <Fact name="Delegates">
        <ul class="plain">
          {(value?.delegates ?? project.delegates.map((did): Author => ({ id: did }))).map((delegate) => (
            <li key={delegate.id}>
              <b>{delegate.alias}</b> <code title={delegate.id}>{shownNode(delegate.id)}</code>
            </li>
          ))}
        </ul>
      </Fact>
      <Fact name="Seeds">{counted(seeding, "node")} of those that this node knows</Fact>
      {visibility.type === "private" && (
        <Fact name="Visibility">Private: only those who are let in may fetch it.</Fact>
      )}
      <Fact name="For programs">
        <Outside href={`${visitor.base}/api/v1/projects/${id}`}>JSON</Outside>
      </Fact>
    </aside>
  );
}

function Fact(
  { name, children }: { readonly name: string; readonly children: ComponentChildren },
): JSX.Element {
  return (
    <section>
      <h2>{name}</h2>
      <div>{children}</div>
    </section>
  );
}

/** Facts of a repository beyond its first answer. */
async function facts({ id: project, defaultBranch, delegates }: Project, signal: AbortSignal) {
  const { client } = visitor;
  const [remotes, history, tags] = await Promise.all([
    client.get("/api/v1/projects/:project/remotes", { project }, { signal }),
    client.get(
      "/api/v1/projects/:project/commits",
      { project, parent: defaultBranch, perPage: 1, diff: "none" },
      { signal },
    ),
    tagsOf(project, signal),
  ]);
  const aliases = new Map(remotes.map(({ id, alias }) => [`did:key:${id}`, alias]));
  return {
    commits: history.stats.commits,
    contributors: history.stats.contributors,
    branches: remotes.reduce((sum, { heads }) => sum + Object.keys(heads).length, 0),
    nodes: remotes.length,
    tags: tags.length,
    delegates: delegates.map((id): Author => {
      const alias = aliases.get(id);
      return alias === undefined ? { id } : { id, alias };
    }),
  };
}

/** A tag of the repository, or of a node. */
export interface NamedTag {
  readonly name: string;
  readonly commit: string;
  /** Alias or id of the node; `undefined` for those of the repository. */
  readonly of?: string;
}

/** Tags, where the service tells them: the repository's own, and those that nodes have signed. */
export async function tagsOf(rid: string, signal: AbortSignal): Promise<readonly NamedTag[]> {
  const { client } = visitor;
  const { links } = await client.get("/api/v1", {}, { signal });
  // A route of the other dialect.
  if (!links.some(({ href }) => href === "/repos/:rid")) return [];
  const [{ refs: { tags } }, remotes] = await Promise.all([
    client.get("/api/v1/repos/:rid", { rid }, { signal }),
    client.get("/api/v1/repos/:rid/remotes", { rid }, { signal }),
  ]);
  const PREFIX = "refs/tags/";
  return [
    ...Object.entries(tags).map(([name, { commit }]) => ({ name: name.replace(PREFIX, ""), commit })),
    ...remotes.flatMap(({ id, alias, refs }) =>
      Object.entries(refs).filter(([name]) => name.startsWith(PREFIX))
        .map(([name, commit]) => ({ name: name.slice(PREFIX.length), commit, of: alias ?? id }))
    ),
  ];
}
