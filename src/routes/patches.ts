/** Patches of a repository: list, open, show, change (4.4). */
import { readAuthorRefs } from "../browse/author_refs.ts";
import type { Call, RoutesOf } from "./call.ts";
import type { Changed } from "../contract/issues.ts";
import type { Patch as PatchView, patchEndpoints } from "../contract/patches.ts";
import { PatchesQuery } from "../contract/queries.ts";
import { toChange } from "../cob/write/change.ts";
import { newestFirst } from "../cob/entry/newest_first.ts";
import type { Patch } from "../cob/patch/patch_state.ts";
import {
  checkPatchAction,
  checkReview,
  draftPatch,
  NewPatch,
  PatchRequest,
} from "../cob/write/patch_request.ts";
import { ApiError } from "../errors.ts";
import type { AnswerOf } from "../http/answer.ts";
import { readBearer } from "../http/bearer.ts";
import { MAX_PROJECT_BODY_BYTES, readJson } from "../http/body.ts";
import { pageOf } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { json, jsonPieces, jsonText, jsonTexts } from "../http/respond.ts";
import type { AliasOf } from "../views/author.ts";
import { STREAMED_TEXT_BYTES } from "../views/cached_texts.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Repository } from "../ports/storage.ts";
import { toPatchView } from "../views/patch.ts";
import { type ReadActions, textsOfPatch, WholeTexts } from "../views/whole_texts.ts";

/** Routes of patches. */
export const patchRoutes: RoutesOf<typeof patchEndpoints> = [
  ["GET", "/api/v1/projects/:project/patches", listPatches],
  ["POST", "/api/v1/projects/:project/patches", openPatch],
  ["GET", "/api/v1/projects/:project/patches/:id", showPatch],
  ["PATCH", "/api/v1/projects/:project/patches/:id", changePatch],
];

async function listPatches(call: Call): Promise<AnswerOf<readonly PatchView[]>> {
  const rid = call.rid("project");
  const { state, ...paging } = readQuery(call.url, PatchesQuery);
  const { objects, index } = await call.repository(rid);
  const patches = newestFirst(await call.service.cobs.patches.list(objects, index), state);
  const texts = await patchTexts(call, objects, pageOf(patches, paging));
  return await jsonTexts(texts, call.service.environment.log);
}

async function openPatch(call: Call): Promise<AnswerOf<Changed>> {
  const token = readBearer(call.request);
  const rid = call.rid("project");
  const patch = await readJson(call.request, NewPatch, MAX_PROJECT_BODY_BYTES);
  const place = await call.place(token, rid);
  const { writer, cobs } = call.service;
  const id = await writer.create(cobs.patches, place, await draftPatch(place.repository, place.index, patch));
  return json({ success: true, id }, { status: 201 });
}

async function showPatch(call: Call): Promise<AnswerOf<PatchView>> {
  const [rid, id] = [call.rid("project"), call.oid("id")];
  const { objects, index } = await call.repository(rid);
  const patch = await call.service.cobs.patches.get(objects, index, id);
  if (patch === undefined) throw new ApiError("notFound", "Not Found");
  const { state, texts: { bytes } } = patch;
  const { truncated } = state;
  if (truncated === undefined && bytes <= STREAMED_TEXT_BYTES) {
    return jsonText((await patchTexts(call, objects, [state]))[0]!);
  }
  const { answers, cobs, node, texts, environment } = call.service;
  const read: ReadActions = (entry) => cobs.patches.actions(objects, entry);
  const whole = truncated && new WholeTexts(textsOfPatch(state), read);
  if (whole !== undefined) await call.requireRoom(whole.heldBytes);
  const refs = await readAuthorRefs(objects, state.author, call.service.sigrefs);
  const view = (patch: Patch, aliasOf: AliasOf) => toPatchView(patch, refs, { answers, aliasOf, whole });
  return await jsonPieces(texts.pieces(node, state, view), environment.log, {
    heldBytes: whole?.heldBytes ?? 0,
  });
}

async function changePatch(call: Call): Promise<AnswerOf<Changed>> {
  const token = readBearer(call.request);
  const [rid, id] = [call.rid("project"), call.oid("id")];
  const { writer, cobs, rules } = call.service;
  const action = checkPatchAction(
    await readJson(call.request, PatchRequest, MAX_PROJECT_BODY_BYTES),
    rules(),
  );
  const place = await call.place(token, rid);
  const entry = await writer.update(cobs.patches, place, id, {
    check: (patch, rules) => checkReview(patch, place.signer.nodeId, action, rules),
    plan: () => toChange(place.repository, action),
  });
  return json({ success: true, id: entry });
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
