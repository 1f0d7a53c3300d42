/** The first view of a repository: the files, the readme and the properties of its default branch. */
import type { JSX } from "preact";
import { useGet } from "./answers.ts";
import { visitor } from "./app.ts";
import { Entries } from "./folder.tsx";
import { Copy, counted, Outside, Section, shownNode, useRepository } from "./parts.tsx";
import { atPath, inRepository } from "./places.ts";
import { useTags } from "./tags.ts";

export function Overview(): JSX.Element {
  const { description, defaultBranch } = useRepository().project;
  return (
    <div class="with-side">
      <div>
        {description !== "" && <p class="lead">{description}</p>}
        <Entries revision={defaultBranch} path="" />
      </div>
      <About />
    </div>
  );
}

function About(): JSX.Element {
  const { rid, project: { name, seeding, defaultBranch, visibility, delegates } } = useRepository();
  const ofProject = { project: rid };
  const { value: remotes } = useGet("/api/v1/projects/:project/remotes", ofProject);
  const { value: tags } = useTags();
  const history = { ...ofProject, parent: defaultBranch, perPage: 1, diff: "none" } as const;
  const stats = useGet("/api/v1/projects/:project/commits", history).value?.stats;
  const branches = remotes?.reduce((sum, { heads }) => sum + Object.keys(heads).length, 0);
  const aliases = new Map(remotes?.map(({ id, alias }) => [`did:key:${id}`, alias]));
  const clone = `git clone ${visitor.base}/${rid}.git ${/^[\w.-]+$/.test(name) ? name : ""}`.trim();
  return (
    <aside class="about" aria-label="About the repository">
      <Section title="Clone">
        <code class="command">{clone}</code>
        <Copy text={clone} name="command" />
      </Section>
      <Section title="Repository id">
        <code>{rid}</code> <Copy text={rid} name="repository id" />
      </Section>
      <Section title="Contents">
        <ul class="plain">
          {stats && (
            <li>
              <a href={atPath(rid, "commits", defaultBranch)}>{counted(stats.commits, "commit")}</a>
            </li>
          )}
          {stats && <li>{counted(stats.contributors, "contributor")}</li>}
          <li>
            <a href={inRepository(rid, ["branches"])}>
              {branches === undefined || remotes === undefined || tags === undefined
                ? "Branches and tags"
                : `${counted(branches, "branch", "branches")} of ${counted(remotes.length, "node")}, ${
                  counted(tags.length, "tag")
                }`}
            </a>
          </li>
          <li>
            <Outside href={`${visitor.base}/raw/${rid}/archive/${defaultBranch}.tar.gz`}>
              Archive (.tar.gz)
            </Outside>
          </li>
        </ul>
      </Section>
      <Section title="Delegates">
        <ul class="plain">
          {delegates.map((did) => (
            <li key={did}>
              <b>{aliases.get(did)}</b> <code title={did}>{shownNode(did)}</code>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Seeds">{counted(seeding, "node")} of those that this node knows</Section>
      {visibility.type === "private" && (
        <Section title="Visibility">Private: only those who are let in may fetch it.</Section>
      )}
      <Section title="For programs">
        <Outside href={`${visitor.base}/api/v1/projects/${rid}`}>JSON</Outside>
      </Section>
    </aside>
  );
}
