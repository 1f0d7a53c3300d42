/**
 * Handlers that list and show the remotes of a repository (the signed references of a node), in both dialects
 * (specification, 4.2.7).
 */
import { peelRefs } from "../browse/author_refs.ts";
import type { Call } from "./call.ts";
import { type OpenRepository, requireDoc } from "./opened_repository.ts";
import { openNamed, readPath } from "./dialect.ts";
import { NotFoundError } from "../errors.ts";
import { type Answer, withHeaders } from "../http/answer.ts";
import { countField } from "../http/paging.ts";
import { arrayPieces } from "../http/respond.ts";
import { listRemotes, readRemote, type Remote } from "../identity/remotes.ts";
import { remotePieces, type ShownRemote } from "../views/remote.ts";

const HEADS = "refs/heads/";

export async function showRemotes(call: Call): Promise<Answer> {
  const repository = await openNamed(call);
  const { names } = call.service;
  const remotes = await listRemotes(call.sigrefsOf(repository.objects), requireDoc(repository));
  const aliases = await names.aliases(remotes.map(({ nid }) => nid));
  return withHeaders(await call.answer(arrayPieces(shown())), countField(remotes.length));

  async function* shown(): AsyncGenerator<Iterable<string>> {
    for (const remote of remotes) {
      yield remotePieces(await toShown(call, repository, remote, aliases.get(remote.nid)));
    }
  }
}

/** Shows one remote. Version 1 does not show its alias. */
export async function showRemote(call: Call): Promise<Answer> {
  const { rid, nid } = readPath(call, () => ({ nid: call.nid("peer") }));
  const repository = await call.repository(rid);
  const { names } = call.service;
  const remote = await readRemote(call.sigrefsOf(repository.objects), requireDoc(repository), nid);
  if (remote === undefined) throw new NotFoundError(`Remote ${nid} was not found`);
  const alias = call.dialect === "today" ? (await names.aliases([nid])).get(nid) : undefined;
  const shown = await toShown(call, repository, remote, alias);
  return await call.answer(remotePieces(shown));
}

/** Creates the JSON of a remote in the dialect of the call. */
async function toShown(
  call: Call,
  { objects }: OpenRepository,
  { nid, heads, refs, isDelegate }: Remote,
  alias: string | undefined,
): Promise<ShownRemote> {
  if (call.dialect !== "today") return { nid, alias, heads, isDelegate };
  const peeled = await peelRefs(objects, refs, call.task);
  // Only branches are shown, with their short names.
  const named = [...peeled].filter(([name]) => name.startsWith(HEADS));
  const short = named.map(([name, oid]) => [name.slice(HEADS.length), oid] as const);
  return { nid, alias, heads: short, refs: peeled, isDelegate };
}
