/** The revision at which files or commits are shown. */
import type { JSX } from "preact";
import type { Project } from "../client/mod.ts";
import { atPath, inRepository, shortOid, shownRevision } from "./places.ts";

/** The revision that is shown, with the ways to others. */
export function RevisionBar(
  { project, revision }: { readonly project: Project; readonly revision: string },
): JSX.Element {
  const { id, defaultBranch, head } = project;
  return (
    <span class="revision">
      <a
        class="chip"
        href={inRepository(id, ["branches"])}
        title={revision}
        aria-label={`At ${shownRevision(revision)}; other branches and tags`}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5 3v10M5 9c4 0 6-1 6-4M11 5V4M5 3v0" />
        </svg>
        {shownRevision(revision)} <span aria-hidden="true">▾</span>
      </a>
      {revision === defaultBranch
        ? <a class="oid" href={inRepository(id, ["commit", head])}>{shortOid(head)}</a>
        : <a href={atPath(id, "tree", defaultBranch)}>to {defaultBranch}</a>}
    </span>
  );
}
