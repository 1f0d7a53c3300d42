/**
 * Handlers that list repositories, search repositories by name, and show a repository. Version 1 shows only
 * projects (specification, 4.2, 4.6).
 */
import type { Call } from "./call.ts";
import { type OpenRepository, requireDoc, requireHead, requireProject } from "./opened_repository.ts";
import { openNamed } from "./dialect.ts";
import {
  allRepositories,
  collect,
  listedRepositories,
  type Selection,
  sortRepositories,
  unlessUnreadable,
} from "./listing.ts";
import { readPolicies } from "./policies.ts";
import type { Project } from "../contract/projects.ts";
import { DelegateQuery, ProjectsQuery, SearchQuery, TodayReposQuery } from "../contract/queries.ts";
import { type Answer, withHeaders } from "../http/answer.ts";
import {
  DEFAULT_PER_PAGE,
  type FoundPage,
  pageFields,
  pageOf,
  pageOfFound,
  type Paging,
} from "../http/paging.ts";
import { readQuery } from "../http/parameters.ts";
import { arrayOfTexts, json, jsonText } from "../http/respond.ts";
import type { IdentityDoc, Project as IdentityProject } from "../identity/doc.ts";
import { type Did, nidOfDid, parseDid } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { type RepoId, sortRids } from "../ids/rid.ts";
import { listingsOf, type RepositoryListing } from "../ports/catalogued_storage.ts";
import { countIssues } from "../views/issue.ts";
import { countPatches } from "../views/patch.ts";
import {
  foundRepoText,
  type ProjectMeta,
  type RepoFacts,
  repoText,
  toProjectInfoView,
} from "../views/project_info.ts";
import { readCanonicalNames } from "../identity/canonical_names.ts";
import { readHead } from "../identity/head.ts";
import type { AliasOf } from "../views/node.ts";

interface ListedProject {
  readonly rid: RepoId;
  readonly doc: IdentityDoc;
  readonly project: IdentityProject;
  readonly head: Oid;
  readonly listing: RepositoryListing;
}

/** Selects projects for lists: repositories with a project payload and a head. */
const OF_PROJECTS: Omit<Selection<ListedProject>, "isWanted"> = {
  async check(repository) {
    requireProject(repository);
    await requireHead(repository);
  },
  fromListing({ doc, head }, listing, rid) {
    const { project } = doc;
    return project === undefined || head === undefined ? undefined : { rid, doc, project, head, listing };
  },
};

/** Yields all projects that the client may see, in the order of lists. */
export function allProjects(call: Call): AsyncGenerator<OpenRepository | ListedProject> {
  return allRepositories(call, { ...OF_PROJECTS, isWanted: () => true });
}

/** Lists repositories. In the `/repos` dialect, only the repositories that the node seeds are listed. */
export async function listRepositories(call: Call): Promise<Answer> {
  if (call.dialect === "v1") return await list(call, readQuery(call.url, ProjectsQuery), () => true);
  const query = readQuery(call.url, TodayReposQuery);
  const policyOf = await readPolicies(call);
  return await list(call, query, (_, rid) => policyOf(rid).policy === "allow");
}

/**
 * Lists the repositories of a delegate. Choice: Pinned repositories that are not in the storage are left out.
 * As in `radicle-httpd`, `sort` is parsed but has no effect.
 */
export async function listOfDelegate(call: Call): Promise<Answer> {
  const isV1 = call.dialect === "v1";
  const delegate = parseDid(call.param(isV1 ? "delegate" : "did"));
  const query = readQuery(call.url, isV1 ? DelegateQuery : TodayReposQuery);
  return await list(call, query, ({ delegates }) => delegates.includes(delegate), delegate);
}

/** Query of a list. Only clients of the `/repos` dialect can choose an order. */
interface ListQuery extends Paging {
  readonly show: "all" | "pinned";
  readonly sort?: "rid" | "activity" | "seeding";
}

