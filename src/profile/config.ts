/** `config.json` of a Radicle home (2.15): what this service reads of it, and the one it stands in for when there is none. */
import * as v from "valibot";
import { type RepoId, tryParseRid } from "../ids/rid.ts";
import { ProfileError } from "./profile_error.ts";

/** Longest alias that a new node may take, in bytes of UTF-8. */
export const MAX_ALIAS_BYTES = 32;

/**
 * A configuration of any generation.
 *
 * Choice: one member is required and everything else is kept as it stands, checked where it is used. The members and their types differ from
 * one generation of Radicle to the next, and a service that reads two of them has no business refusing a file for the others.
 */
export interface Config {
  readonly node: { readonly alias: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

const Config: v.GenericSchema<unknown, Config> = v.looseObject({
  node: v.looseObject({ alias: v.string() }),
});

/** `web.pinned.repositories`, the way there and back: anything else in its place means that nothing is pinned. */
const Pinned = v.object({ pinned: v.object({ repositories: v.array(v.unknown()) }) });

/**
 * Reads a configuration file. The alias is taken as it is, as the node does.
 *
 * @throws {ProfileError} when the text is not JSON or lacks `node.alias`.
 */
export function parseConfig(text: string): Config {
  const result = v.safeParse(Config, parseJson(text));
  if (!result.success) throw new ProfileError("config.json lacks node.alias");
  return result.output;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProfileError("config.json is not JSON");
  }
}

/** The pinned repositories of a configuration, each once, in its order; what is no repository id is left out. */
export function pinnedRepositories(config: Config): readonly RepoId[] {
  const result = v.safeParse(Pinned, config["web"]);
  if (!result.success) return [];
  const ids = result.output.pinned.repositories.map((id) =>
    typeof id === "string" ? tryParseRid(id) : undefined
  );
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** Whether a new node may call itself this: 1 to 32 bytes without white space and control characters. */
export function isAlias(text: string): boolean {
  const length = new TextEncoder().encode(text).length;
  return length >= 1 && length <= MAX_ALIAS_BYTES && !/[\p{White_Space}\p{Cc}]/u.test(text);
}

/**
 * The configuration of a home without `config.json`: that of a new node, as Radicle wrote it in early 2024.
 *
 * @throws {ProfileError} when the alias is not one that a new node may take.
 */
export function defaultConfig(alias: string): Config {
  if (!isAlias(alias)) {
    throw new ProfileError(
      `Cannot use the user name "${alias}" as alias: expected 1 to ${MAX_ALIAS_BYTES} bytes without white space`,
    );
  }
  return newConfig(alias);
}

/** The configuration that Radicle wrote for a new node in early 2024; the alias may be any. */
export function newConfig(alias: string): Config {
  return {
    publicExplorer: "https://app.radicle.xyz/nodes/$host/$rid$path",
    preferredSeeds: ["z6MkrLMMsiPWUcNPHcRajuMi9mDfYckSoJyPwwnknocNYPm7@seed.radicle.garden:8776"],
    web: { pinned: { repositories: [] } },
    cli: { hints: true },
    node: {
      alias,
      listen: [],
      peers: { type: "dynamic", target: 8 },
      connect: [],
      externalAddresses: [],
      network: "main",
      relay: true,
      limits: {
        routingMaxSize: 1000,
        routingMaxAge: 604800,
        gossipMaxAge: 1209600,
        fetchConcurrency: 1,
        maxOpenFiles: 4096,
        rate: { inbound: { fillRate: 0.2, capacity: 32 }, outbound: { fillRate: 1, capacity: 64 } },
      },
      policy: "block",
      scope: "followed",
    },
  };
}
