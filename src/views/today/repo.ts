/** A repository as clients of today's service see it: with the payloads of the identity document. */
import type { CanonicalNames, CanonicalTag } from "../../identity/canonical_names.ts";
import { type IdentityDoc, PROJECT_PAYLOAD } from "../../identity/doc.ts";
import { nidOfDid } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import { type AliasOf, toAuthorView } from "../author.ts";
import type { IssueCounts, PatchCounts } from "../../contract/projects.ts";
import { toVisibilityView } from "../project_info.ts";

/** Counts and head of a project. */
export interface ProjectMeta {
  readonly head: Oid;
  readonly issues: IssueCounts;
  readonly patches: PatchCounts;
}

/** The facts shown about a repository. */
export interface RepoFacts {
  readonly rid: RepoId;
  readonly doc: IdentityDoc;
  /** Absent when the repository has no head: then the project payload is left out. */
  readonly meta: ProjectMeta | undefined;
  /** Number of nodes that seed the repository. */
  readonly seeding: number;
  readonly names: CanonicalNames;
  /** Name that stands for the id in paths. */
  readonly alias: string | undefined;
}

/** The JSON of a repository. The payloads are text already. */
export function repoText({ rid, doc, meta, seeding, names, alias }: RepoFacts, aliasOf: AliasOf): string {
  const payloads = [...doc.payloads].flatMap(([id, data]) => {
    if (id !== PROJECT_PAYLOAD) return [`${JSON.stringify(id)}:{"data":${data}}`];
    return meta === undefined
      ? []
      : [`${JSON.stringify(id)}:{"data":${data},"meta":${JSON.stringify(meta)}}`];
  });
  const rest = {
    delegates: toDelegates(doc, aliasOf),
    threshold: doc.threshold,
    visibility: toVisibilityView(doc.visibility),
    rid,
    seeding,
    refs: {
      tags: Object.fromEntries([...names.tags].map(([name, tag]) => [name, toTag(tag)])),
      refs: Object.fromEntries(names.refs),
    },
    ...(alias !== undefined && { alias }),
  };
  return `{"payloads":{${payloads.join()}},${JSON.stringify(rest).slice(1)}`;
}

/** The JSON of a repository that was found by its name. */
export function foundRepoText(
  { rid, doc, seeding }: Pick<RepoFacts, "rid" | "doc" | "seeding">,
  aliasOf: AliasOf,
): string {
  const payloads = [...doc.payloads].map(([id, data]) => `${JSON.stringify(id)}:${data}`);
  const rest = { delegates: toDelegates(doc, aliasOf), seeds: seeding };
  return `{"rid":${JSON.stringify(rid)},"payloads":{${payloads.join()}},${JSON.stringify(rest).slice(1)}`;
}

function toDelegates({ delegates }: IdentityDoc, aliasOf: AliasOf) {
  return delegates.map((did) => toAuthorView(nidOfDid(did), aliasOf));
}

function toTag({ commit, tagger, message }: CanonicalTag) {
  const { name, email, timeSeconds: timestamp } = tagger ?? {};
  return {
    commit,
    ...(tagger !== undefined && { tagger: { name, email, timestamp } }),
    ...(message !== undefined && { message }),
  };
}
