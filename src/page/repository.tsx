/** A repository: its heading, the ways in it, and the view of one of its places. */
import type { ComponentType, JSX } from "preact";
import type { Project } from "../client/mod.ts";
import { type Answer, useAnswer, useFreshness } from "./answers.ts";
import { visitor } from "./app.ts";
import { remember } from "./home.tsx";
import { type InRepositoryProps, lazily, type ViewProps } from "./lazily.tsx";
import { Overview } from "./overview.tsx";
import { Badge, Loaded, Title } from "./parts.tsx";
import { inRepository } from "./places.ts";
import { FileView } from "./file.tsx";
import { Folder } from "./folder.tsx";

type InRepository = ComponentType<InRepositoryProps>;

const Commits = lazily(async () => (await import("./commits.tsx")).Commits);
const CommitView = lazily(async () => (await import("./commit.tsx")).CommitView);
const Comparison = lazily(async () => (await import("./commit.tsx")).ComparisonView);
const Branches = lazily(async () => (await import("./branches.tsx")).Branches);
const Issues = lazily(async () => (await import("./issues.tsx")).Issues);
const Patches = lazily(async () => (await import("./patches.tsx")).Patches);

const VIEWS: Readonly<Record<string, InRepository>> = {
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
  const answer: Answer<Project> = useAnswer(`project ${rid}`, async (options) => {
    const project = await visitor.client.get("/api/v1/projects/:project", { project: rid }, options);
    remember(project);
    return project;
  });
  useFreshness(answer.reload, rid);
  return (
    <Loaded answer={answer} isView>
      {(project) => <Frame project={project} place={{ parts, query: place.query }} reload={answer.reload} />}
    </Loaded>
  );
}

function Frame({ project, place, reload }: InRepositoryProps): JSX.Element {
  const { id, name, visibility } = project;
  const [section = ""] = place.parts;
  const View = VIEWS[section];
  return (
    <>
      <div class="repository">
        <div class="name">
          {section === "" ? <Title text={name} /> : <a href={inRepository(id)}>{name}</a>}
          {visibility.type === "private" && <Badge kind="private">private</Badge>}
        </div>
        <nav class="tabs" aria-label="Repository">
          {TABS.map((tab) => (
            <a
              key={tab.name}
              href={inRepository(id, tab.parts(project))}
              aria-current={tab.views.includes(section) ? "page" : undefined}
            >
              {tab.name}
              {tab.count && <span class="count">{tab.count(project)}</span>}
            </a>
          ))}
        </nav>
      </div>
      {View === undefined
        ? (
          <>
            <Title text="Not found" />
            <p>There is no such place in this repository.</p>
          </>
        )
        : <View project={project} place={place} reload={reload} />}
    </>
  );
}
