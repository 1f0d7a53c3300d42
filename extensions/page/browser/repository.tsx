/** Draws a repository: its heading, its tabs, and the view that the address names. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { useFreshness, useGet } from "./answers.ts";
import { maySign } from "./app.ts";
import { remember } from "./home.tsx";
import { lazily } from "./lazily.tsx";
import { Overview } from "./overview.tsx";
import { Badge, currentIf, Loaded, Nowhere, RepositoryContext, Title } from "./parts.tsx";
import { inRepository, type ViewProps } from "./places.ts";
import { FileView } from "./file.tsx";
import { Folder } from "./folder.tsx";

/** Views of a repository, by the segment of the address after the repository. */
const VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  "": Overview,
  tree: Folder,
  blob: FileView,
  commits: lazily("commits", async () => (await import("./commits.tsx")).Commits),
  commit: lazily("commit", async () => (await import("./commits.tsx")).CommitView),
  compare: lazily("compare", async () => (await import("./commits.tsx")).ComparisonView),
  branches: lazily("branches", async () => (await import("./branches.tsx")).Branches),
  issues: lazily("issues", async () => (await import("./issues.tsx")).Issues),
  patches: lazily("patches", async () => (await import("./patches.tsx")).Patches),
};

/**
 * Tabs of a repository. Each tab leads to the first of its views, and is marked as current while any of its
 * views is open.
 */
const TABS: readonly (readonly [name: string, views: readonly string[]])[] = [
  ["Files", ["", "tree", "blob"]],
  ["Commits", ["commits", "commit", "compare"]],
  ["Branches", ["branches"]],
  ["Issues", ["issues"]],
  ["Patches", ["patches"]],
];

export function Repository({ place: { parts: [, rid = "", ...parts], query } }: ViewProps): JSX.Element {
  const answer = useGet("/api/v1/projects/:project", { project: rid });
  const { value: root } = useGet("/api/v1", {});
  useFreshness(answer.reload, rid);
  const { value: project, reload } = answer;
  const me = maySign() ? root?.nid : undefined;
  const shown = useMemo(() => project && { rid, project, me, reload }, [project, me]);
  useEffect(() => project && remember(project), [project]);
  const [section = ""] = parts;
  const View = VIEWS[section] ?? Nowhere;
  return (
    <Loaded answer={answer} isView>
      {({ name, visibility, issues, patches }) => (
        <RepositoryContext.Provider value={shown}>
          <div class="repository">
            <div class="name">
              {section === "" ? <Title text={name} /> : <a href={inRepository(rid)}>{name}</a>}
              {visibility.type === "private" && <Badge kind="private">private</Badge>}
            </div>
            <nav class="tabs" aria-label="Repository">
              {TABS.map(([name, views]) => (
                <a
                  key={name}
                  href={inRepository(rid, views[0] === "" ? [] : [views[0]!])}
                  aria-current={currentIf(views.includes(section))}
                >
                  {name}
                  {name === "Issues" && <span class="count">{issues.open}</span>}
                  {name === "Patches" && <span class="count">{patches.open}</span>}
                </a>
              ))}
            </nav>
          </div>
          <View place={{ parts, query }} />
        </RepositoryContext.Provider>
      )}
    </Loaded>
  );
}
