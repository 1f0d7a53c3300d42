/** Remotes of a repository (2.8, 4.2.7). */
import * as v from "valibot";
import { type Endpoint, read } from "./endpoint.ts";
import { OF_LISTS } from "./headers.ts";
import { list, NodeId, Oid, table } from "./values.ts";

/** A node with signed references in a repository. */
export const Remote = v.object({
  id: NodeId,
  alias: v.exactOptional(v.pipe(v.string(), v.description("In lists only, where it is known."))),
  heads: v.pipe(table(Oid), v.description("Commits by names of branches, without `refs/heads/`.")),
  delegate: v.boolean(),
});

/** Routes of remotes. */
export const remoteEndpoints = [
  read(
    "4.2.7",
    "/projects/:project/remotes",
    "listRemotes",
    "Nodes with signed references in a repository, in the order of their ids.",
    list(Remote),
    { fields: OF_LISTS },
  ),
  read("4.2.7", "/projects/:project/remotes/:peer", "showRemote", "Signed references of one node.", Remote),
] as const satisfies readonly Endpoint[];
