/** Patches of a repository: list, open, show, change (4.4). */
import { readAuthorRefs, readRefsOfAuthors } from "../browse/author_refs.ts";
import { type Call, type RoutesOf, tableOf } from "./call.ts";
import { changePatch, openPatch } from "./changes.ts";
import { listRevisions, type Patch } from "../cob/patch/patch_state.ts";
import type { patchEndpoints } from "../contract/patches.ts";
import { PatchesQuery, TodayPatchesQuery } from "../contract/queries.ts";
import { OF_PROJECT } from "../contract/traits.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Repository } from "../ports/storage.ts";
import { listTodayReviews, toPatchView, toTodayPatch } from "../views/patch.ts";
import { textsOfPatch } from "../views/whole_texts.ts";
import { objectHandlers, type ObjectViews } from "./objects.ts";

/** Lists patches and shows one, in both dialects. */
export const patches = objectHandlers({
  storeOf: ({ cobs }) => cobs.patches,
  queries: { v1: PatchesQuery, today: TodayPatchesQuery },
  viewsOf: async (call, repository, patches) =>
    call.dialect === "v1"
      ? await v1Views(call, repository, patches)
      : await todayViews(call, repository, patches),
  textsOf: (patch, dialect) => textsOfPatch(patch, dialect === "v1" ? undefined : listTodayReviews),
});

/** Views of patches in version 1: all revisions show the references of the author of the patch. */
async function v1Views(
  { task, service: { answers, sigrefs } }: Call,
  repository: Repository,
  patches: readonly Patch[],
): Promise<ObjectViews<Patch>> {
  const refsOf = new Map<NodeId, SignedRefs>();
  for (const { author } of patches) {
    if (!refsOf.has(author)) refsOf.set(author, await readAuthorRefs(repository, author, sigrefs, task));
  }
  return {
    view: (patch, options) => toPatchView(patch, refsOf.get(patch.author)!, { ...options, answers }),
    besides: ({ author }) => refsOf.get(author),
  };
}

/** Views of patches for today's clients: a revision shows the references of its own author. */
async function todayViews(
  { task, service: { sigrefs } }: Call,
  repository: Repository,
  patches: readonly Patch[],
): Promise<ObjectViews<Patch>> {
  const authorsOf = (patch: Patch) => listRevisions(patch).map(({ author }) => author);
  const refs = await readRefsOfAuthors(repository, patches.flatMap(authorsOf), sigrefs, task);
  return {
    view: (patch, options) => toTodayPatch(patch, { ...options, refsOf: refs.of }),
    besides: (patch) => refs.version(authorsOf(patch)),
  };
}

/** Routes of patches. */
export const patchRoutes: RoutesOf<typeof patchEndpoints> = tableOf(OF_PROJECT, [
  ["GET", "/api/v1/projects/:project/patches", patches.list],
  ["POST", "/api/v1/projects/:project/patches", openPatch],
  ["GET", "/api/v1/projects/:project/patches/:id", patches.show],
  ["PATCH", "/api/v1/projects/:project/patches/:id", changePatch],
]);
