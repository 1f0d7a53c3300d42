/** A repository: its heading, the ways in it, and the view of one of its places. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Project } from "../client/mod.ts";
import { useFreshness, useGet } from "./answers.ts";
import { maySign } from "./app.ts";
import { remember } from "./home.tsx";
import { lazily, type ViewProps } from "./lazily.tsx";
import { Overview } from "./overview.tsx";
import { Badge, Loaded, Nowhere, Title } from "./parts.tsx";
import { inRepository } from "./places.ts";
import { RepositoryContext, useRepository } from "./repository_context.ts";
import { FileView } from "./file.tsx";
import { Folder } from "./folder.tsx";

const Commits = lazily(async () => (await import("./commits.tsx")).Commits);
const CommitView = lazily(async () => (await import("./commit.tsx")).CommitView);
const Comparison = lazily(async () => (await import("./commit.tsx")).ComparisonView);
const Branches = lazily<ViewProps>(async () => (await import("./branches.tsx")).Branches);
const Issues = lazily(async () => (await import("./issues.tsx")).Issues);
const Patches = lazily(async () => (await import("./patches.tsx")).Patches);

const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  "": Overview,
  tree: Folder,
  blob: FileView,
  commits: Commits,
  commit: CommitView,
  compare: Comparison,
  branches: Branches,
  issues: Issues,
  patches: Patches,
};

/** Ways in a repository, each with the views that it leads to. */
const TABS: readonly {
  readonly name: string;
  readonly views: readonly string[];
  readonly parts: (project: Project) => readonly string[];
  readonly count?: (project: Project) => number;
}[] = [
  { name: "Files", views: ["", "tree", "blob"], parts: () => [] },
  {
    name: "Commits",
    views: ["commits", "commit", "compare"],
    parts: ({ defaultBranch }) => ["commits", defaultBranch],
  },
  { name: "Branches", views: ["branches"], parts: () => ["branches"] },
  { name: "Issues", views: ["issues"], parts: () => ["issues"], count: ({ issues }) => issues.open },
  { name: "Patches", views: ["patches"], parts: () => ["patches"], count: ({ patches }) => patches.open },
];

/** A repository. */
export function Repository({ place }: ViewProps): JSX.Element {
  const [, rid = "", ...parts] = place.parts;
  const answer = useGet("/api/v1/projects/:project", { project: rid });
  const { value: root } = useGet("/api/v1", {});
  useFreshness(answer.reload, rid);
  const { value: project, reload } = answer;
  const me = maySign() ? root?.nid : undefined;
  const shown = useMemo(() => project && { rid, project, me, reload }, [project, me]);
  useEffect(() => project && remember(project), [project]);
  return (
    <Loaded answer={answer} isView>
      {() => (
        <RepositoryContext.Provider value={shown}>
          <Frame place={{ parts, query: place.query }} />
        </RepositoryContext.Provider>
      )}
    </Loaded>
  );
}

function Frame({ place }: ViewProps): JSX.Element {
  const { rid, project } = useRepository();
  const [section = ""] = place.parts;
  const View = VIEWS[section];
  return (
    <>
      <div class="repository">
        <div class="name">
          {section === "" ? <Title text={project.name} /> : <a href={inRepository(rid)}>{project.name}</a>}
          {project.visibility.type === "private" && <Badge kind="private">private</Badge>}
        </div>
        <nav class="tabs" aria-label="Repository">
          {TABS.map(({ name, views, parts, count }) => (
            <a
              key={name}
              href={inRepository(rid, parts(project))}
              aria-current={views.includes(section) ? "page" : undefined}
            >
              {name}
              {count && <span class="count">{count(project)}</span>}
            </a>
          ))}
        </nav>
      </div>
      {View ? <View place={place} /> : <Nowhere />}
    </>
  );
}
