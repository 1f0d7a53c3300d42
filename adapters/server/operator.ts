/** The interface of an operator to a service: its own paths, ids of requests, logs and metrics. */
import type { Client, RequestEvent, RequestShare, WorkerFigures } from "../../mod.ts";
import type { Connections } from "./connections.ts";
import type { Handler } from "./handler.ts";

/** Head of a request as it arrived. */
export interface RequestHead {
  readonly method?: string | undefined;
  /** Target of the request, usually a path with a query. */
  readonly url?: string | undefined;
  /** Names and values of the header fields, alternating. */
  readonly rawHeaders: readonly string[];
}

/**
 * Returns the values of a header field, one for each line.
 *
 * @param name In lower case.
 */
export function valuesOf({ rawHeaders }: RequestHead, name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const given = rawHeaders[i]!;
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  }
  return values;
}

/** The answer to a request, as the server has sent it. */
export interface Exchange {
  readonly status: number;
  /** Bytes that were sent, including the head of the answer. */
  readonly bytes: number;
  /** Time from the head of the request to the end of the answer, in seconds. */
  readonly seconds: number;
}

/** Reason, in one word, for which a service is not ready. */
export type Unreadiness = "starting" | "stopping" | "home" | "bucket" | "stale" | "socket";

/** Status and figures of a service. */
export interface ServiceView {
  /** Reason for which the service is not ready; `undefined` when it is ready. Never rejects. */
  unreadiness(): Promise<Unreadiness | undefined>;
  /** Current figures; some are missing while the service starts. */
  figures(): ServiceFigures;
}

export interface ServiceFigures {
  readonly connections?: Pick<Connections, "size" | "limits"> | undefined;
  /** Bytes of large answers that are being sent. */
  readonly answerBytes?: number;
  readonly workers?: WorkerFigures | undefined;
  /** Number of tasks that wait in the queues of the thread. */
  readonly waiting?: number;
  /** Processes of git, and requests that wait for such a process. */
  readonly git?: { readonly running: number; readonly waiting: number } | undefined;
  /** Times of the state that a replica shows and of its publisher, in milliseconds since the epoch. */
  readonly freshness?: {
    readonly publishedAtMs?: number;
    readonly confirmedAtMs?: number;
    readonly publisherSeenAtMs?: number;
  };
}

/** Operates the servers of a service. No method may throw. */
export interface Operator {
  /** Limits how many expensive requests each client may send; no limit by default. */
  readonly share?: RequestShare | undefined;
  /** Returns the address of the client of a request, for limits of one client. */
  readonly addressOf: (request: Request) => string | undefined;
  /** Adds the paths of the service itself to a handler. */
  wrap(handler: Handler, service: ServiceView): Handler;
  /** Returns the id of a request, for answers with status 500 and above and for lines of logs. */
  readonly idOf: (request: Request) => string;
  /** Called when a request has arrived. */
  begin(request: Request, client: Client | undefined, head: RequestHead): void;
  /**
   * Called when the API has answered a request or a part of it, but not for requests that never reach the
   * API.
   */
  readonly answered: (event: RequestEvent) => void;
  /** Called when the answer to a request has been sent, or never will be. */
  end(request: Request, exchange: Exchange): void;
  /** Called when the service is about to end. */
  stopping(): void;
}
