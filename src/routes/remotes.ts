/** Remotes of a repository: list and one (4.2.7). */
import { type Call, requireDoc, type Route } from "../call.ts";
import { ApiError } from "../errors.ts";
import { json } from "../http/respond.ts";
import { listRemotes, readRemote } from "../identity/remotes.ts";
import { toRemoteView } from "../views/remote.ts";

/** Routes of remotes. */
export const remoteRoutes: readonly Route[] = [
  ["GET", "/api/v1/projects/:project/remotes", showRemotes],
  ["GET", "/api/v1/projects/:project/remotes/:peer", showRemote],
];

async function showRemotes(call: Call): Promise<Response> {
  const repository = await call.repository(call.rid("project"));
  const remotes = await listRemotes(repository.objects, requireDoc(repository), call.service.sigrefs);
  const aliases = await call.service.node.aliases(remotes.map(({ nid }) => nid));
  return json(remotes.map((remote) => toRemoteView(remote, aliases.get(remote.nid))));
}

async function showRemote(call: Call): Promise<Response> {
  const [rid, nid] = [call.rid("project"), call.nid("peer")];
  const repository = await call.repository(rid);
  const remote = await readRemote(repository.objects, requireDoc(repository), nid, call.service.sigrefs);
  if (remote === undefined) throw new ApiError("notFound", `Remote ${nid} was not found`);
  return json(toRemoteView(remote));
}
