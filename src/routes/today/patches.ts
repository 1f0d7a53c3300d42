/** Patches of a repository: list, one. */
import { readRefsOfAuthors } from "../../browse/author_refs.ts";
import type { Call, Route } from "../call.ts";
import { memoize } from "../../cache/memoize.ts";
import { newestFirst } from "../../cob/entry/newest_first.ts";
import { listRevisions, type Patch } from "../../cob/patch/patch_state.ts";
import { TodayPatchesQuery } from "../../contract/queries.ts";
import { ApiError } from "../../errors.ts";
import type { Answer } from "../../http/answer.ts";
import { pageOf } from "../../http/paging.ts";
import { readQuery } from "../../http/query.ts";
import { jsonPieces, jsonText, jsonTexts } from "../../http/respond.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { AliasOf } from "../../views/author.ts";
import { STREAMED_TEXT_BYTES } from "../../views/cached_texts.ts";
import { toTodayPatch } from "../../views/today/patch.ts";
import { requireRepo, requireRid } from "./requests.ts";

/** Routes of patches. */
export const patchRoutes: readonly Route[] = [
  ["GET", "/api/v1/repos/:rid/patches", listPatches],
  ["GET", "/api/v1/repos/:rid/patches/:id", showPatch],
];

/** A patch to be shown: JSON is cached by its subject, and version 1 shows the patch itself. */
interface Shown {
  readonly patch: Patch;
}

const shownPatch: (patch: Patch) => Shown = memoize((patch) => ({ patch }));

async function listPatches(call: Call): Promise<Answer> {
  const { status, ...paging } = readQuery(call.url, TodayPatchesQuery);
  const { objects, index } = await requireRepo(call, requireRid(call));
  const { cobs, texts, node, environment } = call.service;
  const patches = newestFirst(await cobs.patches.list(objects, index), status);
  const page = pageOf(patches, paging);
  const { view, version } = await viewOf(call, objects, page);
  return await jsonTexts(await texts.of(node, page.map(shownPatch), view, version), environment.log);
}

async function showPatch(call: Call): Promise<Answer> {
  const id = call.oid("id");
  const { objects, index } = await requireRepo(call, requireRid(call));
  const { cobs, texts, node, environment } = call.service;
  const patch = await cobs.patches.get(objects, index, id);
  if (patch === undefined) throw new ApiError("notFound", "Not Found");
  const subject = shownPatch(patch.state);
  const { view, version } = await viewOf(call, objects, [patch.state]);
  if (patch.texts.bytes <= STREAMED_TEXT_BYTES) {
    return jsonText((await texts.of(node, [subject], view, version))[0]!);
  }
  return await jsonPieces(texts.pieces(node, subject, view), environment.log);
}

/** Wire form of patches, and a text that changes whenever the references in the wire form of a patch do. */
async function viewOf({ service }: Call, repository: Repository, patches: readonly Patch[]) {
  const refs = await readRefsOfAuthors(repository, patches.flatMap(authorsOf), service.sigrefs);
  return {
    view: ({ patch }: Shown, aliasOf: AliasOf) => toTodayPatch(patch, { aliasOf, refsOf: refs.of }),
    version: ({ patch }: Shown) => refs.version(authorsOf(patch)),
  };
}

function authorsOf(patch: Patch): readonly NodeId[] {
  return listRevisions(patch).map(({ author }) => author);
}
