/** A folder at a commit. */
import type { JSX } from "preact";
import type { Project, Tree, TreeEntry } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { visitor } from "./app.ts";
import { CommitLink, Empty, Loaded, Time, Title, Trail } from "./parts.tsx";
import { atPath } from "./places.ts";
import { Readme } from "./readme.tsx";
import type { InRepositoryProps } from "./lazily.tsx";
import { RevisionBar } from "./revision_bar.tsx";

/** A folder, and the readme in it. */
export function Folder({ project, place }: InRepositoryProps): JSX.Element {
  const [, revision = project.defaultBranch, ...parts] = place.parts;
  const path = parts.join("/");
  return (
    <Entries
      project={project}
      revision={revision}
      path={path}
      heading={<PathTitle project={project} revision={revision} path={path} />}
    />
  );
}

/** The way to a folder or file, as the heading of its view. */
export function PathTitle(
  { project: { id, name }, revision, path }: {
    readonly project: Project;
    readonly revision: string;
    readonly path: string;
  },
): JSX.Element {
  return (
    <Title text={path} window={`${path || "Files"} · ${name}`}>
      <Trail rid={id} revision={revision} path={path} root={name} />
    </Title>
  );
}

/** Asks for a folder. */
export function useFolder(rid: string, revision: string, path: string) {
  return useAnswer<Tree>(`tree ${rid} ${revision} ${path}`, (options) => {
    const { client } = visitor;
    return path === ""
      ? client.get("/api/v1/projects/:project/tree/:sha/", { project: rid, sha: revision }, options)
      : client.get(
        "/api/v1/projects/:project/tree/:sha/*path",
        { project: rid, sha: revision, path },
        options,
      );
  });
}

/** The entries of a folder, its last commit and its readme. */
export function Entries(
  { project, revision, path, heading }: {
    readonly project: Project;
    readonly revision: string;
    readonly path: string;
    readonly heading?: JSX.Element;
  },
): JSX.Element {
  const { id } = project;
  const answer = useFolder(id, revision, path);
  return (
    <>
      <div class="bar">
        <RevisionBar project={project} revision={revision} />
        {heading}
        <a class="push" href={atPath(id, "commits", revision, path)}>History</a>
      </div>
      <Loaded answer={answer}>
        {({ entries, lastCommit }) => (
          <>
            <div class="box">
              <p class="last">
                <b>{lastCommit.author.name}</b> <span class="summary">{lastCommit.summary}</span>
                <span class="push">
                  <CommitLink rid={id} oid={lastCommit.id} /> <Time at={lastCommit.committer.time} />
                </span>
              </p>
              {entries.length === 0 ? <Empty>This folder is empty.</Empty> : (
                <ul class="files">
                  {path !== "" && (
                    <li>
                      <Icon kind="tree" />
                      <a
                        href={atPath(id, "tree", revision, path.split("/").slice(0, -1).join("/"))}
                        aria-label="Folder above"
                      >
                        ..
                      </a>
                    </li>
                  )}
                  {entries.map((entry) => (
                    <Entry key={entry.name} rid={id} revision={revision} entry={entry} />
                  ))}
                </ul>
              )}
            </div>
            <Readme rid={id} revision={revision} entries={entries} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Entry(
  { rid, revision, entry: { name, path, kind } }: {
    readonly rid: string;
    readonly revision: string;
    readonly entry: TreeEntry;
  },
): JSX.Element {
  return (
    <li>
      <Icon kind={kind} />
      {kind === "submodule"
        ? (
          <span>
            {name} <span class="note">submodule</span>
          </span>
        )
        : (
          <a href={atPath(rid, kind, revision, path)}>
            {name}
            {kind === "tree" && <span class="slash">/</span>}
          </a>
        )}
    </li>
  );
}

function Icon({ kind }: { readonly kind: TreeEntry["kind"] }): JSX.Element {
  return (
    <svg class={`icon ${kind}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={kind === "blob" ? "M4 1.5h5L12.5 5v9.5h-8.5zM9 1.5V5h3.5" : "M1.5 3.5h5l1.5 2h6.5v8h-13z"} />
    </svg>
  );
}
