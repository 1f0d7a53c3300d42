/** A service on a Radicle home, put together from the parts that a runtime brings. The same for every runtime. */
import { type ApiOptions, createApi, type LoadLibgit2, type Storage } from "../mod.ts";
import type { FileSystem } from "../src/ports/file_system.ts";
import type { Inflate } from "../src/ports/inflate.ts";
import { type HomeProfile, loadHomeProfile } from "../src/profile/home_profile.ts";
import { createHomeStorage } from "../src/storage/home/storage.ts";
import { type Address, DEFAULT_ADDRESS, formatAddress } from "./address.ts";
import type { Handler } from "./handler.ts";
import { log } from "./log.ts";
import type { Server, ServerOptions } from "./server.ts";

/** What a runtime brings. */
export interface Runtime {
  readonly fileSystem: FileSystem;
  readonly inflate: Inflate;
  readonly loadLibgit2: LoadLibgit2;
  createServer(handler: Handler, options: ServerOptions): Promise<Server>;
}

/** What is served, and where. The log goes to standard error unless `environment` has another. */
export interface ServeOptions extends Omit<ApiOptions, "storage" | "profile" | "loadLibgit2"> {
  /** Path of the Radicle home. */
  readonly home: string;
  /** Where to listen; {@link DEFAULT_ADDRESS} by default. */
  readonly listen?: readonly Address[];
  /** Name of the user: the node's alias when the home has no `config.json`. */
  readonly user?: () => string | undefined;
}

/** A running service. */
export interface HomeServer {
  readonly profile: HomeProfile;
  readonly storage: Storage;
  /** Where it listens, with the real ports. */
  readonly addresses: readonly Address[];
  /** The same as URLs. */
  readonly urls: readonly string[];
  /** Accepts no more connections, lets running requests finish, and ends within two seconds. */
  close(): Promise<void>;
}

/**
 * Serves a Radicle home; the sockets accept connections when the promise resolves.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {Error} with the operating system's `code` when a socket cannot be opened; then none is.
 */
export async function serveHome(options: ServeOptions, runtime: Runtime): Promise<HomeServer> {
  const { home, listen = [DEFAULT_ADDRESS], user, ...rest } = options;
  const { fileSystem, inflate, loadLibgit2 } = runtime;
  const environment = { log, ...options.environment };
  const profile = loadHomeProfile({ home, fileSystem, log: environment.log, ...(user && { user }) });
  const storage = createHomeStorage({ root: `${home}/storage`, fileSystem, inflate, log: environment.log });
  const api = createApi({ ...rest, environment, storage, profile, loadLibgit2 });
  const servers = await listenOn(
    listen,
    (address) => runtime.createServer(api.fetch, { address, log: environment.log }),
  );
  const addresses = servers.map((server) => server.address);
  return {
    profile,
    storage,
    addresses,
    urls: addresses.map(formatAddress),
    close: () => closeAll(servers),
  };
}

async function listenOn(listen: readonly Address[], open: (address: Address) => Promise<Server>) {
  const servers: Server[] = [];
  try {
    for (const address of listen) servers.push(await open(address));
  } catch (error) {
    await closeAll(servers);
    throw error;
  }
  return servers;
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.close()));
}
