/** Schemas and routes of patches (specification, 2.10, 4.4). */
import * as v from "valibot";
import { NewPatch, PatchRequest } from "../cob/write/patch_request.ts";
import { change, type Endpoint, OF_PATCH, read } from "./endpoint.ts";
import { Changed } from "./issues.ts";
import { PatchesQuery } from "./queries.ts";
import { Author, CodeLocation, Comment, Edit, ReviewComment } from "./thread.ts";
import { described, Did, list, Mark, NodeId, Oid, pair, Time } from "./values.ts";

export const PatchState = v.variant("status", [
  v.object({
    status: v.literal("open"),
    conflicts: v.exactOptional(
      v.pipe(
        list(pair(Oid, Oid)),
        v.description("Conflicting merges: pairs of revision and commit, each merged by enough delegates."),
      ),
    ),
  }),
  v.object({ status: v.picklist(["draft", "archived"]) }),
  v.object({ status: v.literal("merged"), revision: Oid, commit: Oid }),
]);

/** The branch into which a patch will be merged: the default branch (`delegates`), or another branch. */
export const PatchTarget = v.union([v.literal("delegates"), v.object({ branch: v.string() })]);

export const Merge = v.object({ author: Author, commit: Oid, timestamp: Time, revision: Oid });

/** The reactions to a revision, or to a location in its code. */
export const PlaceReaction = v.object({
  location: v.nullable(CodeLocation),
  emoji: v.string(),
  authors: list(NodeId),
});

/** The opinion of one node about a revision. */
export const Review = v.object({
  id: Oid,
  author: Author,
  verdict: v.nullable(v.picklist(["accept", "reject"])),
  summary: v.nullable(v.string()),
  comments: v.pipe(
    v.union([list(pair(Oid, ReviewComment)), list(Comment)]),
    v.description("Pairs of id and comment. With `--answers objects`, comments in the form of revisions."),
  ),
  timestamp: Time,
  truncated: Mark,
});

/** A state of the code that a patch proposes. */
export const Revision = v.object({
  id: Oid,
  author: Author,
  description: v.string(),
  edits: v.pipe(list(Edit), v.description("All versions of the description.")),
  reactions: list(PlaceReaction),
  base: described(Oid, "Commit that the revision is based on."),
  oid: described(Oid, "Proposed commit."),
  refs: v.pipe(
    list(v.string()),
    v.description("Signed references of the patch's author that point to the commit."),
  ),
  discussions: list(Comment),
  timestamp: Time,
  reviews: list(Review),
  truncated: Mark,
});

export const Patch = v.object({
  id: Oid,
  author: Author,
  title: v.string(),
  state: PatchState,
  target: PatchTarget,
  labels: list(v.string()),
  merges: list(Merge),
  assignees: list(Did),
  revisions: v.pipe(list(Revision), v.description("The first revision has the id of the patch.")),
  truncated: Mark,
});

export type PatchState = v.InferOutput<typeof PatchState>;
export type Patch = v.InferOutput<typeof Patch>;

export const patchEndpoints = [
  read("4.4.1", "/projects/:project/patches", "listPatches", "Patches, the newest first.", list(Patch), {
    query: PatchesQuery,
  }),
  change("4.4.3", "POST /projects/:project/patches", "openPatch", "Opens a patch.", { 201: Changed }, {
    body: NewPatch,
  }),
  read("4.4.2", "/projects/:project/patches/:id", "showPatch", "One patch.", Patch, { parameters: OF_PATCH }),
  change(
    "4.4.4",
    "PATCH /projects/:project/patches/:id",
    "changePatch",
    "Changes a patch.",
    { 200: Changed },
    { parameters: OF_PATCH, body: PatchRequest },
  ),
] as const satisfies readonly Endpoint[];
