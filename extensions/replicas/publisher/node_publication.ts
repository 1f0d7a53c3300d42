/** Publishes the description of the node when it has changed. A replica knows nothing else about the node. */
import { defaultPolicy, type NodeId, type Profile, type RadicleNode, type RepoId } from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { encodeNodeSnapshot } from "../format/node_snapshot.ts";
import { PUBLISHED_FORMAT } from "../format/manifest.ts";
import {
  FACTS,
  MAX_NODE_ROWS,
  MAX_NODE_TEXT_LENGTH,
  MAX_WEB_TEXT_LENGTH,
  NODE,
  type NodeDescription,
  type PublicConfig,
} from "../format/node_description.ts";
import { ChangedMeanwhile, readObject, replaceObject } from "./changing_object.ts";
import { keysOf, putPages } from "./content_objects.ts";
import type { PublicationOptions } from "./publication_options.ts";
import type { Shown } from "./shown_queue.ts";

/** Maximum number of puts of the description while repositories become private. */
const MAX_TRIES = 20;

/** The node that the description is about. */
export interface NodeSource {
  readonly profile: Pick<Profile, "nodeId" | "alias" | "pinned" | "config">;
  readonly node: RadicleNode;
}

type NodePublisherOptions = Pick<PublicationOptions, "bucket" | "deflate" | "task" | "now">;

const TABLES = ["aliases", "seedCounts", "inventories"] as const;

export interface NodePublicationOptions extends Shown {
  /** The published repositories. The description leaves out all other repositories. */
  readonly published: ReadonlySet<RepoId>;
  /**
   * When the description is put:
   *
   * - "no": if the bucket has no description, or a different description.
   * - "if other": if the bucket has a description that is different.
   * - "always": if the bucket has a description, even if it is the same.
   */
  readonly renews: "no" | "if other" | "always";
}

/**
 * Publishes the description of a node, if the bucket has another description or no description. The
 * description names only public repositories. Whether each repository is public is checked before and after
 * each put.
 *
 * @returns The repositories that the description names.
 * @throws {BucketError} when the bucket fails.
 * @throws {ChangedMeanwhile} when the bucket got another description during the put, or repositories keep
 *   becoming private.
 * @throws {UnavailableError} when the databases of the node cannot be read.
 */
export async function publishNode(
  options: NodePublisherOptions,
  source: NodeSource,
  { published, isPublic, renews }: NodePublicationOptions,
): Promise<ReadonlySet<RepoId>> {
  const { bucket } = options;
  const shown = new Set(published);
  const dropPrivate = async () => {
    const before = shown.size;
    for (const rid of shown) if (!await isPublic(rid)) shown.delete(rid);
    return shown.size < before;
  };
  await dropPrivate();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { description, tables } = await describeNode(options, source, shown);
    const found = await readObject(bucket, NODE);
    const isEnough = found.value === undefined
      ? renews !== "no"
      : renews !== "always" && isSame(found.value, description);
    if (isEnough) return shown;
    for (const name of TABLES) await putPages(bucket, FACTS[name], tables[name].pages);
    await replaceObject(bucket, NODE, description, found);
    if (!await dropPrivate()) return shown;
  }
  throw new ChangedMeanwhile(NODE.key);
}

/** Returns the keys of the pages of facts that the description in the bucket names. */
export async function namedSnapshots(bucket: Bucket): Promise<readonly string[]> {
  const { value: node } = await readObject(bucket, NODE);
  return TABLES.flatMap((name) => {
    const table = node?.[name];
    return table !== undefined && "pages" in table ? keysOf(FACTS[name], table.pages) : [];
  });
}

/** Returns the parts of a configuration that responses show to every client. */
function publicConfig(config: Readonly<Record<string, unknown>> | undefined): PublicConfig | null {
  if (config === undefined) return null;
  const web = (config["web"] ?? {}) as Readonly<Record<string, unknown>>;
  const texts = ["avatarUrl", "bannerUrl", "description"].map((name) => [name, web[name]] as const)
    .filter(([, value]) => typeof value === "string" && value.length <= MAX_WEB_TEXT_LENGTH);
  return { node: { ...defaultPolicy(config) }, web: Object.fromEntries(texts) };
}

async function describeNode(
  { deflate, now, task }: NodePublisherOptions,
  { profile, node }: NodeSource,
  published: ReadonlySet<RepoId>,
) {
  const isPublished = (rid: RepoId) => published.has(rid);
  const nodes = await node.knownNodes?.() ?? [profile.nodeId];
  const inventories = new Map<NodeId, readonly RepoId[]>();
  for (const nid of new Set([profile.nodeId, ...nodes])) {
    const offered = (await node.inventory(nid)).filter(isPublished).slice(0, MAX_NODE_ROWS);
    if (offered.length > 0) inventories.set(nid, offered);
    await task.yield();
  }
  const tables = {
    aliases: encodeNodeSnapshot(await node.aliases(nodes), deflate),
    seedCounts: encodeNodeSnapshot(await node.seedCounts([...published]), deflate),
    inventories: encodeNodeSnapshot(inventories, deflate),
  };
  const policies = (await node.policies()).filter(({ rid }) => isPublished(rid));
  const pinned = (await profile.pinned()).filter(isPublished).slice(0, MAX_NODE_ROWS);
  const text = (value: string | undefined) => value?.slice(0, MAX_NODE_TEXT_LENGTH) || null;
  const description: NodeDescription = {
    format: PUBLISHED_FORMAT,
    publishedAtMs: Math.floor(now()),
    nodeId: profile.nodeId,
    alias: text(profile.alias),
    state: (await node.status()).state,
    agent: text(await node.agent?.(profile.nodeId)),
    config: publicConfig(await profile.config?.()),
    pinned,
    policies: policies.map(({ rid, scope, policy }) => ({ rid, scope, policy })).slice(0, MAX_NODE_ROWS),
    aliases: tables.aliases.table,
    seedCounts: tables.seedCounts.table,
    inventories: tables.inventories.table,
  };
  return { description, tables };
}

function isSame(a: NodeDescription, b: NodeDescription): boolean {
  const publishedAtMs = 0;
  return JSON.stringify({ ...a, publishedAtMs }) === JSON.stringify({ ...b, publishedAtMs });
}