/**
 * Shows a page of a list. Repositories whose issues or patches cannot be loaded are left out. Choice: The
 * order applies to all repositories. `radicle-httpd` orders only pinned repositories.
 *
 * @param delegate A delegate of every repository that `isWanted` selects.
 */
async function list(
  call: Call,
  { show, sort, page, perPage }: ListQuery,
  isWanted: Selection["isWanted"],
  delegate?: Did,
): Promise<Answer> {
  const { storage } = call.service;
  const isV1 = call.dialect === "v1";
  const pinned = show === "pinned" ? await shownPins(call) : undefined;
  const listings = pinned === undefined ? await listingsOf(storage) : undefined;
  const usual = delegate === undefined && pinned !== undefined ? pinned.length : DEFAULT_PER_PAGE;
  const paging = isV1 ? { page, perPage } : { page, perPage: Math.min(perPage ?? usual, MAX_PER_PAGE) };
  // Without a filter, the storage can find the first project of a page by its index in the list.
  const projects = isV1 && delegate === undefined ? listings?.projects : undefined;
  const skippedProjects = Math.min(page * (perPage ?? DEFAULT_PER_PAGE), projects ?? 0);
  const selection = { ...isV1 && OF_PROJECTS, isWanted };
  const found = pinned !== undefined
    ? listedRepositories(call, pinned, selection)
    : allRepositories(call, selection, { ...listings && { listings }, delegate, skippedProjects });
  const { items, ...extent }: FoundPage<OpenRepository | ListedProject> =
    sort === undefined || sort === "rid" || delegate !== undefined
      ? await pageOfFound(found, skippedProjects > 0 ? { perPage, page: 0 } : paging)
      : pageOf(await sortRepositories(call, (await collect(found)).filter(isOpen), sort), paging);
  const total = skippedProjects > 0 && extent.total !== undefined ? projects : extent.total;
  const answer = isV1
    ? json(await projectInfos(call, items))
    : await call.answer(arrayOfTexts(await repoTexts(call, items.filter(isOpen))));
  return withHeaders(answer, pageFields({ show, sort }, paging, { ...extent, total }));
}

/**
 * Returns the pinned repositories that the client may read. The client cannot find out how many pinned
 * repositories are hidden.
 */
async function shownPins(call: Call): Promise<readonly RepoId[]> {
  const pinned = sortRids(await call.service.profile.pinned());
  return call.isPrivileged ? pinned : await call.repositories.visibleOf(pinned, (rid) => rid);
}

function isOpen(item: OpenRepository | ListedProject): item is OpenRepository {
  return !("listing" in item);
}

export async function showRepository(call: Call): Promise<Answer> {
  const repository = await openNamed(call);
  if (call.dialect === "today") return jsonText(await repoTextOf(call, repository));
  return json(await projectInfo(call, repository, await call.service.node.seedCounts([repository.rid])));
}

async function projectInfos(
  call: Call,
  items: readonly (OpenRepository | ListedProject)[],
): Promise<readonly Project[]> {
  const seeds = await call.service.node.seedCounts(items.map(({ rid }) => rid));
  const infos: Project[] = [];
  for (const item of items) {
    const info = isOpen(item)
      ? await unlessUnreadable(() => projectInfo(call, item, seeds))
      : toProjectInfoView({ ...item, ...item.listing, head: item.head, seeding: seeds.get(item.rid) ?? 0 });
    if (info !== undefined) infos.push(info);
  }
  return infos;
}

async function projectInfo(
  call: Call,
  repository: OpenRepository,
  seeds: ReadonlyMap<RepoId, number>,
): Promise<Project> {
  const { rid } = repository;
  return toProjectInfoView({
    rid,
    doc: requireDoc(repository),
    project: requireProject(repository),
    head: await requireHead(repository),
    ...await countObjects(call, repository),
    seeding: seeds.get(rid) ?? 0,
  });
}

/** Maximum number of repositories on a page. A larger requested number is not an error. */
export const MAX_PER_PAGE = 100;

