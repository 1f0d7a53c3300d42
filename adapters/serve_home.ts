/** A service on a Radicle home. The same for every runtime. */
import type { Api } from "../mod.ts";
import { type Address, DEFAULT_ADDRESS, formatAddress } from "./address.ts";
import { Answers } from "./answers.ts";
import { Connections, placesFor } from "./connections.ts";
import type { Handler } from "./handler.ts";
import { createHomeApi, type HomeApi, type HomeOptions, type HomeParts, loadProfile, logOf } from "./home.ts";
import { ListenError, type Server, type ServerOptions } from "./server.ts";
import { warmUp } from "./warm_up.ts";

/** How a runtime puts a handler on a socket. */
export type CreateServer = (handler: Handler, options: ServerOptions) => Promise<Server>;

/** What is served, and where. */
export interface ServeOptions extends HomeOptions {
  /** Where to listen; {@link DEFAULT_ADDRESS} by default. */
  readonly listen?: readonly Address[];
  /** Connections at a time on all addresses; by default a quarter of the file descriptors, at most 1,024. */
  readonly maxConnections?: number;
}

/** A running service. */
export interface HomeServer extends HomeApi {
  /** Where it listens, with the real ports. */
  readonly addresses: readonly Address[];
  /** The same as URLs. */
  readonly urls: readonly string[];
  /** Accepts no more connections, lets running requests finish, and ends within two seconds. */
  close(): Promise<void>;
}

/**
 * Serves a Radicle home. The sockets accept connections as soon as the profile is known; the API is loaded then, and the promise resolves
 * when it is there. Requests that come earlier wait for it.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened; then none is.
 */
export async function serveHome(
  options: ServeOptions,
  parts: HomeParts,
  createServer: CreateServer,
): Promise<HomeServer> {
  const profile = loadProfile(options, parts);
  const api = Promise.withResolvers<Api>();
  const handler: Handler = async (request, client) => (await api.promise).handle(request, client);
  const { maxConnections = placesFor(parts.descriptorLimit()) } = options;
  const connections = new Connections({ maxConnections });
  const answers = new Answers();
  const servers = await listenOn(
    options.listen ?? [DEFAULT_ADDRESS],
    (address) => createServer(handler, { address, log: logOf(options), connections, answers }),
  );
  const made = await createHomeApi({ ...options, answerRoom: answers }, parts, profile).catch(
    async (error) => {
      api.promise.catch(() => {});
      api.reject(error);
      await closeAll(servers);
      throw error;
    },
  );
  api.resolve(made.api);
  const closing = new AbortController();
  if (profile.hasSecretKey) void made.checkCobCache(closing.signal);
  // What is wrong with the storage is told to those who ask for something.
  const tidying = made.storage.removeLeftLocks(closing.signal).catch(() => {});
  const warming = warmUp(made.api, options.basePath ?? "", closing.signal);
  void warming.then(() => made.workers?.warmUp());
  const addresses = servers.map((server) => server.address);
  return {
    ...made,
    addresses,
    urls: addresses.map(formatAddress),
    async close() {
      closing.abort();
      await closeAll(servers);
      // In this order: what is still warmed up may wait for a worker.
      made.workers?.close();
      await warming;
      await tidying;
      await made.node.close();
      made.storage.close();
    },
  };
}

async function listenOn(
  addresses: readonly Address[],
  open: (address: Address) => Promise<Server>,
): Promise<readonly Server[]> {
  const servers: Server[] = [];
  for (const address of addresses) {
    try {
      servers.push(await open(address));
    } catch (error) {
      await closeAll(servers);
      throw new ListenError(address, error);
    }
  }
  return servers;
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.close()));
}
