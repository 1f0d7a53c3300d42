/** Patches of a repository: list, open, show, change (4.4). */
import { readRefsOfAuthors } from "../browse/author_refs.ts";
import { type RoutesOf, tableOf } from "./call.ts";
import { changePatch, openPatch } from "./changes.ts";
import { listRevisions, type Patch } from "../cob/patch/patch_state.ts";
import type { patchEndpoints } from "../contract/patches.ts";
import { PatchesQuery, TodayPatchesQuery } from "../contract/queries.ts";
import { OF_PROJECT, type RouteDialect } from "../contract/traits.ts";
import type { NodeId } from "../ids/nid.ts";
import { listTodayReviews, toPatchView, toTodayPatch } from "../views/patch.ts";
import { textsOfPatch } from "../views/whole_texts.ts";
import { objectHandlers } from "./objects.ts";

/** The nodes whose references are shown: in version 1 those of the author of a patch for all revisions. */
const AUTHORS_OF: Readonly<Record<RouteDialect, (patch: Patch) => readonly NodeId[]>> = {
  v1: ({ author }) => [author],
  today: (patch) => listRevisions(patch).map(({ author }) => author),
};

/** Lists patches and shows one, in both dialects. */
export const patches = objectHandlers({
  storeOf: ({ cobs }) => cobs.patches,
  queries: { v1: PatchesQuery, today: TodayPatchesQuery },
  async viewsOf({ dialect, service: { answers, sigrefs } }, repository, patches) {
    const authorsOf = AUTHORS_OF[dialect];
    const refs = await readRefsOfAuthors(repository, patches.flatMap(authorsOf), sigrefs);
    return {
      view: (patch, options) =>
        dialect === "v1"
          ? toPatchView(patch, refs.of(patch.author), { ...options, answers })
          : toTodayPatch(patch, { ...options, refsOf: refs.of }),
      besides: (patch) => refs.version(authorsOf(patch)),
    };
  },
  textsOf: (patch, dialect) => textsOfPatch(patch, dialect === "v1" ? undefined : listTodayReviews),
});

/** Routes of patches. */
export const patchRoutes: RoutesOf<typeof patchEndpoints> = tableOf(OF_PROJECT, [
  ["GET", "/api/v1/projects/:project/patches", patches.list],
  ["POST", "/api/v1/projects/:project/patches", openPatch],
  ["GET", "/api/v1/projects/:project/patches/:id", patches.show],
  ["PATCH", "/api/v1/projects/:project/patches/:id", changePatch],
]);
