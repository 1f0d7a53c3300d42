/** Repositories as projects: list and show (4.2). */
import type { Project as ProjectInfoView } from "../contract/projects.ts";
import {
  type Call,
  type OpenRepository,
  requireDoc,
  requireHead,
  requireProject,
  type RoutesOf,
} from "./call.ts";
import type { Project, projectEndpoints } from "../contract/projects.ts";
import { ProjectsQuery } from "../contract/queries.ts";
import { ApiError, DamagedError } from "../errors.ts";
import type { AnswerOf } from "../http/answer.ts";
import { pageOfFound, type Paging } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { json } from "../http/respond.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import { type RepoId, sortRids } from "../ids/rid.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { countIssues } from "../views/issue.ts";
import { countPatches } from "../views/patch.ts";
import { toProjectInfoView } from "../views/project_info.ts";

/** Routes of projects. */
export const projectRoutes: RoutesOf<typeof projectEndpoints> = [
  ["GET", "/api/v1/projects", listProjects],
  ["GET", "/api/v1/projects/:project", showProject],
];

async function listProjects(call: Call): Promise<AnswerOf<readonly Project[]>> {
  const { show, ...paging } = readQuery(call.url, ProjectsQuery);
  const { storage, profile } = call.service;
  const rids = show === "pinned" ? await profile.pinned() : await storage.repositoryIds();
  return json(await pageOfProjects(call, rids, paging));
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
  paging: Paging,
  isWanted?: (doc: IdentityDoc) => boolean,
): Promise<readonly ProjectInfoView[]> {
  const page = await pageOfFound(listedProjects(call, rids, isWanted), paging);
  const seeds = await call.service.node.seedCounts(page.map(({ rid }) => rid));
  const infos: ProjectInfoView[] = [];
  for (const repository of page) {
    const info = await unlessUnreadable(() => projectInfo(call, repository, seeds));
    if (info !== undefined) infos.push(info);
  }
  return infos;
}

/**
 * The repositories that the client may see and that have a project payload and a head, in order of their ids.
 * Does not count issues and patches, which costs more.
 */
export async function* listedProjects(
  call: Call,
  rids: readonly RepoId[],
  isWanted: (doc: IdentityDoc) => boolean = () => true,
): AsyncGenerator<OpenRepository> {
  const slices = new TimeSlices();
  for (const rid of sortRids(rids)) {
    await slices.next();
    const project = await unlessUnreadable(async () => {
      const repository = await call.tryRepository(rid);
      if (repository === undefined || !isWanted(requireDoc(repository))) return undefined;
      requireProject(repository);
      await requireHead(repository);
      return repository;
    });
    if (project !== undefined) yield project;
  }
}

async function unlessUnreadable<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof ApiError || error instanceof DamagedError) return undefined;
    throw error;
  }
}

async function projectInfo(
  call: Call,
  repository: OpenRepository,
  seeds: ReadonlyMap<RepoId, number>,
): Promise<ProjectInfoView> {
  const { rid, objects, index } = repository;
  const { cobs } = call.service;
  return toProjectInfoView({
    rid,
    doc: requireDoc(repository),
    project: requireProject(repository),
    head: await requireHead(repository),
    patches: countPatches(await cobs.patches.list(objects, index)),
    issues: countIssues(await cobs.issues.list(objects, index)),
    seeding: seeds.get(rid) ?? 0,
  });
}
