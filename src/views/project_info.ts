/** A project as clients see it (2.2). */
import type { IdentityDoc, Project, Visibility } from "../identity/doc.ts";
import { type Did, nidOfDid } from "../ids/did.ts";
import { nidToPublicKey } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** Wire form of a project. */
export interface ProjectInfoView extends Project {
  readonly delegates: readonly Did[];
  readonly visibility: Visibility;
  readonly head: Oid;
  readonly id: RepoId;
  /** Nodes known to seed the repository, under the name of the project routes. */
  readonly trackings: number;
  /** The same, under the name of the delegate routes. */
  readonly seeding: number;
}

/** Shows a project; `seeding` counts the nodes that seed it. */
export function toProjectInfoView(
  id: RepoId,
  doc: IdentityDoc,
  project: Project,
  head: Oid,
  seeding: number,
): ProjectInfoView {
  const { name, description, defaultBranch } = project;
  return {
    name,
    description,
    defaultBranch,
    delegates: doc.delegates,
    visibility: toVisibilityView(doc.visibility),
    head,
    id,
    trackings: seeding,
    seeding,
  };
}

function toVisibilityView(visibility: Visibility): Visibility {
  if (visibility.type === "public" || visibility.allow === undefined) return { type: visibility.type };
  return { type: "private", allow: [...new Set(visibility.allow)].sort(compareKeys) };
}

function compareKeys(a: Did, b: Did): number {
  const [x, y] = [nidToPublicKey(nidOfDid(a)), nidToPublicKey(nidOfDid(b))];
  const difference = x.findIndex((byte, i) => byte !== y[i]);
  return difference < 0 ? 0 : x[difference]! - y[difference]!;
}
