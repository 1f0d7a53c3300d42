/**
 * Reads the `config.json` of a Radicle home (specification, 2.15), and fills in defaults for missing members.
 */
import * as v from "valibot";
import { type RepoId, tryParseRid } from "../ids/rid.ts";

/** Maximum length of the alias of a new node, in bytes of UTF-8. */
export const MAX_ALIAS_BYTES = 32;

/**
 * A configuration, as any generation (range of versions) of Radicle writes it.
 *
 * Choice: Only `node.alias` is required. Other members are checked where they are used, because their types
 * differ between generations.
 */
export interface Config {
  readonly node: { readonly alias: string; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

const Config: v.GenericSchema<unknown, Config> = v.looseObject({
  node: v.looseObject({ alias: v.string() }),
});

const Pinned = v.object({ pinned: v.object({ repositories: v.array(v.unknown()) }) });

/**
 * Parses a configuration file. Every alias is accepted, as the Radicle node does.
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

/**
 * Returns the ids of the pinned repositories in the order of the configuration, without duplicates. Invalid
 * repository ids are left out.
 */
export function pinnedRepositories(config: Config): readonly RepoId[] {
  const result = v.safeParse(Pinned, config["web"]);
  if (!result.success) return [];
  const ids = result.output.pinned.repositories.map((id) =>
    typeof id === "string" ? tryParseRid(id) : undefined
  );
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/**
 * Checks whether a text is a valid alias of a new node: 1 to 32 bytes, without white space and control
 * characters.
 */
export function isAlias(text: string): boolean {
  const length = new TextEncoder().encode(text).length;
  return length >= 1 && length <= MAX_ALIAS_BYTES && !/[\p{White_Space}\p{Cc}]/u.test(text);
}

/**
 * Returns the default configuration for a home without `config.json`, as Radicle in early 2024 creates it.
 *
 * @throws {ProfileError} when the alias is not valid for a new node.
 */
export function defaultConfig(alias: string): Config {
  if (!isAlias(alias)) {
    throw new ProfileError(
      `Cannot use the user name "${alias}" as alias: expected 1 to ${MAX_ALIAS_BYTES} bytes without white space`,
    );
  }
  return newConfig(alias);
}

/** Returns the default configuration of Radicle in early 2024. The alias is not checked. */
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

/** Thrown when a Radicle home is unusable. The message is one line for the operator. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Fills in the missing members of a configuration with the defaults of Radicle in early 2024. Given members
 * are not changed. If the configuration has the newer `seedingPolicy`, the older members `policy` and `scope`
 * are derived from it.
 */
export function completeConfig(config: Config): Config {
  const defaults = newConfig(config.node.alias);
  const peers = config.node["peers"];
  return fill({
    ...defaults,
    // Radicle uses these defaults for missing members. In a new file it writes other values.
    preferredSeeds: [],
    cli: { hints: config["cli"] === undefined },
    node: {
      ...defaults.node,
      ...(isObject(peers) && peers["type"] !== "dynamic" && { peers: {} }),
      ...seedingOf(config.node),
    },
  }, config) as Config;
}

/** Adds the older members `policy` and `scope` to the configuration of a running node. */
export function completeNodeConfig(node: JsonObject): JsonObject {
  return { ...seedingOf(node), ...node };
}

function seedingOf({ seedingPolicy }: JsonObject): { policy?: unknown; scope?: unknown } {
  if (!isObject(seedingPolicy)) return {};
  const { default: policy, scope } = seedingPolicy;
  if (policy === "allow") return { policy, scope: scope ?? "all" };
  return policy === undefined ? {} : { policy, scope: "followed" };
}

/**
 * Returns `defaults` with the members of `given`. A given value replaces the default value, but two objects
 * are merged in the same way.
 */
function fill(defaults: JsonObject, given: JsonObject): JsonObject {
  const names = new Set([...Object.keys(defaults), ...Object.keys(given)]);
  return Object.fromEntries([...names].map((name) => {
    if (!Object.hasOwn(given, name)) return [name, defaults[name]];
    const before = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    const now = given[name];
    return [name, isObject(before) && isObject(now) ? fill(before, now) : now];
  }));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
