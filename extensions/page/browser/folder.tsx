/** The view of a folder at a commit, with its readme. */
import type { ComponentChildren, JSX } from "preact";
import type { Commit, TreeEntry } from "../../../src/client/mod.ts";
import { useGet } from "./answers.ts";
import { PlainText } from "./lists.tsx";
import { Markdown } from "./markdown_view.tsx";
import { CommitLink, Empty, Loaded, Time, Title, Trail, useRepository } from "./parts.tsx";
import { atPath, inRepository, type PathProps, shortOid, shownRevision, type ViewProps } from "./places.ts";

/** Patterns of readme names, in order of preference. */
const NAMES: readonly RegExp[] = [/^readme\.(?:md|markdown)$/i, /^readme(?:\.txt)?$/i, /^readme\./i];

export function usePath({ parts }: ViewProps["place"]): PathProps {
  const { defaultBranch } = useRepository().project;
  const [, revision = defaultBranch, ...path] = parts;
  return { revision, path: path.join("/") };
}

export function Folder({ place }: ViewProps): JSX.Element {
  const at = usePath(place);
  return <Entries {...at} heading={<PathTitle {...at} />} />;
}

/** Draws the path of a folder or file as the heading of its view. */
export function PathTitle({ revision, path }: PathProps): JSX.Element {
  return (
    <Title text={path || "Files"}>
      <Trail revision={revision} path={path} />
    </Title>
  );
}

/** Draws the entries of a folder, its last commit and its readme. */
export function Entries(
  { revision, path, heading }: PathProps & { readonly heading?: JSX.Element },
): JSX.Element {
  const { rid } = useRepository();
  const answer = useGet("/api/v1/projects/:project/tree/:sha/*path", { project: rid, sha: revision, path });
  return (
    <>
      <div class="bar">
        <RevisionBar revision={revision} />
        {heading}
        <a class="push" href={atPath(rid, "commits", revision, path)}>History</a>
      </div>
      <Loaded answer={answer}>
        {({ entries, lastCommit }) => (
          <>
            <div class="box">
              <LastCommit commit={lastCommit} />
              {entries.length === 0 ? <Empty>This folder is empty.</Empty> : (
                <ul class="files">
                  {path !== "" && (
                    <Entry kind="tree">
                      <a
                        href={atPath(rid, "tree", revision, path.split("/").slice(0, -1).join("/"))}
                        aria-label="Folder above"
                      >
                        ..
                      </a>
                    </Entry>
                  )}
                  {entries.map(({ name, path, kind }) => (
                    <Entry key={name} kind={kind}>
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
                    </Entry>
                  ))}
                </ul>
              )}
            </div>
            <Readme revision={revision} entries={entries} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Draws the readme of a folder, if there is one. */
function Readme(
  { revision, entries }: { readonly revision: string; readonly entries: readonly TreeEntry[] },
): JSX.Element | null {
  const files = entries.filter(({ kind }) => kind === "blob");
  const found = NAMES.map((name) => files.find((file) => name.test(file.name))).find(Boolean);
  return found === undefined ? null : <FoundReadme revision={revision} file={found} />;
}

function FoundReadme(
  { revision, file: { path, name } }: { readonly revision: string; readonly file: TreeEntry },
): JSX.Element {
  const { rid } = useRepository();
  const answer = useGet("/api/v1/projects/:project/blob/:sha/*path", { project: rid, sha: revision, path });
  return (
    <section class="box readme" aria-labelledby="readme">
      <h2 id="readme">{name}</h2>
      <Loaded answer={answer}>
        {({ binary, content }) => (
          <div class="inside">
            {binary
              ? <p class="note">The readme is no text.</p>
              : isMarkdown(name)
              ? <Markdown text={content} place={{ rid, revision, path }} />
              : <PlainText text={content} />}
          </div>
        )}
      </Loaded>
    </section>
  );
}

export function isMarkdown(name: string): boolean {
  return /\.(?:md|markdown|mkd)$/i.test(name);
}

export function LastCommit({ commit }: { readonly commit: Commit }): JSX.Element {
  return (
    <p class="last">
      <b>{commit.author.name}</b> <span class="summary">{commit.summary}</span>
      <span class="push">
        <CommitLink oid={commit.id} /> <Time at={commit.committer.time} />
      </span>
    </p>
  );
}

function Entry(
  { kind, children }: { readonly kind: TreeEntry["kind"]; readonly children: ComponentChildren },
): JSX.Element {
  return (
    <li>
      <svg class={`icon ${kind}`} viewBox="0 0 16 16" aria-hidden="true">
        <path d={kind === "blob" ? "M4 1.5h5L12.5 5v9.5h-8.5zM9 1.5V5h3.5" : "M1.5 3.5h5l1.5 2h6.5v8h-13z"} />
      </svg>
      {children}
    </li>
  );
}

/** Draws the name of the current revision, with links to other revisions. */
export function RevisionBar({ revision }: { readonly revision: string }): JSX.Element {
  const { rid, project: { defaultBranch, head } } = useRepository();
  return (
    <span class="revision">
      <a
        class="chip"
        href={inRepository(rid, ["branches"])}
        title={revision}
        aria-label={`At ${shownRevision(revision)}; choose another branch or tag`}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5 3v10M5 9c4 0 6-1 6-4M11 5V4M5 3v0" />
        </svg>
        {shownRevision(revision)} <span aria-hidden="true">▾</span>
      </a>
      {revision === defaultBranch
        ? <a class="oid" href={inRepository(rid, ["commit", head])}>{shortOid(head)}</a>
        : <a href={atPath(rid, "tree", defaultBranch)}>to {defaultBranch}</a>}
    </span>
  );
}
