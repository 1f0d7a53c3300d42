/** A service on a Radicle home. The same code serves all runtimes. */
import type { Api } from "../../mod.ts";
import { Answers } from "../server/answers.ts";
import { eventPlacesFor } from "../server/connections.ts";
import type { Handler } from "../server/handler.ts";
import type { ServiceView, Unreadiness } from "../server/operator.ts";
import { assembleHomeApi, type HomeApi, type HomeOptions, logOf, openHome } from "./home.ts";
import { type CreateServer, figuresOf, listenOn, type OpenSockets, type SocketOptions } from "./listen.ts";
import type { HomeParts } from "./parts.ts";

/** A home, options of its API, and addresses. */
export interface ServeOptions extends HomeOptions, SocketOptions {
  /**
   * Whether the service makes some answers before clients request them, so that the first clients wait less;
   * on by default.
   */
  readonly warmUp?: boolean | undefined;
}

/**
 * Serves a Radicle home on one runtime; the promise resolves when the service answers.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened; then no socket stays open.
 */
export type Serve = (options: ServeOptions) => Promise<HomeServer>;

/** A running service on a home. */
export interface HomeServer extends HomeApi, OpenSockets {
  /**
   * Accepts no more connections, lets running requests finish within two seconds, and closes the API of the
   * home.
   */
  close(): Promise<void>;
}

/**
 * Serves a Radicle home. The sockets accept connections after the profile was read. Then the API is loaded,
 * and the promise resolves. Earlier requests wait for the API.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened; then no socket stays open.
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
  // Errors of the storage appear at the first request.
  const tidying = made.storage.removeStaleLocks(closing.signal).catch(() => {});
  const warming = options.warmUp === false
    ? Promise.resolve()
    : (await import("./warm_up.ts")).warmUp(made.api, options.basePath ?? "", closing.signal, made.workers);
  // Starts after the warm-up: it may evaluate hundreds of issues, and no client waits for it.
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
      // The workers close at the same time, because the warm-up may wait for one.
      await Promise.all([made.workers?.close(), warming, tidying, checking]);
      await made.close();
    },
  };
}

/** Whether the files of a home can be read: its public key and the folder of its repositories. */
function isReadable(home: string, { fileSystem }: HomeParts): boolean {
  try {
    return fileSystem.read(`${home}/keys/radicle.pub`) !== undefined &&
      fileSystem.stat(`${home}/storage`) !== undefined;
  } catch {
    return false;
  }
}
