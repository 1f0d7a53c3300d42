/**
 * The description of the node: public facts that are not in repositories, but that a replica needs for its
 * responses. It contains only those parts of the node's configuration that responses show to everyone.
 */
import * as v from "valibot";
import type { RepoId } from "../../../src/mod.ts";
import { NODE_KEY } from "./keys.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { type Fact, factsOf, factTableSchema } from "./node_snapshot.ts";
import type { PagedTable } from "./paged_table.ts";
import { NidSchema, RidSchema, TimeMsSchema, wholeNumber } from "./schemas.ts";
import { type Immutable, sealedDocument } from "./sealed_json.ts";

/** Maximum size of the description, in bytes. */
export const MAX_NODE_BYTES = 2 ** 24;
/** Maximum length of an alias or a user agent, in characters. */
export const MAX_NODE_TEXT_LENGTH = 1024;
/** Maximum length of a text for web pages, in characters. */
export const MAX_WEB_TEXT_LENGTH = 2 ** 20;
/** Maximum number of rows of a list: policies, pinned repositories, or an inventory. */
export const MAX_NODE_ROWS = 200_000;

const NodeText = v.pipe(v.string(), v.maxLength(MAX_NODE_TEXT_LENGTH));
const WebText = v.exactOptional(v.pipe(v.string(), v.maxLength(MAX_WEB_TEXT_LENGTH)));
const Policy = v.picklist(["allow", "block"]);
const Scope = v.picklist(["followed", "all"]);

/** The tables of facts about the node. A fact is a key with a value. */
export const FACTS: {
  /** Maps a node to its alias. */
  readonly aliases: PagedTable<Fact<string>>;
  /** Maps a published repository to the number of nodes that are known to seed it. */
  readonly seedCounts: PagedTable<Fact<number>>;
  /**
   * Maps a node to the published repositories that it offers, sorted as `RadicleNode.inventory` returns them.
   */
  readonly inventories: PagedTable<Fact<readonly RepoId[]>>;
} = {
  aliases: factsOf(NodeText),
  seedCounts: factsOf(wholeNumber(0, 2 ** 32)),
  inventories: factsOf(v.pipe(v.array(RidSchema), v.maxLength(MAX_NODE_ROWS))),
};

/** Schema of the parts of the configuration that every client of the home sees. */
const Config = v.strictObject({
  /** The policy for repositories that have no policy of their own. */
  node: v.strictObject({ policy: Policy, scope: Scope }),
  /** Texts and pictures for web pages. */
  web: v.strictObject({ avatarUrl: WebText, bannerUrl: WebText, description: WebText }),
});
export type PublicConfig = Immutable<v.InferOutput<typeof Config>>;

const NodeSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  publishedAtMs: TimeMsSchema,
  nodeId: NidSchema,
  alias: v.nullable(NodeText),
  state: v.picklist(["running", "stopped"]),
  /** User agent of the node's programs; null when it is unknown. */
  agent: v.nullable(NodeText),
  /** Null when the node has no configuration. */
  config: v.nullable(Config),
  /** Pinned public repositories, in the order of the configuration. */
  pinned: v.pipe(v.array(RidSchema), v.maxLength(MAX_NODE_ROWS)),
  /** Policies of public repositories, in the order of their creation. */
  policies: v.pipe(
    v.array(v.strictObject({ rid: RidSchema, scope: Scope, policy: Policy })),
    v.maxLength(MAX_NODE_ROWS),
  ),
  aliases: factTableSchema(FACTS.aliases),
  seedCounts: factTableSchema(FACTS.seedCounts),
  inventories: factTableSchema(FACTS.inventories),
});
export type NodeDescription = Immutable<v.InferOutput<typeof NodeSchema>>;

export const NODE = sealedDocument(NODE_KEY, MAX_NODE_BYTES, NodeSchema);
