/** Remotes of a repository: list, one. */
import { peelRefs } from "../../browse/remote_refs.ts";
import { type Call, requireDoc } from "../call.ts";
import { ApiError } from "../../errors.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import { countField } from "../../http/page_links.ts";
import { jsonPieces } from "../../http/respond.ts";
import { listRemotes, readRemote, type Remote } from "../../identity/remotes.ts";
import type { Repository } from "../../ports/storage.ts";
import { Task } from "../../scheduling/task.ts";
import { todayRemotePieces } from "../../views/today/remote.ts";
import { requireRepo, requireRid, type TodayRow } from "./requests.ts";

/** Routes of remotes. */
export const remoteRoutes: readonly TodayRow[] = [
  ["GET", "/api/v1/repos/:rid/remotes", showRemotes],
  ["GET", "/api/v1/repos/:rid/remotes/:peer", showRemote],
];

async function showRemotes(call: Call): Promise<Answer> {
  const repository = await requireRepo(call, requireRid(call));
  const { node, sigrefs, environment } = call.service;
  const remotes = await listRemotes(repository.objects, requireDoc(repository), sigrefs);
  const aliases = await node.aliases(remotes.map(({ nid }) => nid));
  return withHeaders(await jsonPieces(pieces(), environment.log), countField(remotes.length));

  async function* pieces(): AsyncGenerator<string> {
    let before = "[";
    const task = new Task();
    for (const remote of remotes) {
      yield before;
      yield* remotePieces(repository.objects, remote, aliases.get(remote.nid), task);
      before = ",";
    }
    yield before === "[" ? "[]" : "]";
  }
}

async function showRemote(call: Call): Promise<Answer> {
  const nid = call.nid("peer");
  const repository = await requireRepo(call, requireRid(call));
  const { node, sigrefs, environment } = call.service;
  const remote = await readRemote(repository.objects, requireDoc(repository), nid, sigrefs);
  if (remote === undefined) throw new ApiError("notFound", `Remote ${nid} was not found`);
  const aliases = await node.aliases([nid]);
  const pieces = remotePieces(repository.objects, remote, aliases.get(nid), new Task());
  return await jsonPieces(pieces, environment.log);
}

async function* remotePieces(
  repository: Repository,
  remote: Remote,
  alias: string | undefined,
  task: Task,
): AsyncGenerator<string> {
  yield* todayRemotePieces({ ...remote, alias, refs: await peelRefs(repository, remote.refs, task) });
}
