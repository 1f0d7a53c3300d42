/** Patches of a repository: list, one. */
import { readRefsOfAuthors } from "../../browse/author_refs.ts";
import { matchingObjects } from "../../browse/matching_objects.ts";
import { type Call, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { memoize } from "../../cache/memoize.ts";
import { newestFirst } from "../../cob/entry/newest_first.ts";
import { listRevisions, type Patch } from "../../cob/patch/patch_state.ts";
import { TodayPatchesQuery } from "../../contract/queries.ts";
import { ApiError } from "../../errors.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import { extentOf, pageFields } from "../../http/page_links.ts";
import { pageOf } from "../../http/paging.ts";
import { readQuery } from "../../http/query.ts";
import { jsonTexts } from "../../http/respond.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { AliasOf } from "../../views/author.ts";
import { listTodayReviews, toTodayPatch } from "../../views/today/patch.ts";
import { textsOfPatch, type WholeTexts } from "../../views/whole_texts.ts";
import { wholeObject } from "../whole_object.ts";
import { requireRepo, requireRid, type TodayRow } from "./requests.ts";

/** Routes of patches. */
export const patchRoutes: readonly TodayRow[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/patches", listPatches],
  ["GET", "/api/v1/repos/:rid/patches/:id", showPatch],
]);

/** A patch to be shown: JSON is cached by its subject, and version 1 shows the patch itself. */
interface Shown {
  readonly patch: Patch;
}

const shownPatch: (patch: Patch) => Shown = memoize((patch) => ({ patch }));

async function listPatches(call: Call): Promise<Answer> {
  const { status, page, perPage, ...filter } = readQuery(call.url, TodayPatchesQuery);
  const paging = { page, perPage };
  const { objects, graph } = await requireRepo(call, requireRid(call));
  const { cobs, texts, node, environment } = call.service;
  const { summaries, states } = await cobs.patches.listed(objects, graph);
  const patches = await matchingObjects(newestFirst(summaries, status), filter);
  const shownPatches = await states(pageOf(patches, paging));
  const { view, version } = await viewOf(call, objects, shownPatches);
  const shown = await texts.of(node, shownPatches.map(shownPatch), view(), version);
  const fields = pageFields({ status, ...filter }, paging, extentOf(patches, paging));
  return withHeaders(await jsonTexts(shown, environment.log), fields);
}

async function showPatch(call: Call): Promise<Answer> {
  const id = call.oid("id");
  const { objects, graph } = await requireRepo(call, requireRid(call));
  const { patches } = call.service.cobs;
  const patch = await patches.get(objects, graph, id);
  if (patch === undefined) throw new ApiError("notFound", "Not Found");
  const { view, version } = await viewOf(call, objects, [patch.state]);
  return await wholeObject(call, patch, {
    subject: shownPatch(patch.state),
    view,
    besides: version,
    groups: textsOfPatch(patch.state, listTodayReviews),
    read: (entry) => patches.actions(objects, entry),
  });
}

/** Wire form of patches, and a text that changes whenever the references in the wire form of a patch do. */
async function viewOf({ service }: Call, repository: Repository, patches: readonly Patch[]) {
  const refs = await readRefsOfAuthors(repository, patches.flatMap(authorsOf), service.sigrefs);
  return {
    view: (whole?: WholeTexts) => ({ patch }: Shown, aliasOf: AliasOf) =>
      toTodayPatch(patch, { aliasOf, whole, refsOf: refs.of }),
    version: ({ patch }: Shown) => refs.version(authorsOf(patch)),
  };
}

function authorsOf(patch: Patch): readonly NodeId[] {
  return listRevisions(patch).map(({ author }) => author);
}
