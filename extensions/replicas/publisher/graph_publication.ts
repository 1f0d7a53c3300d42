/** Makes the commit graph of the branches of a repository, and sends it. */
import {
  encodeCommitGraph,
  encodeDetails,
  type HistoryColumns,
  type Oid,
  type Repository,
  type Task,
} from "../../../src/mod.ts";
import { contentKey, graphKey, sha256OfLong } from "../format/keys.ts";
import type { PublishedGraph } from "../format/manifest.ts";
import type { ObjectSender } from "./object_sender.ts";

/** Names of branches, of the repository itself and of nodes. */
const BRANCH = /^refs\/(?:namespaces\/[^/]+\/refs\/)?heads\//;

/**
 * Reads commits with all their ancestors, their authors and changed paths, in ascending order of their ids.
 * Returns `undefined` when a history is incomplete.
 */
export type ReadHistory = (
  repository: Repository,
  tips: readonly Oid[],
  task: Task,
) => Promise<HistoryColumns | undefined>;

/**
 * Returns the commit graph after it was sent. Returns null when there are no branches, or a history is
 * incomplete or too large. Readers then read the commits.
 *
 * @param repository A repository with exactly the references that are published.
 * @throws {BucketError}
 */
export async function publishGraph(
  sender: ObjectSender,
  repository: Repository,
  readHistory: ReadHistory,
  task: Task,
): Promise<PublishedGraph | null> {
  const { rid } = repository;
  const refs = await repository.refs("refs/");
  const tips = new Set(refs.flatMap(({ name, oid }) => oid !== undefined && BRANCH.test(name) ? [oid] : []));
  const columns = tips.size === 0 ? undefined : await readHistory(repository, [...tips], task);
  if (columns === undefined || columns.times.length === 0) return null;
  const graph = await encodeCommitGraph(columns, task);
  const details = await encodeDetails(columns, task);
  if (graph === undefined || details === undefined) return null;
  const sha256 = await sha256OfLong(details);
  await sender.send(graphKey(rid, graph.name), graph.bytes);
  await sender.send(contentKey(rid, "details", sha256), details);
  return { name: graph.name, bytes: graph.bytes.length, details: { sha256, bytes: details.length } };
}
