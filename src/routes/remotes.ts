/** Remotes of a repository: list and show (4.2.7). */
import { type Call, requireDoc, type RoutesOf } from "./call.ts";
import type { Remote as RemoteView, remoteEndpoints } from "../contract/remotes.ts";
import { ApiError } from "../errors.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { countField } from "../http/page_links.ts";
import { jsonPieces } from "../http/respond.ts";
import { listRemotes, readRemote, type Remote } from "../identity/remotes.ts";
import { Task } from "../scheduling/task.ts";
import { toRemoteView } from "../views/remote.ts";

/** Branches in one piece of an answer: about a millisecond of work. */
const HEADS_AT_ONCE = 2048;

/** Routes of remotes. */
export const remoteRoutes: RoutesOf<typeof remoteEndpoints> = [
  ["GET", "/api/v1/projects/:project/remotes", showRemotes],
  ["GET", "/api/v1/projects/:project/remotes/:peer", showRemote],
];

async function showRemotes(call: Call): Promise<AnswerOf<readonly RemoteView[]>> {
  const repository = await call.repository(call.rid("project"));
  const remotes = await listRemotes(repository.objects, requireDoc(repository), call.service.sigrefs);
  const aliases = await call.service.node.aliases(remotes.map(({ nid }) => nid));
  const answer = await jsonPieces<readonly RemoteView[]>(pieces(), call.service.environment.log);
  return withHeaders(answer, countField(remotes.length));

  async function* pieces(): AsyncGenerator<string> {
    yield "[";
    let separator = "";
    const task = new Task();
    for (const remote of remotes) {
      yield* remotePieces(remote, task, aliases.get(remote.nid), separator);
      separator = ",";
    }
    yield "]";
  }
}

async function showRemote(call: Call): Promise<AnswerOf<RemoteView>> {
  const [rid, nid] = [call.rid("project"), call.nid("peer")];
  const repository = await call.repository(rid);
  const remote = await readRemote(repository.objects, requireDoc(repository), nid, call.service.sigrefs);
  if (remote === undefined) throw new ApiError("notFound", `Remote ${nid} was not found`);
  return await jsonPieces(remotePieces(remote, new Task()), call.service.environment.log);
}

/** The JSON of a remote after a separator, with the branches in pieces. */
async function* remotePieces(
  remote: Remote,
  task: Task,
  alias?: string,
  separator = "",
): AsyncGenerator<string> {
  const { heads } = remote;
  if (heads.size <= HEADS_AT_ONCE) {
    yield separator + JSON.stringify(toRemoteView(remote, alias));
    return;
  }
  const { heads: _, delegate, ...before } = toRemoteView({ ...remote, heads: new Map() }, alias);
  yield `${separator}${JSON.stringify(before).slice(0, -1)},"heads":{`;
  separator = "";
  let lines: string[] = [];
  for (const [name, oid] of heads) {
    if (lines.push(`${JSON.stringify(name)}:"${oid}"`) < HEADS_AT_ONCE) continue;
    yield separator + lines.join();
    separator = ",";
    lines = [];
    await task.yield();
  }
  yield `${lines.length === 0 ? "" : separator + lines.join()}},"delegate":${delegate}}`;
}