/** Creates the JSON texts of repositories, without unreadable repositories. */
export async function repoTexts(
  call: Call,
  repositories: readonly OpenRepository[],
): Promise<readonly string[]> {
  const seeds = await call.service.node.seedCounts(repositories.map(({ rid }) => rid));
  const facts: RepoFacts[] = [];
  for (const repository of repositories) {
    const found = await unlessUnreadable(() => readFacts(call, repository, seeds));
    if (found !== undefined) facts.push(found);
  }
  const aliasOf = await delegateAliases(call, facts.map(({ doc }) => doc));
  return facts.map((one) => repoText(one, aliasOf));
}

/**
 * Creates the JSON text of one repository.
 *
 * @throws {NotFoundError} when the identity of the repository cannot be read.
 */
export async function repoTextOf(call: Call, repository: OpenRepository): Promise<string> {
  const facts = await readFacts(call, repository, await call.service.node.seedCounts([repository.rid]));
  return repoText(facts, await delegateAliases(call, [facts.doc]));
}

/** Reads the aliases of all delegates in one query. */
export async function delegateAliases(call: Call, docs: readonly IdentityDoc[]): Promise<AliasOf> {
  const delegates = new Set(docs.flatMap((doc) => doc.delegates.map(nidOfDid)));
  const aliases = await call.service.names.aliases([...delegates]);
  return (node) => aliases.get(node);
}

async function readFacts(
  call: Call,
  repository: OpenRepository,
  seeds: ReadonlyMap<RepoId, number>,
): Promise<RepoFacts> {
  const { rid, objects } = repository;
  const doc = requireDoc(repository);
  return {
    rid,
    doc,
    meta: await readMeta(call, repository, doc),
    seeding: seeds.get(rid) ?? 0,
    names: await readCanonicalNames(objects, doc, call.task),
    alias: call.service.aliases.nameOf(rid),
  };
}

async function readMeta(
  call: Call,
  repository: OpenRepository,
  doc: IdentityDoc,
): Promise<ProjectMeta | undefined> {
  const head = doc.project === undefined ? undefined : await readHead(repository, doc);
  return head && { head, ...await countObjects(call, repository) };
}

async function countObjects({ service: { cobs } }: Call, repository: OpenRepository) {
  return {
    issues: countIssues((await cobs.issues.listed(repository)).summaries),
    patches: countPatches((await cobs.patches.listed(repository)).summaries),
  };
}

/** Maximum length of a search text, in characters. Further characters are ignored. */
export const MAX_QUERY_CHARACTERS = 256;

const SEARCH_CACHING = { "cache-control": "public, max-age=600, must-revalidate" };

/** Finds repositories whose names contain a text. Names that begin with the text come first. */
export async function searchRepos(call: Call): Promise<Answer> {
  const { q, page, perPage = DEFAULT_PER_PAGE } = readQuery(call.url, SearchQuery);
  const text = [...q.slice(0, 2 * MAX_QUERY_CHARACTERS)].slice(0, MAX_QUERY_CHARACTERS).join("");
  const { node } = call.service;
  const isWanted = (doc: IdentityDoc) => doc.project?.name.includes(text) ?? false;
  const found = await collect(allRepositories(call, { isWanted }));
  const seeds = await node.seedCounts(found.map(({ rid }) => rid));
  const hits = found.map((repository) => {
    const doc = requireDoc(repository);
    const rank = doc.project?.name.startsWith(text) === true ? 0 : 1;
    return { rid: repository.rid, doc, rank, seeding: seeds.get(repository.rid) ?? 0 };
  });
  hits.sort((a, b) => a.rank - b.rank || a.seeding - b.seeding);
  const paging = { page, perPage: Math.min(perPage, MAX_PER_PAGE) };
  const { items: shown, ...extent } = pageOf(hits, paging);
  const aliasOf = await delegateAliases(call, shown.map(({ doc }) => doc));
  const answer = await call.answer(arrayOfTexts(shown.map((hit) => foundRepoText(hit, aliasOf))));
  const fields = pageFields({ q: text }, paging, extent);
  return withHeaders(answer, { ...SEARCH_CACHING, ...fields });
}
