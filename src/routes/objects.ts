/**
 * Handlers for lists of issues and patches and for single objects, in both dialects (specification, 4.3,
 * 4.4).
 */
import { matchingObjects, type ObjectFilter } from "../browse/matching_objects.ts";
import { memoize } from "../cache/memory.ts";
import { newestFirst } from "../cob/evaluation/object_summary.ts";
import type { ObjectStore } from "../cob/evaluation/store.ts";
import type { ObjectState } from "../cob/evaluation/object_types.ts";
import { IssuesQuery, PatchesQuery, TodayIssuesQuery, TodayPatchesQuery } from "../contract/queries.ts";
import type { RouteDialect } from "../contract/traits.ts";
import { NotFoundError } from "../errors.ts";
import { type Answer, withHeaders } from "../http/answer.ts";
import { pageFields, pageOf, type Paging } from "../http/paging.ts";
import { readQuery } from "../http/parameters.ts";
import { arrayOfTexts, jsonText } from "../http/respond.ts";
import type { Awaitable, Repository } from "../ports/storage.ts";
import type { AliasOf } from "../views/node.ts";
import { STREAMED_TEXT_BYTES } from "../views/cached_texts.ts";
import type { ThreadOptions } from "../views/thread.ts";
import type { Call } from "./call.ts";
import { readPath } from "./dialect.ts";
import type { Service } from "./service.ts";
import { toIssueView, toTodayIssue } from "../views/issue.ts";
import { readAuthorRefs, readRefsOfAuthors } from "../browse/author_refs.ts";
import { listRevisions, type Patch } from "../cob/patch/patch_state.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import type { NodeId } from "../ids/nid.ts";
import { toPatchView, toTodayPatch } from "../views/patch.ts";

/**
 * Parsed query of a list. The query parameter for the state is `state` in version 1 and `status` in the
 * `/repos` dialect.
 */
interface ListQuery extends Paging, ObjectFilter {
  readonly state?: string;
  readonly status?: string;
}

type ListSchema =
  | typeof IssuesQuery
  | typeof PatchesQuery
  | typeof TodayIssuesQuery
  | typeof TodayPatchesQuery;

export interface ObjectViews<S> {
  view(state: S, options: Pick<ThreadOptions, "aliasOf">): unknown;
  /** Returns the data on which the JSON depends in addition to the object itself. */
  besides?(state: S): unknown;
}

/** The functions and schemas in which issues and patches differ. */
export interface ObjectKind<S extends ObjectState> {
  storeOf(service: Service): ObjectStore<S>;
  /** Schemas of the query of a list, by dialect. */
  readonly queries: Readonly<Record<RouteDialect, ListSchema>>;
  /** Reads the data that the JSON shows in addition to the given objects. */
  viewsOf(call: Call, repository: Repository, states: readonly S[]): Awaitable<ObjectViews<S>>;
}

/**
 * An evaluated object in one dialect. The identity of this JavaScript object is the cache key of the JSON, so
 * each dialect has separate cached JSON.
 */
interface Shown<S> {
  readonly state: S;
}

const shownByV1 = memoize((state: object) => ({ state }));
const shownByToday = memoize((state: object) => ({ state }));
const SHOWN = { v1: shownByV1, today: shownByToday } as Record<
  RouteDialect,
  <S extends object>(state: S) => Shown<S>
>;

export function objectHandlers<S extends ObjectState>(
  kind: ObjectKind<S>,
): { list(call: Call): Promise<Answer>; show(call: Call): Promise<Answer> } {
  async function viewsOf(call: Call, repository: Repository, states: readonly S[]) {
    const { view, besides } = await kind.viewsOf(call, repository, states);
    return {
      view: ({ state }: Shown<S>, aliasOf: AliasOf) => view(state, { aliasOf }),
      ...(besides && { besides: ({ state }: Shown<S>) => besides(state) }),
    };
  }

  return {
    async list(call) {
      const readList = (): ListQuery => readQuery(call.url, kind.queries[call.dialect]);
      const { rid, query } = readPath(call, () => ({ query: readList() }));
      const { page, perPage, state, status, ...filter } = query;
      const paging = { page, perPage };
      const repository = await call.repository(rid);
      const { names, texts } = call.service;
      const { summaries, states } = await kind.storeOf(call.service).listed(repository);
      const found = await matchingObjects(newestFirst(summaries, (state ?? status)!), filter, call.task);
      const { items, ...extent } = pageOf(found, paging);
      const onPage = await states(items);
      const { view, besides } = await viewsOf(call, repository.objects, onPage);
      const shown = await texts.of(
        names,
        onPage.map((state) => SHOWN[call.dialect](state)),
        view,
        call.task,
        besides,
      );
      const fields = pageFields({ state, status, ...filter }, paging, extent);
      return withHeaders(await call.answer(arrayOfTexts(shown)), fields);
    },
    async show(call) {
      const { rid, id } = readPath(call, () => ({ id: call.oid("id") }));
      const repository = await call.repository(rid);
      const found = await kind.storeOf(call.service).get(repository, id);
      if (found === undefined) throw new NotFoundError("Not Found");
      const { view, besides } = await viewsOf(call, repository.objects, [found.state]);
      const subject = SHOWN[call.dialect](found.state);
      const { names, texts } = call.service;
      if (found.texts.wholeBytes <= STREAMED_TEXT_BYTES) {
        return jsonText((await texts.of(names, [subject], view, call.task, besides))[0]!);
      }
      return await call.answer(texts.pieces(names, subject, view, call.task));
    },
  };
}

export const issues = objectHandlers({
  storeOf: ({ cobs }) => cobs.issues,
  queries: { v1: IssuesQuery, today: TodayIssuesQuery },
  viewsOf: ({ dialect, service: { answers } }) => ({
    view: (issue, options) =>
      dialect === "v1" ? toIssueView(issue, { ...options, answers }) : toTodayIssue(issue, options),
  }),
});

export const patches = objectHandlers({
  storeOf: ({ cobs }) => cobs.patches,
  queries: { v1: PatchesQuery, today: TodayPatchesQuery },
  viewsOf: async (call, repository, patches) =>
    call.dialect === "v1"
      ? await v1Views(call, repository, patches)
      : await todayViews(call, repository, patches),
});

/** Creates the JSON of patches in version 1. All revisions show the references of the author of the patch. */
async function v1Views(
  call: Call,
  repository: Repository,
  patches: readonly Patch[],
): Promise<ObjectViews<Patch>> {
  const { answers } = call.service;
  const sigrefs = call.sigrefsOf(repository);
  const refsOf = new Map<NodeId, SignedRefs>();
  for (const { author } of patches) {
    if (!refsOf.has(author)) refsOf.set(author, await readAuthorRefs(sigrefs, author));
  }
  return {
    view: (patch, options) => toPatchView(patch, refsOf.get(patch.author)!, { ...options, answers }),
    besides: ({ author }) => refsOf.get(author),
  };
}

/**
 * Creates the JSON of patches in the `/repos` dialect. Each revision shows the references of its own author.
 */
async function todayViews(
  call: Call,
  repository: Repository,
  patches: readonly Patch[],
): Promise<ObjectViews<Patch>> {
  const authorsOf = (patch: Patch) => listRevisions(patch).map(({ author }) => author);
  const refs = await readRefsOfAuthors(call.sigrefsOf(repository), patches.flatMap(authorsOf));
  return {
    view: (patch, options) => toTodayPatch(patch, { ...options, refsOf: refs.of }),
    besides: (patch) => refs.version(authorsOf(patch)),
  };
}
