/** Finds the Deno permissions that a command lacks, as options of `deno run`. */
import { type Address, concreteAddresses } from "../server/address.ts";
import { DEFAULT_STORE_PORT, isStoreUrl } from "../node/sessions.ts";
import { hostOf, isGranted, mayConnect, mayUse } from "./permission.ts";

/** Files, addresses and services that a command uses. */
export interface Needs {
  /** Absolute path of the home. A command that does not sign needs no permission to read the secret key. */
  readonly home?: string;
  /** Whether the command signs with the secret key of the home. */
  readonly signs?: boolean;
  /** Absolute path of another folder that the command reads. */
  readonly folder?: string;
  readonly listen: readonly Address[];
  /** URL of a service to which the command sends requests. */
  readonly connect?: string;
  readonly nodeSocket?: string;
  /** Path of the cache folder, if the command line names one. */
  readonly cachePath?: string;
  /** Absolute path of the file with the sessions, or URL of the store; `undefined` for sessions in memory. */
  readonly sessions?: string;
  /** Absolute path of a folder in which the command makes files. */
  readonly makesIn?: string;
  /** Absolute path of a folder for temporary files of the command. */
  readonly worksIn?: string;
  /** Name of a program that the command runs. */
  readonly runs?: string;
  /** Whether the command serves the home. Otherwise it uses only the key of the home. */
  readonly serves: boolean;
}

export interface MissingPermissions {
  /** Options of `deno run` without which the command cannot run. */
  readonly required: readonly string[];
  /** Options of `deno run` without which the service lacks a feature. */
  readonly optional: readonly { readonly options: readonly string[]; readonly loss: string }[];
}

/** Returns the permissions that a command lacks. Never asks the user for permissions. */
export function missingPermissions(needs: Needs): MissingPermissions {
  return { required: required(needs), optional: optional(needs) };
}

/** Files of a home that are read, except the secret key. */
const READ_IN_HOME = ["config.json", "cobs", "keys/radicle.pub", "node", "storage"];

function required(needs: Needs): string[] {
  const { home, signs, folder, listen, connect, sessions, makesIn, worksIn, runs } = needs;
  const hosts = connect === undefined ? [] : [hostOfUrl(connect)];
  const sockets = [];
  const files = [];
  for (const address of listen.flatMap(concreteAddresses)) {
    if (address.transport === "unix") sockets.push(address.path);
    else hosts.push(hostOf(address.hostname, address.port));
  }
  if (sessions !== undefined) {
    if (!isStoreUrl(sessions)) files.push(sessions);
    else if (/^unix:/i.test(sessions)) sockets.push(sessions.slice("unix:".length));
    else hosts.push(hostOfUrl(sessions));
  }
  const inHome = home === undefined
    ? []
    : [...READ_IN_HOME.map((name) => `${home}/${name}`), ...signs ? [secretKeyOf(home)] : []];
  return [
    ...missing("read", [...inHome, ...present(folder, worksIn), ...files, ...sockets]),
    ...missing("write", [...present(makesIn, worksIn), ...files, ...sockets]),
    ...missing("net", [...hosts, ...sockets.map((path) => `unix:${path}`)]),
    ...missing("run", present(runs)),
  ];
}

function optional({ home, nodeSocket, cachePath, serves }: Needs): MissingPermissions["optional"] {
  if (!serves || home === undefined) return [];
  const ofSocket = nodeSocket === undefined || mayConnect(nodeSocket) ? [] : [
    `--allow-net=unix:${nodeSocket}`,
    ...missing("read", [nodeSocket]),
    ...missing("write", [nodeSocket]),
  ];
  const ofCache = cachePath === undefined || mayUse(cachePath)
    ? []
    : [`--allow-read=${cachePath}`, `--allow-write=${cachePath}`];
  return [
    {
      options: [...missing("read", [secretKeyOf(home)]), ...missing("write", [home])],
      loss: "nothing can be changed",
    },
    { options: ofSocket, loss: "the running node cannot be reached" },
    { options: ofCache, loss: "indexes are not saved" },
  ].filter(({ options }) => options.length > 0);
}

function secretKeyOf(home: string): string {
  return `${home}/keys/radicle`;
}

/**
 * Returns the option of `deno run` for the values that lack a permission; no option if all values have the
 * permission.
 */
function missing(kind: "read" | "write" | "net" | "run", values: readonly string[]): string[] {
  const refused = values.filter((value) => !isGranted(descriptorOf(kind, value)));
  return refused.length === 0 ? [] : [`--allow-${kind}=${refused.join()}`];
}

function descriptorOf(kind: "read" | "write" | "net" | "run", value: string): Deno.PermissionDescriptor {
  if (kind === "net") return { name: kind, host: value };
  return kind === "run" ? { name: kind, command: value } : { name: kind, path: value };
}

function present(...values: readonly (string | undefined)[]): string[] {
  return values.filter((value) => value !== undefined);
}

function hostOfUrl(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol.startsWith("redis") ? DEFAULT_STORE_PORT : protocol === "https:" ? 443 : 80;
  return `${hostname}:${port || usualPort}`;
}
