/** Completes a configuration to the form that clients expect (2.15). */
import { type Config, newConfig } from "./config.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Completes a configuration with the defaults of Radicle in early 2024. All other members stay as they are,
 * unknown ones included. If the file has the newer `seedingPolicy`, the older members `policy` and `scope`
 * are derived from it.
 */
export function completeConfig(config: Config): Config {
  const defaults = newConfig(config.node.alias);
  const peers = config.node["peers"];
  return fill({
    ...defaults,
    // Defaults of a file that lacks these members; a new file names seeds and shows hints.
    preferredSeeds: [],
    cli: { hints: config["cli"] === undefined },
    node: {
      ...defaults.node,
      ...(isObject(peers) && peers["type"] !== "dynamic" && { peers: {} }),
      ...seedingOf(config.node),
    },
  }, config) as Config;
}

/**
 * Completes the configuration of a running node: adds the older members `policy` and `scope`, whatever its
 * generation.
 */
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
 * Merges two objects, in the member order of the first. The second wins; objects in both are merged
 * recursively.
 */
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
