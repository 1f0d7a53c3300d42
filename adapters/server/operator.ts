/** The operator of a service: paths of its own, ids of requests, logs and metrics. */
import type { Client, RequestEvent, RequestShare, WorkerFigures } from "../../mod.ts";
import type { Connections } from "./connections.ts";
import type { Handler } from "./handler.ts";

/** Head of a request as it came. */
export interface RequestHead {
  readonly method?: string | undefined;
  /** The target, usually a path with its query. */
  readonly url?: string | undefined;
  /** Names and values of the header fields, in turns. */
  readonly rawHeaders: readonly string[];
}

/**
 * Values of a header field, one for each line.
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

/** How a request ended for its server. */
export interface Exchange {
  readonly status: number;
  /** Bytes that were sent, with those of the head. */
  readonly bytes: number;
  /** Time from the head of the request to the end of the answer, in seconds. */
  readonly seconds: number;
}

/** Why a service is not ready, in a word. */
export type Unreadiness = "starting" | "stopping" | "home" | "bucket" | "stale" | "socket";

/** Parts of a service that can be looked at. */
export interface ServiceView {
  /** Why the service is not ready; `undefined` when it is. Never rejects. */
  unreadiness(): Promise<Unreadiness | undefined>;
  /** Figures as they are now; fewer while the service starts. */
  figures(): ServiceFigures;
}

/** Figures of a running service. */
export interface ServiceFigures {
  readonly connections?: Pick<Connections, "size" | "limits"> | undefined;
  /** Bytes of large answers under way. */
  readonly answerBytes?: number;
  readonly workers?: WorkerFigures | undefined;
  /** Amount of work that waits in queues of the thread. */
  readonly waiting?: number;
  /** Processes of git, and requests that wait for one. */
  readonly git?: { readonly running: number; readonly waiting: number } | undefined;
  /** Times in milliseconds since the epoch: of the state that a replica shows, and of its publisher. */
  readonly freshness?: {
    readonly publishedAtMs?: number;
    readonly confirmedAtMs?: number;
    readonly publisherSeenAtMs?: number;
  };
}

/** Operates the servers of a service. No method may throw. */
export interface Operator {
  /** Share of expensive requests that a client may take; none by default. */
  readonly share?: RequestShare | undefined;
  /** The address of the client of a request, for limits of one client. */
  readonly addressOf: (request: Request) => string | undefined;
  /** A handler with the paths of the service itself. */
  wrap(handler: Handler, service: ServiceView): Handler;
  /** Names a request, in answers of status 500 and above and in lines of logs. */
  readonly idOf: (request: Request) => string;
  /** A request has come. */
  begin(request: Request, client: Client | undefined, head: RequestHead): void;
  /** The API has answered a request, or a part of it; not called for requests that never reach it. */
  readonly answered: (event: RequestEvent) => void;
  /** The answer to a request has left, or never will. */
  end(request: Request, exchange: Exchange): void;
  /** The service is about to end. */
  stopping(): void;
}
