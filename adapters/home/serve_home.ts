/** Runs a service on a Radicle home, on any runtime. */
import type { Api } from "../../mod.ts";
import { Answers } from "../server/answers.ts";
import { eventPlacesFor } from "../server/connections.ts";
import type { Handler } from "../server/handler.ts";
import type { ServiceView, Unreadiness } from "../server/operator.ts";
import { assembleHomeApi, type HomeApi, type HomeOptions, logOf, openHome } from "./home.ts";
import { type CreateServer, figuresOf, listenOn, type OpenSockets, type SocketOptions } from "./listen.ts";
import type { HomeParts } from "./parts.ts";

export interface ServeOptions extends HomeOptions, SocketOptions {
  /**
   * Whether the service prepares some responses when it starts, so that the first clients wait less; `true`
   * by default.
   */
  readonly warmUp?: boolean | undefined;
}

/**
 * Serves a Radicle home. The promise resolves when the service can answer requests.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened. All other sockets are then closed again.
 */
export type Serve = (options: ServeOptions) => Promise<HomeServer>;

export interface HomeServer extends HomeApi, OpenSockets {
  /**
   * Stops accepting connections, lets running requests finish within two seconds, and closes the API of the
   * home.
   */
  close(): Promise<void>;
}

/**
 * Serves a Radicle home. The sockets accept connections as soon as the profile is read. Requests wait until
 * the API is loaded. The promise resolves when the API is loaded.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened. All other sockets are then closed again.
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
    return isReadable(opened.home, parts) ? undefined : "home";
  };
  const ask: Handler = async (request, client) => (await api.promise).handle(request, client);
  const answers = new Answers();
  const view: ServiceView = {
    unreadiness: () => Promise.resolve(unreadiness()),
    figures: () => isMade ? figuresOf(listening, answers, made) : {},
  };
  const handler = operator?.wrap(ask, view) ?? ask;
  const log = logOf(options, parts);
  const listening = await listenOn(handler, { ...options, log, answers }, parts, createServer);
  const ofApi = {
    maxEventReaders: eventPlacesFor(parts.descriptorLimit?.()),
    ...operator && { onRequest: operator.answered },
    ...options,
    clients: {
      ...operator && { share: operator.share, addressOf: operator.addressOf },
      ...options.clients,
    },
    answerRoom: answers,
  };
  const made = await assembleHomeApi(ofApi, parts, opened).catch(
    async (error) => {
      api.promise.catch(() => {});
      api.reject(error);
      await listening.close();
      throw error;
    },
  );
  api.resolve(made.api);
  isMade = true;
  const closing = new AbortController();
  // An error of the storage is ignored, because the first request fails with the same error.
  const tidying = made.storage.removeStaleLocks(closing.signal).catch(() => {});
  const warming = options.warmUp === false
    ? Promise.resolve()
    : (await import("./warm_up.ts")).warmUp(made.api, options.basePath ?? "", closing.signal, made.workers);
  // The check of the database of `rad` starts after the warm-up, because no client waits for the check.
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
      // The workers are closed while the warm-up ends, because the warm-up may wait for a worker.
      await Promise.all([made.workers?.close(), warming, tidying, checking]);
      await made.close();
    },
  };
}

/** Checks whether the public key of a home and the folder of its repositories can be read. */
function isReadable(home: string, { fileSystem }: HomeParts): boolean {
  try {
    return fileSystem.read(`${home}/keys/radicle.pub`) !== undefined &&
      fileSystem.stat(`${home}/storage`) !== undefined;
  } catch {
    return false;
  }
}
