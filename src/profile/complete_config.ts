/** A configuration as clients expect it (2.15): whatever a file leaves out, filled in. */
import { type Config, newConfig } from "./config.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Fills in what a configuration lacks, with what Radicle took for it in early 2024; everything else stays as it is, members that nobody knows
 * included. Where a later file says how to seed in `seedingPolicy`, `policy` and `scope` say the same in the older words.
 */
export function completeConfig(config: Config): Config {
  const defaults = newConfig(config.node.alias);
  const peers = config.node["peers"];
  return fill({
    ...defaults,
    // As opposed to a new file, one without these names no seeds, and one with `cli` gives no hints.
    preferredSeeds: [],
    cli: { hints: config["cli"] === undefined },
    node: {
      ...defaults.node,
      ...(isObject(peers) && peers["type"] !== "dynamic" && { peers: {} }),
      ...seedingOf(config.node),
    },
  }, config) as Config;
}

/** The configuration of a running node: how it seeds is said in the older words as well, whatever its generation. */
export function completeNodeConfig(node: JsonObject): JsonObject {
  return { ...seedingOf(node), ...node };
}

function seedingOf({ seedingPolicy }: JsonObject): { policy?: unknown; scope?: unknown } {
  if (!isObject(seedingPolicy)) return {};
  const { default: policy, scope } = seedingPolicy;
  if (policy === "allow") return { policy, scope: scope ?? "all" };
  return policy === undefined ? {} : { policy, scope: "followed" };
}

/** The members of both, in the order of the first; where both have one, that of the second, or both filled together. */
function fill(defaults: JsonObject, given: JsonObject): JsonObject {
  const names = new Set([...Object.keys(defaults), ...Object.keys(given)]);
  return Object.fromEntries([...names].map((name) => {
    if (!Object.hasOwn(given, name)) return [name, defaults[name]];
    const [before, now] = [Object.hasOwn(defaults, name) ? defaults[name] : undefined, given[name]];
    return [name, isObject(before) && isObject(now) ? fill(before, now) : now];
  }));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
