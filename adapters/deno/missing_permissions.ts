/** The permissions that a service on Deno lacks, as options of `deno run`. */
import type { Address } from "../server/address.ts";
import { DEFAULT_STORE_PORT, isStoreUrl } from "../node/sessions.ts";
import { isGranted, mayConnect, mayRead, mayUse, mayWrite } from "./permission.ts";

/** Files, addresses and services that a command uses. */
export interface Needs {
  /** Absolute path of the home. */
  readonly home: string;
  readonly listen: readonly Address[];
  /** URL of a service that is requested. */
  readonly connect?: string;
  /** Path of the control socket of the node. */
  readonly nodeSocket?: string;
  /** Path of the cache folder, if one was named. */
  readonly cachePath?: string;
  /** Place of the sessions, if they are not in memory: the absolute path of a file, or the URL of a store. */
  readonly sessions?: string;
  /** Absolute path of a folder in which files are made. */
  readonly makesIn?: string;
  /** Whether the home is served, and not only its key used. */
  readonly serves: boolean;
}

/** Missing permissions as options of `deno run`. */
export interface MissingPermissions {
  /** Without these the command cannot run. */
  readonly required: readonly string[];
  /** Without these the service runs, but loses something. */
  readonly optional: readonly { readonly options: readonly string[]; readonly loss: string }[];
}

/** Compares the needs of a command with the permissions that were granted. Nobody is asked for more. */
export function missingPermissions(needs: Needs): MissingPermissions {
  return { required: required(needs), optional: optional(needs) };
}

function required({ home, listen, connect, sessions, makesIn }: Needs): string[] {
  const store = sessions !== undefined && isStoreUrl(sessions) ? sessions : undefined;
  const storeSockets = store !== undefined && isSocketUrl(store) ? [store.slice("unix:".length)] : [];
  const sessionFiles = sessions !== undefined && store === undefined ? [sessions] : storeSockets;
  const hosts = [
    ...listen.flatMap((address) =>
      address.transport === "tcp" ? [hostOf(address.hostname, address.port)] : []
    ),
    ...connect === undefined ? [] : [hostOfUrl(new URL(connect))],
    ...store === undefined || isSocketUrl(store) ? [] : [hostOfUrl(new URL(store))],
  ];
  const sockets = listen.flatMap((address) => address.transport === "unix" ? [address.path] : []);
  return [
    ...option("read", [home, ...sessionFiles, ...sockets].filter((path) => !mayRead(path))),
    ...option(
      "write",
      [...makesIn === undefined ? [] : [makesIn], ...sessionFiles, ...sockets].filter((path) =>
        !mayWrite(path)
      ),
    ),
    ...option("net", [
      ...hosts.filter((host) => !isGranted({ name: "net", host })),
      ...[...storeSockets, ...sockets].map((path) => `unix:${path}`)
        .filter((host) => !isGranted({ name: "net", host })),
    ]),
  ];
}

function optional({ home, nodeSocket, cachePath, serves }: Needs): MissingPermissions["optional"] {
  if (!serves) return [];
  const missing: { options: readonly string[]; loss: string }[] = [];
  if (!mayWrite(home)) {
    missing.push({
      options: [`--allow-write=${home}`],
      loss: "nothing can be changed",
    });
  }
  if (nodeSocket !== undefined && !mayConnect(nodeSocket)) {
    const options = [
      ...option("net", [`unix:${nodeSocket}`]),
      ...mayUse(nodeSocket) || nodeSocket.startsWith(`${home}/`) && mayRead(home)
        ? []
        : option("read", [nodeSocket]),
      ...mayUse(nodeSocket) ? [] : option("write", [nodeSocket]),
    ];
    missing.push({ options, loss: "the running node cannot be asked" });
  }
  if (cachePath !== undefined && !mayUse(cachePath)) {
    missing.push({
      options: [...option("read", [cachePath]), ...option("write", [cachePath])],
      loss: "indexes are not saved",
    });
  }
  return missing;
}

function isSocketUrl(store: string): boolean {
  return /^unix:/i.test(store);
}

function option(kind: "read" | "write" | "net", values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`--allow-${kind}=${values.join()}`];
}

function hostOf(hostname: string, port: number): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

function hostOfUrl({ hostname, port, protocol }: URL): string {
  const usualPort = protocol.startsWith("redis") ? DEFAULT_STORE_PORT : protocol === "https:" ? 443 : 80;
  return `${hostname}:${port || usualPort}`;
}
