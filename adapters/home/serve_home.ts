/** A service on a Radicle home. The same for every runtime. */
import type { Api, Environment, WorkerPool } from "../../mod.ts";
import { type Address, DEFAULT_ADDRESS, formatAddress } from "../server/address.ts";
import { Answers } from "../server/answers.ts";
import { Connections, eventPlacesFor, placesFor, USUAL_DESCRIPTORS } from "../server/connections.ts";
import type { Handler } from "../server/handler.ts";
import { assembleHomeApi, type HomeApi, type HomeOptions, logOf, type OpenHome, openHome } from "./home.ts";
import type { HomeParts } from "./parts.ts";
import type { Operator, ServiceFigures, ServiceView, Unreadiness } from "../server/operator.ts";
import { ListenError, type Server, type ServerOptions } from "../server/server.ts";

/** Puts a handler on a socket, by the means of a runtime. */
export type CreateServer = (handler: Handler, options: ServerOptions) => Promise<Server>;

/** A home, the options of its API, and addresses. */
export interface ServeOptions extends HomeOptions {
  /** Addresses to listen on; {@link DEFAULT_ADDRESS} by default. */
  readonly listen?: readonly Address[];
  /** Connections at a time on all addresses; by default a quarter of the file descriptors, at most 1,024. */
  readonly maxConnections?: number;
  /** Operates the servers: paths of their own, ids and logs of requests; none by default. */
  readonly operator?: Operator | undefined;
}

/**
 * Serves a Radicle home on one runtime; the promise resolves when it answers.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened; then none is.
 */
export type Serve = (options: ServeOptions) => Promise<HomeServer>;

/** A running service. */
export interface HomeServer extends HomeApi {
  /** Addresses with the real ports. */
  readonly addresses: readonly Address[];
  /** The same as URLs. */
  readonly urls: readonly string[];
  /**
   * Accepts no more connections, lets running requests finish within two seconds, and closes the home API.
   */
  close(): Promise<void>;
}

/**
 * Serves a Radicle home. The sockets accept connections as soon as the profile is known; the API is loaded
 * then, and the promise resolves when it is there. Requests that come earlier wait for it.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened; then none is.
 */
export async function serveHome(
  options: ServeOptions,
  parts: HomeParts,
  createServer: CreateServer,
): Promise<HomeServer> {
  const opened = openHome(options, parts);
  const api = Promise.withResolvers<Api>();
  const { operator } = options;
  let isMade = false;
  const unreadiness = (): Unreadiness | undefined => {
    if (!isMade) return "starting";
    if (!listening.isListening) return "socket";
    return isReadable(opened) ? undefined : "home";
  };
  const ask: Handler = async (request, client) => (await api.promise).handle(request, client);
  const answers = new Answers();
  const view: ServiceView = {
    unreadiness: () => Promise.resolve(unreadiness()),
    figures: () => isMade ? figuresOf(listening, answers, made.workers, made.git) : {},
  };
  const handler = operator?.wrap(ask, view) ?? ask;
  const log = logOf(options, parts);
  const listening = await listenOn(handler, { ...options, log, answers }, parts, createServer).catch(
    (error) => {
      opened.fileSystem.close?.();
      throw error;
    },
  );
  const ofOperator = operator && { onRequest: operator.answered, share: operator.share };
  const maxEventReaders = eventPlacesFor(parts.descriptorLimit?.() ?? USUAL_DESCRIPTORS);
  const ofApi = { maxEventReaders, ...ofOperator, ...options, answerRoom: answers };
  const made = await assembleHomeApi(ofApi, parts, opened).catch(
    async (error) => {
      api.promise.catch(() => {});
      api.reject(error);
      await listening.close();
      opened.fileSystem.close?.();
      throw error;
    },
  );
  api.resolve(made.api);
  isMade = true;
  const closing = new AbortController();
  // Errors of the storage surface on the first request.
  const tidying = made.storage.removeStaleLocks(closing.signal).catch(() => {});
  const { warmUp } = await import("./warm_up.ts");
  const warming = warmUp(made.api, options.basePath ?? "", closing.signal, made.workers);
  // Later: it may evaluate hundreds of issues, and nobody waits for it.
  const checking = warming.then(() =>
    made.profile.hasSecretKey && !closing.signal.aborted ? made.checkCobCache(closing.signal) : undefined
  );
  return {
    ...made,
    addresses: listening.addresses,
    urls: listening.urls,
    async close() {
      operator?.stopping();
      closing.abort();
      await listening.close();
      // Closed first: the warm-up may wait for a worker.
      made.workers?.close();
      await Promise.all([warming, tidying, checking]);
      await made.close();
    },
  };
}

/** Figures of a service. */
export function figuresOf(
  { connections }: Listening,
  { bytes }: Answers,
  workers: WorkerPool | undefined,
  git?: ServiceFigures["git"],
): ServiceFigures {
  return { connections, answerBytes: bytes, workers: workers?.figures, git };
}

/** Whether the files of a home can be read: its public key, and the folder of its repositories. */
function isReadable({ home, fileSystem }: OpenHome): boolean {
  try {
    return fileSystem.read(`${home}/keys/radicle.pub`) !== undefined &&
      fileSystem.stat(`${home}/storage`) !== undefined;
  } catch {
    return false;
  }
}

/** Options of the sockets of a service. */
interface ListenOptions extends Pick<ServeOptions, "listen" | "maxConnections" | "operator"> {
  readonly log: Environment["log"];
  readonly answers: Answers;
}

/** The sockets of a service. */
interface Listening extends Pick<HomeServer, "addresses" | "urls"> {
  readonly connections: Connections;
  /** Whether all of them accept connections. */
  readonly isListening: boolean;
  close(): Promise<void>;
}

/** Opens all sockets of a service. Rejects with `ListenError` when one cannot be opened; then none is. */
export async function listenOn(
  handler: Handler,
  { listen = [DEFAULT_ADDRESS], log, answers, operator, ...options }: ListenOptions,
  { descriptorLimit }: Pick<HomeParts, "descriptorLimit">,
  createServer: CreateServer,
): Promise<Listening> {
  const { maxConnections = placesFor(descriptorLimit?.() ?? USUAL_DESCRIPTORS) } = options;
  const connections = new Connections({ maxConnections });
  const servers: Server[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  for (const address of listen) {
    try {
      servers.push(await createServer(handler, { address, log, connections, answers, operator }));
    } catch (error) {
      await close();
      throw new ListenError(address, error);
    }
  }
  const addresses = servers.map(({ address }) => address);
  return {
    addresses,
    urls: addresses.map(formatAddress),
    connections,
    get isListening() {
      return servers.every(({ isListening }) => isListening !== false);
    },
    close,
  };
}
