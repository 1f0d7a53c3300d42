/** A project as clients see it (2.2). */
import type { IssueCounts, PatchCounts, Project as ProjectInfoView } from "../contract/projects.ts";
import type { IdentityDoc, Project, Visibility } from "../identity/doc.ts";
import { type Did, nidOfDid, nidToPublicKey } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** The facts shown about a project. */
export interface ProjectInfo {
  readonly rid: RepoId;
  readonly doc: IdentityDoc;
  readonly project: Project;
  readonly head: Oid;
  readonly patches: PatchCounts;
  readonly issues: IssueCounts;
  /** Number of nodes that seed the repository. */
  readonly seeding: number;
}

/** Shows a project. */
export function toProjectInfoView(info: ProjectInfo): ProjectInfoView {
  const { rid, doc, project, head, patches, issues, seeding } = info;
  return {
    name: project.name,
    description: project.description,
    defaultBranch: project.defaultBranch,
    delegates: doc.delegates,
    visibility: toVisibilityView(doc.visibility),
    head,
    patches,
    issues,
    id: rid,
    trackings: seeding,
    seeding,
  };
}

/** Shows who may read a repository; readers without repetitions, in order of their keys. */
export function toVisibilityView(visibility: Visibility): Visibility {
  if (visibility.type === "public" || visibility.allow === undefined) return { type: visibility.type };
  return { type: "private", allow: [...new Set(visibility.allow)].sort(compareKeys) };
}

function compareKeys(a: Did, b: Did): number {
  const [x, y] = [nidToPublicKey(nidOfDid(a)), nidToPublicKey(nidOfDid(b))];
  const difference = x.findIndex((byte, i) => byte !== y[i]);
  return difference < 0 ? 0 : x[difference]! - y[difference]!;
}
