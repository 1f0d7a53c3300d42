/** Repositories as projects: list and one (4.2). */
import * as v from "valibot";
import {
  type Call,
  type OpenRepository,
  requireDoc,
  requireHead,
  requireProject,
  type Route,
} from "../call.ts";
import { ApiError, DamagedError } from "../errors.ts";
import { pageOf, pagingEntries } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { json } from "../http/respond.ts";
import { compareRids, type RepoId } from "../ids/rid.ts";
import { countIssues } from "../views/issue.ts";
import { countPatches } from "../views/patch.ts";
import { type ProjectInfoView, toProjectInfoView } from "../views/project_info.ts";

/** Routes of projects. */
export const projectRoutes: readonly Route[] = [
  ["GET", "/api/v1/projects", listProjects],
  ["GET", "/api/v1/projects/:project", showProject],
];

/** Choice: `show` narrows the list as newer services allow; without it all projects are listed, as the specification says. */
const ProjectsQuery = v.object({ ...pagingEntries, show: v.optional(v.picklist(["all", "pinned"]), "all") });

async function listProjects(call: Call): Promise<Response> {
  const { show, ...paging } = readQuery(call.url, ProjectsQuery);
  const { storage, profile } = call.service;
  const rids = show === "pinned" ? await profile.pinned() : await storage.repositoryIds();
  return json(pageOf(await projectInfos(call, rids), paging));
}

async function showProject(call: Call): Promise<Response> {
  return json(await projectInfo(call, await call.repository(call.rid("project"))));
}

/** The projects among these repositories that the client may see, in order of their ids; those that cannot be loaded are left out. */
async function projectInfos(call: Call, rids: readonly RepoId[]): Promise<ProjectInfoView[]> {
  const infos: ProjectInfoView[] = [];
  for (const rid of [...new Set(rids)].sort(compareRids)) {
    try {
      const repository = await call.tryRepository(rid);
      if (repository !== undefined) infos.push(await projectInfo(call, repository));
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof DamagedError)) throw error;
    }
  }
  return infos;
}

async function projectInfo(call: Call, repository: OpenRepository): Promise<ProjectInfoView> {
  const { rid, objects, index } = repository;
  const { cobs } = call.service;
  return toProjectInfoView({
    rid,
    doc: requireDoc(repository),
    project: requireProject(repository),
    head: await requireHead(repository),
    patches: countPatches(await cobs.patches.list(objects, index)),
    issues: countIssues(await cobs.issues.list(objects, index)),
    seeding: 0,
  });
}
