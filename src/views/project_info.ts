/**
 * JSON of repositories and of their activity in both dialects (specification, 2.1, 4.2), and listings. A
 * listing is prepared data about a repository for lists.
 */
import { type Integer, toJsonInteger } from "../text/integers.ts";
import type { IssueCounts, PatchCounts, Project as ProjectInfoView } from "../contract/projects.ts";
import {
  type IdentityDoc,
  type Project,
  PROJECT_PAYLOAD,
  tryParseDoc,
  type Visibility,
} from "../identity/doc.ts";
import { type Did, nidOfDid, nidToPublicKey } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import { memoize } from "../cache/memory.ts";
import type { Cobs } from "../cob/evaluation/store.ts";
import type { OpenedRepository } from "../git/commit_graph.ts";
import { readHead } from "../identity/head.ts";
import type { RepositoryListing } from "../ports/catalogued_storage.ts";
import { countIssues } from "./issue.ts";
import { countPatches } from "./patch.ts";
import type { CanonicalNames, CanonicalTag } from "../identity/canonical_names.ts";
import { type AliasOf, toAuthorView } from "./node.ts";

/** A project as clients see it. */
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

/**
 * Creates the JSON of the visibility of a repository. The nodes that may read a private repository are sorted
 * by their public keys, without duplicates.
 */
export function toVisibilityView(visibility: Visibility): Visibility {
  if (visibility.type === "public" || visibility.allow === undefined) return { type: visibility.type };
  return { type: "private", allow: [...new Set(visibility.allow)].sort(compareKeys) };
}

function compareKeys(a: Did, b: Did): number {
  const x = nidToPublicKey(nidOfDid(a));
  const y = nidToPublicKey(nidOfDid(b));
  const difference = x.findIndex((byte, i) => byte !== y[i]);
  return difference < 0 ? 0 : x[difference]! - y[difference]!;
}

/**
 * Returns the JSON text of a list of times in seconds since the Unix epoch. The text is created once per
 * list.
 */
export const activityText: (times: readonly Integer[]) => string = memoize((activity) =>
  JSON.stringify({ activity: activity.map(toJsonInteger) })
);

export interface ListingOptions {
  readonly doc: IdentityDoc;
  readonly document: string;
  readonly cobs: Cobs;
  /** Name of the rules by which `cobs` evaluates issues and patches. */
  readonly evaluation: string;
}

/**
 * Creates the listing of a repository.
 *
 * @throws {DamagedError} when its issues or patches cannot be loaded.
 */
export async function readListing(
  repository: OpenedRepository,
  { doc, document, cobs, evaluation }: ListingOptions,
): Promise<RepositoryListing> {
  const head = await readHead(repository, doc) ?? null;
  return {
    document,
    isProject: doc.project !== undefined && head !== null,
    head,
    issues: countIssues((await cobs.issues.listed(repository)).summaries),
    patches: countPatches((await cobs.patches.listed(repository)).summaries),
    evaluation,
  };
}

/** A project in a listing. */
export interface ListedDoc {
  readonly doc: IdentityDoc;
  readonly head: Oid | undefined;
}

const listedDoc = memoize((listing: RepositoryListing): ListedDoc | "unreadable" => {
  const doc = tryParseDoc(new TextEncoder().encode(listing.document));
  // The checks are the same as for opened repositories: clients other than the owner see only public
  // repositories whose document has a known version.
  if (doc?.visibility.type !== "public" || doc.readings.newest === undefined) return "unreadable";
  return { doc, head: listing.head ?? undefined };
});

/**
 * Reads the document and the head from a listing; `undefined` when clients other than the owner may not see
 * the repository.
 */
export function readListedDoc(listing: RepositoryListing): ListedDoc | undefined {
  const found = listedDoc(listing);
  return found === "unreadable" ? undefined : found;
}

/** The head of a project, and how many issues and patches the project has in each state. */
export interface ProjectMeta {
  readonly head: Oid;
  readonly issues: IssueCounts;
  readonly patches: PatchCounts;
}

/** A repository as clients see it. */
export interface RepoFacts {
  readonly rid: RepoId;
  readonly doc: IdentityDoc;
  /** Head and counts; `undefined` when the repository has no head. The project payload is then left out. */
  readonly meta: ProjectMeta | undefined;
  /** Number of nodes that seed the repository. */
  readonly seeding: number;
  readonly names: CanonicalNames;
  /** Alias that may replace the repository id in paths. */
  readonly alias: string | undefined;
}

/** Returns the JSON text of a repository. Payloads are already JSON text and are inserted unchanged. */
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

/** Returns the JSON text of a repository that was found by its name. */
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
  const { name, email, timeSeconds = 0 } = tagger ?? {};
  return {
    commit,
    ...(tagger !== undefined && { tagger: { name, email, timestamp: toJsonInteger(timeSeconds) } }),
    ...(message !== undefined && { message }),
  };
}
