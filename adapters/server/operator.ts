/**
 * The interface between a server and the code for its operation: ids of requests, logs, metrics, and paths
 * such as `/robots.txt`.
 */
import type { Client, RequestEvent, RequestShare, WorkerFigures } from "../../mod.ts";
import type { Connections } from "./connections.ts";
import type { Handler } from "./handler.ts";

/** Request line and header fields of a request, as they arrived. */
export interface RequestHead {
  readonly method?: string | undefined;
  /** Request target: usually a path with a query. */
  readonly url?: string | undefined;
  /** Names and values of the header fields, alternately. */
  readonly rawHeaders: readonly string[];
}

/**
 * Returns the values of a header field, one for each line with this name.
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

/** A response that was sent. */
export interface Exchange {
  readonly status: number;
  /** Number of bytes that were sent, including the header of the response. */
  readonly bytes: number;
  /** Time from the header of the request to the end of the response, in seconds. */
  readonly seconds: number;
}

/** The reason why a service is not ready, as one word. */
export type Unreadiness = "starting" | "stopping" | "home" | "bucket" | "stale" | "socket";

export interface ServiceView {
  /**
   * Returns the reason why the service is not ready; `undefined` when the service is ready. Never rejects.
   */
  unreadiness(): Promise<Unreadiness | undefined>;
  /** Returns the current figures for metrics. Some figures are `undefined` while the service starts. */
  figures(): ServiceFigures;
}

export interface ServiceFigures {
  readonly connections?: Pick<Connections, "size" | "limits"> | undefined;
  /** Total size of the large responses that are being made or sent, in bytes. */
  readonly answerBytes?: number;
  readonly workers?: WorkerFigures | undefined;
  /** Number of tasks that wait in the queues of the thread. */
  readonly waiting?: number;
  /** Number of running git processes, and of requests that wait for a git process. */
  readonly git?: { readonly running: number; readonly waiting: number } | undefined;
  /**
   * Only for a replica: times of the state that the replica shows, and time at which its publisher was last
   * seen, in milliseconds since the Unix epoch.
   */
  readonly freshness?: {
    readonly publishedAtMs?: number;
    readonly confirmedAtMs?: number;
    readonly publisherSeenAtMs?: number;
  };
}

/** Functions for the operation of a service. The functions must not throw. */
export interface Operator {
  /** Limits the number of expensive requests of each client; unlimited by default. */
  readonly share?: RequestShare | undefined;
  /** Returns the address of the client that sent a request, for limits per client. */
  readonly addressOf: (request: Request) => string | undefined;
  /** Returns a handler that also responds to requests for operation, such as requests for metrics. */
  wrap(handler: Handler, service: ServiceView): Handler;
  /** Returns the id of a request, for log lines and for responses with a status of 500 or above. */
  readonly idOf: (request: Request) => string;
  /** Called when a request has arrived. */
  begin(request: Request, client: Client | undefined, head: RequestHead): void;
  /**
   * Called when the API has made the response to a request. The body may still have to be made and sent. Not
   * called for requests that do not reach the API.
   */
  readonly answered: (event: RequestEvent) => void;
  /** Called when the response to a request has been sent, or can no longer be sent. */
  end(request: Request, exchange: Exchange): void;
  /** Called when the service is about to end. */
  stopping(): void;
}
