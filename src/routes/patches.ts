/** Patches of a repository: list, open, show, change (4.4). */
import { readAuthorRefs } from "../browse/author_refs.ts";
import { matchingObjects } from "../browse/matching_objects.ts";
import { type Call, type RoutesOf, tableOf } from "./call.ts";
import { OF_PROJECT } from "../contract/traits.ts";
import { patchChanges, V1_CHANGES } from "./changes.ts";
import type { Patch as PatchView, patchEndpoints } from "../contract/patches.ts";
import { PatchesQuery } from "../contract/queries.ts";
import { newestFirst } from "../cob/entry/newest_first.ts";
import type { Patch } from "../cob/patch/patch_state.ts";
import { ApiError } from "../errors.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { extentOf, pageFields } from "../http/page_links.ts";
import { pageOf } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { jsonTexts } from "../http/respond.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Repository } from "../ports/storage.ts";
import { toPatchView } from "../views/patch.ts";
import { textsOfPatch } from "../views/whole_texts.ts";
import { wholeObject } from "./whole_object.ts";

const changes = patchChanges(V1_CHANGES);

/** Routes of patches. */
export const patchRoutes: RoutesOf<typeof patchEndpoints> = tableOf(OF_PROJECT, [
  ["GET", "/api/v1/projects/:project/patches", listPatches],
  ["POST", "/api/v1/projects/:project/patches", changes.open],
  ["GET", "/api/v1/projects/:project/patches/:id", showPatch],
  ["PATCH", "/api/v1/projects/:project/patches/:id", changes.change],
]);

async function listPatches(call: Call): Promise<AnswerOf<readonly PatchView[]>> {
  const rid = call.rid("project");
  const { state, page, perPage, ...filter } = readQuery(call.url, PatchesQuery);
  const paging = { page, perPage };
  const { objects, graph } = await call.repository(rid);
  const { summaries, states } = await call.service.cobs.patches.listed(objects, graph);
  const patches = await matchingObjects(newestFirst(summaries, state), filter);
  const texts = await patchTexts(call, objects, await states(pageOf(patches, paging)));
  const answer = await jsonTexts<PatchView>(texts, call.service.environment.log);
  return withHeaders(answer, pageFields({ state, ...filter }, paging, extentOf(patches, paging)));
}

async function showPatch(call: Call): Promise<AnswerOf<PatchView>> {
  const [rid, id] = [call.rid("project"), call.oid("id")];
  const { objects, graph } = await call.repository(rid);
  const patch = await call.service.cobs.patches.get(objects, graph, id);
  if (patch === undefined) throw new ApiError("notFound", "Not Found");
  const { answers, cobs, sigrefs } = call.service;
  const refs = await readAuthorRefs(objects, patch.state.author, sigrefs);
  return await wholeObject(call, patch, {
    subject: patch.state,
    view: (whole) => (state, aliasOf) => toPatchView(state, refs, { answers, aliasOf, whole }),
    besides: () => refs,
    groups: textsOfPatch(patch.state),
    read: (entry) => cobs.patches.actions(objects, entry),
  });
}

/** The JSON of patches. */
async function patchTexts(
  call: Call,
  repository: Repository,
  patches: readonly Patch[],
): Promise<readonly string[]> {
  const refsOf = new Map<NodeId, SignedRefs>();
  for (const { author } of patches) {
    if (!refsOf.has(author)) {
      refsOf.set(author, await readAuthorRefs(repository, author, call.service.sigrefs));
    }
  }
  const { answers, node, texts } = call.service;
  return await texts.of(
    node,
    patches,
    (patch, aliasOf) => toPatchView(patch, refsOf.get(patch.author)!, { answers, aliasOf }),
    ({ author }) => refsOf.get(author),
  );
}
