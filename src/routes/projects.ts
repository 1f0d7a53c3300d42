/** Repositories as projects: list and show (4.2). */
import type { Project, Project as ProjectInfoView, projectEndpoints } from "../contract/projects.ts";
import {
  type Call,
  type OpenRepository,
  requireDoc,
  requireHead,
  requireProject,
  type RoutesOf,
  tableOf,
} from "./call.ts";
import { OF_PROJECT } from "../contract/traits.ts";
import { ProjectsQuery } from "../contract/queries.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { DEFAULT_PER_PAGE, type FoundPage, pageFields, pageOfFound, type Paging } from "../http/paging.ts";
import { listedRepositories, unlessUnreadable } from "./listing.ts";
import { readQuery } from "../http/parameters.ts";
import { json } from "../http/respond.ts";
import type { IdentityDoc, Project as IdentityProject } from "../identity/doc.ts";
import type { Did } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { type RepoId, sortRids } from "../ids/rid.ts";
import type { ListedRepository, Listings, RepositoryListing } from "../ports/storage.ts";
import { readListedDoc } from "../views/repository_listing.ts";
import { countIssues } from "../views/issue.ts";
import { countPatches } from "../views/patch.ts";
import { toProjectInfoView } from "../views/project_info.ts";

/** Routes of projects. */
export const projectRoutes: RoutesOf<typeof projectEndpoints> = tableOf(OF_PROJECT, [
  ["GET", "/api/v1/projects", listProjects],
  ["GET", "/api/v1/projects/:project", showProject],
]);

/** A project that is shown by its listing. */
interface ListedProject {
  readonly rid: RepoId;
  readonly doc: IdentityDoc;
  readonly project: IdentityProject;
  readonly head: Oid;
  readonly listing: RepositoryListing;
}

async function listProjects(call: Call): Promise<AnswerOf<readonly Project[]>> {
  const { show, ...paging } = readQuery(call.url, ProjectsQuery);
  const { storage, profile } = call.service;
  if (show !== "pinned" && storage.listings !== undefined) {
    return await pageOfListed(call, await storage.listings(), { show, ...paging });
  }
  const rids = show === "pinned" ? await profile.pinned() : await storage.repositoryIds();
  return await pageOfProjects(call, rids, { show, ...paging });
}

async function showProject(call: Call): Promise<AnswerOf<Project>> {
  const rid = call.rid("project");
  const repository = await call.repository(rid);
  return json(await projectInfo(call, repository, await call.service.node.seedCounts([rid])));
}

/**
 * A page of projects: the repositories that the client may see and that have a project payload and a head, in
 * order of their ids. Omits projects whose issues or patches cannot be loaded.
 *
 * @param isWanted Filters the projects by their identity documents.
 */
export async function pageOfProjects(
  call: Call,
  rids: readonly RepoId[],
  { show, ...paging }: Paging & { readonly show: string },
  isWanted?: (doc: IdentityDoc) => boolean,
): Promise<AnswerOf<readonly ProjectInfoView[]>> {
  const page = await pageOfFound(listedProjects(call, rids, isWanted), paging);
  return await showPage(call, page, { show, ...paging });
}

/** As {@link pageOfProjects}, of all repositories or those of a delegate, by the listings of the storage. */
export async function pageOfListed(
  call: Call,
  listings: Listings,
  { show, ...paging }: Paging & { readonly show: string },
  delegate?: Did,
): Promise<AnswerOf<readonly ProjectInfoView[]>> {
  const { page: number, perPage = DEFAULT_PER_PAGE } = paging;
  const { projects } = listings;
  // The storage knows where a page begins that nothing filters.
  const skipped = delegate === undefined && projects !== undefined ? Math.min(number * perPage, projects) : 0;
  const isWanted = (doc: IdentityDoc) => delegate === undefined || doc.delegates.includes(delegate);
  const items = projectsOf(call, listings.all({ skippedProjects: skipped, delegate }), isWanted);
  const page = await pageOfFound(items, skipped > 0 ? { perPage, page: 0 } : paging);
  const total = skipped > 0 && page.total !== undefined ? projects : page.total;
  return await showPage(call, { ...page, total }, { show, ...paging });
}

/** The projects among listed repositories; those without a listing are opened. */
async function* projectsOf(
  call: Call,
  listed: AsyncIterable<ListedRepository>,
  isWanted: (doc: IdentityDoc) => boolean,
): AsyncGenerator<OpenRepository | ListedProject> {
  for await (const { rid, listing } of listed) {
    if (listing === null) yield* listedProjects(call, [rid], isWanted);
    else {
      const { doc, head } = readListedDoc(listing) ?? {};
      const isProject = doc?.project !== undefined && head !== undefined;
      if (isProject && isWanted(doc)) yield { rid, doc, project: doc.project, head, listing };
    }
  }
}

async function showPage(
  call: Call,
  { items, ...extent }: FoundPage<OpenRepository | ListedProject>,
  { show, ...paging }: Paging & { readonly show: string },
): Promise<AnswerOf<readonly ProjectInfoView[]>> {
  const seeds = await call.service.node.seedCounts(items.map(({ rid }) => rid));
  const infos: ProjectInfoView[] = [];
  for (const item of items) {
    const info = "listing" in item
      ? toProjectInfoView({ ...item, ...item.listing, head: item.head, seeding: seeds.get(item.rid) ?? 0 })
      : await unlessUnreadable(() => projectInfo(call, item, seeds));
    if (info !== undefined) infos.push(info);
  }
  return withHeaders(json<readonly ProjectInfoView[]>(infos), pageFields({ show }, paging, extent));
}

/**
 * The repositories that the client may see and that have a project payload and a head, in order of their ids.
 * Does not count issues and patches, which costs more.
 */
export function listedProjects(
  call: Call,
  rids: readonly RepoId[],
  isWanted: (doc: IdentityDoc) => boolean = () => true,
): AsyncGenerator<OpenRepository> {
  return listedRepositories(call, sortRids(rids), async (repository) => {
    if (!isWanted(requireDoc(repository))) return false;
    requireProject(repository);
    await requireHead(repository);
    return true;
  });
}

async function projectInfo(
  call: Call,
  repository: OpenRepository,
  seeds: ReadonlyMap<RepoId, number>,
): Promise<ProjectInfoView> {
  const { rid, objects, graph } = repository;
  const { cobs } = call.service;
  return toProjectInfoView({
    rid,
    doc: requireDoc(repository),
    project: requireProject(repository),
    head: await requireHead(repository),
    patches: countPatches((await cobs.patches.listed(objects, graph, call.task)).summaries),
    issues: countIssues((await cobs.issues.listed(objects, graph, call.task)).summaries),
    seeding: seeds.get(rid) ?? 0,
  });
}
