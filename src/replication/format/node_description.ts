/**
 * Public facts about the node that are in no repository: all that the answers of a replica need besides
 * repositories. Of the configuration there is only what answers show to everybody.
 */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import type { RepoId } from "../../ids/rid.ts";
import { type FactTable, factTableSchema } from "./node_snapshot.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { decodeSealed, encodeSealed } from "./sealed_json.ts";
import { NidSchema, RidSchema, TimeMsSchema, wholeNumber } from "./schemas.ts";

/** Most bytes of the description. */
export const MAX_NODE_BYTES = 2 ** 24;
/** Most characters of an alias or a user agent. */
export const MAX_NODE_TEXT_LENGTH = 1024;
/** Most characters of a text for web pages. */
export const MAX_WEB_TEXT_LENGTH = 2 ** 20;
/** Most rows of a list: policies, pinned repositories, an inventory. */
export const MAX_NODE_ROWS = 200_000;

/** A seeding policy of a public repository. */
export interface PublishedPolicy {
  readonly rid: RepoId;
  readonly scope: "followed" | "all";
  readonly policy: "allow" | "block";
}

/** Parts of the configuration that every client of the home sees. */
export interface PublicConfig {
  /** The policy of repositories without one of their own. */
  readonly node: { readonly policy: "allow" | "block"; readonly scope: "followed" | "all" };
  /** Texts and pictures for web pages. */
  readonly web: {
    readonly avatarUrl?: string;
    readonly bannerUrl?: string;
    readonly description?: string;
  };
}

/** The description of the node. */
export interface NodeDescription {
  readonly format: typeof PUBLISHED_FORMAT;
  readonly publishedAtMs: number;
  readonly nodeId: NodeId;
  readonly alias: string | null;
  readonly state: "running" | "stopped";
  /** User agent of the node's programs, if it is known. */
  readonly agent: string | null;
  /** Null on a host without a configuration. */
  readonly config: PublicConfig | null;
  /** Pinned public repositories, in the configured order. */
  readonly pinned: readonly RepoId[];
  /** Number of further pinned repositories, which are not published. */
  readonly otherPinned: number;
  /** Policies of public repositories, in the order of their creation. */
  readonly policies: readonly PublishedPolicy[];
  /** Node → its alias. */
  readonly aliases: FactTable<string>;
  /** Published repository → number of nodes that are known to seed it. */
  readonly seedCounts: FactTable<number>;
  /** Node → published repositories that it offers, sorted as `RadicleNode.inventory` returns them. */
  readonly inventories: FactTable<readonly RepoId[]>;
}

const NodeText = v.pipe(v.string(), v.maxLength(MAX_NODE_TEXT_LENGTH));
/** Schemas of the values in the tables. */
export const FACT_VALUES: {
  readonly aliases: v.GenericSchema<string>;
  readonly seedCounts: v.GenericSchema<number>;
  readonly inventories: v.GenericSchema<readonly RepoId[]>;
} = {
  aliases: NodeText,
  seedCounts: wholeNumber(0, 2 ** 32),
  inventories: v.pipe(v.array(RidSchema), v.maxLength(MAX_NODE_ROWS)),
};

const WebText = v.exactOptional(v.pipe(v.string(), v.maxLength(MAX_WEB_TEXT_LENGTH)));

const NodeSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  publishedAtMs: TimeMsSchema,
  nodeId: NidSchema,
  alias: v.nullable(NodeText),
  state: v.picklist(["running", "stopped"]),
  agent: v.nullable(NodeText),
  config: v.nullable(v.strictObject({
    node: v.strictObject({ policy: v.picklist(["allow", "block"]), scope: v.picklist(["followed", "all"]) }),
    web: v.strictObject({ avatarUrl: WebText, bannerUrl: WebText, description: WebText }),
  })),
  pinned: v.pipe(v.array(RidSchema), v.maxLength(MAX_NODE_ROWS)),
  otherPinned: wholeNumber(0, MAX_NODE_ROWS),
  policies: v.pipe(
    v.array(v.strictObject({
      rid: RidSchema,
      scope: v.picklist(["followed", "all"]),
      policy: v.picklist(["allow", "block"]),
    })),
    v.maxLength(MAX_NODE_ROWS),
  ),
  aliases: factTableSchema(FACT_VALUES.aliases),
  seedCounts: factTableSchema(FACT_VALUES.seedCounts),
  inventories: factTableSchema(FACT_VALUES.inventories),
});

/** Encodes the description. */
export function encodeNode(node: NodeDescription): Uint8Array<ArrayBuffer> {
  return encodeSealed(node);
}

/**
 * Decodes the description.
 *
 * @throws {DamagedError} when it is damaged or of another version.
 */
export function decodeNode(bytes: Uint8Array): NodeDescription {
  return decodeSealed(bytes, NodeSchema, MAX_NODE_BYTES) as NodeDescription;
}
