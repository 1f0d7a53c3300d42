/**
 * The interface between an operator and a service. An operator adds its own paths to the service, and
 * provides ids of requests, logs and metrics.
 */
import type { Client, RequestEvent, RequestShare, WorkerFigures } from "../../mod.ts";
import type { Connections } from "./connections.ts";
import type { Handler } from "./handler.ts";

/** Request line and header fields of a request, as they arrived. */
export interface RequestHead {
  readonly method?: string | undefined;
  /** Request target, which is usually a path with a query. */
  readonly url?: string | undefined;
  /** Names and values of the header fields. Each name is followed by its value. */
  readonly rawHeaders: readonly string[];
}

/**
 * Returns the values of a header field. The result has one value for each line of the request that has this
 * name.
 *
 * @param name Name of the field in lower case.
 */
export function valuesOf({ rawHeaders }: RequestHead, name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const given = rawHeaders[i]!;
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  }
  return values;
}

/** A response as the server has sent it. */
export interface Exchange {
  readonly status: number;
  /** Number of bytes that were sent, including the header of the response. */
  readonly bytes: number;
  /** Time from the header of the request to the end of the response, in seconds. */
  readonly seconds: number;
}

/** The reason why a service is not ready, as one word. */
export type Unreadiness = "starting" | "stopping" | "home" | "bucket" | "stale" | "socket";

/** Status and figures of a service. */
export interface ServiceView {
  /** Returns the reason why the service is not ready; `undefined` when it is ready. Never rejects. */
  unreadiness(): Promise<Unreadiness | undefined>;
  /** Returns the current figures. Some figures are missing while the service starts. */
  figures(): ServiceFigures;
}

export interface ServiceFigures {
  readonly connections?: Pick<Connections, "size" | "limits"> | undefined;
  /** Total size of the large responses that are being made or sent, in bytes. */
  readonly answerBytes?: number;
  readonly workers?: WorkerFigures | undefined;
  /** Number of tasks that wait in the queues of the thread. */
  readonly waiting?: number;
  /** How many git processes are running, and how many requests wait for a git process. */
  readonly git?: { readonly running: number; readonly waiting: number } | undefined;
  /**
   * For a replica, times of the state that the replica shows, and the time at which its publisher was last
   * seen, in milliseconds since the Unix epoch.
   */
  readonly freshness?: {
    readonly publishedAtMs?: number;
    readonly confirmedAtMs?: number;
    readonly publisherSeenAtMs?: number;
  };
}

/** Operates the servers of a service. The methods must not throw. */
export interface Operator {
  /** Limits the number of expensive requests of each client. By default, there is no limit. */
  readonly share?: RequestShare | undefined;
  /**
   * Returns the address of the client that sent a request, which is used to limit the requests of one client.
   */
  readonly addressOf: (request: Request) => string | undefined;
  /** Returns a handler that also responds to requests for the paths of the service itself. */
  wrap(handler: Handler, service: ServiceView): Handler;
  /**
   * Returns the id of a request. The id is added to responses with a status of 500 or above, and to lines of
   * the log.
   */
  readonly idOf: (request: Request) => string;
  /** Called when a request has arrived. */
  begin(request: Request, client: Client | undefined, head: RequestHead): void;
  /**
   * Called when the API has made the response to a request. The body of the response may still have to be
   * made and sent. Not called for requests that do not reach the API.
   */
  readonly answered: (event: RequestEvent) => void;
  /** Called when the response to a request has been sent, or can no longer be sent. */
  end(request: Request, exchange: Exchange): void;
  /** Called when the service is about to end. */
  stopping(): void;
}
