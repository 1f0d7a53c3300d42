/** Schemas and routes of folders and files (specification, 2.6, 2.7, 4.2.6, 4.2.8). */
import * as v from "valibot";
import { Commit, Stats } from "./commits.ts";
import { type Endpoint, read } from "./endpoint.ts";
import { TreeQuery } from "./queries.ts";
import { described, list, Oid } from "./values.ts";

export const TreeEntry = v.object({
  path: v.pipe(v.string(), v.description("Path from the root.")),
  name: v.string(),
  kind: v.picklist(["tree", "blob", "submodule"]),
  oid: v.exactOptional(
    described(Oid, "Only with `oids=true`. For a submodule, the commit that it points to."),
  ),
});

export const Tree = v.object({
  entries: v.pipe(list(TreeEntry), v.description("Folders and submodules first, then files.")),
  lastCommit: described(Commit, "Last commit that changed something in the folder."),
  name: v.string(),
  path: v.string(),
  stats: Stats,
});

export const Blob = v.object({
  binary: v.boolean(),
  name: v.string(),
  content: v.pipe(v.string(), v.description("Text when all bytes are UTF-8, else base64.")),
  path: v.string(),
  lastCommit: described(Commit, "Last commit that changed the file."),
});

export type Tree = v.InferOutput<typeof Tree>;
export type Blob = v.InferOutput<typeof Blob>;

export const treeEndpoints = [
  read("4.2.6", "/projects/:project/tree/:sha/", "showRoot", "Root folder of a commit.", Tree, {
    query: TreeQuery,
    caching: "revalidated",
  }),
  read("4.2.6", "/projects/:project/tree/:sha/*path", "showTree", "Folder of a commit.", Tree, {
    query: TreeQuery,
    caching: "revalidated",
  }),
  read("4.2.6", "/projects/:project/blob/:sha/*path", "showBlob", "File of a commit.", Blob, {
    caching: "immutable",
  }),
  read("4.2.8", "/projects/:project/readme/:sha", "showReadme", "Readme in the root of a commit.", Blob, {
    caching: "immutable",
  }),
] as const satisfies readonly Endpoint[];
