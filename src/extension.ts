/**
 * The seam between the core and what goes beyond it. An extension brings routes, may answer a request before
 * its handler, may complete an answer, learns of changes, and is closed with the API. The core imports no
 * extension; an extension imports the core.
 */
import type { RepoId } from "./ids/rid.ts";
import type { ApiExtension } from "./ports/extension.ts";
import type { Answer } from "./http/answer.ts";
import type { RouteNeed, RouteTraits } from "./contract/traits.ts";
import type { AnswerTo, Endpoint } from "./contract/endpoint.ts";
import type { Call, Handler, Route } from "./routes/call.ts";
import type { ApiDialect, Service } from "./routes/service.ts";

/**
 * The route table of these endpoints: a row for each, in their order, whose handler answers what the endpoint
 * says.
 */
export type RoutesOf<Endpoints extends readonly Endpoint[]> = {
  readonly [I in keyof Endpoints]: readonly [
    method: Endpoints[I]["method"],
    pattern: Endpoints[I]["path"],
    handler: Handler<AnswerTo<Endpoints[I]>>,
    traits?: RouteTraits,
  ];
};

/** Facts about a request before its handler runs. */
export interface RouteFacts {
  /** Pattern of the route, such as `/api/v1/projects/:project`. */
  readonly pattern: string;
  /** The repository that the path names, if it names one. */
  readonly rid: RepoId | undefined;
  /** The part that the answer needs and that only the service next to the home has. */
  readonly need: RouteNeed | undefined;
  /** Address of the client, as `addressOf` reads it. */
  readonly address: string | undefined;
}

/**
 * An addition to the API. One object serves one API: {@link Extension.start} runs once.
 *
 * @example
 * ```ts
 * const ping: Extension = {
 *   name: "ping",
 *   routes: () => [["GET", "/api/v1/ping", async () => json({ pong: true })]],
 * };
 * const api = createApi({ storage, profile, loadLibgit2, extensions: [ping] });
 * ```
 */
export interface Extension extends ApiExtension {
  /** Whether clients can search for texts; `/api/v1/info` then says so. */
  readonly isSearchable?: boolean;
  /**
   * Routes for a dialect. They follow the routes of the core: a row with the method and path of an earlier
   * one replaces it.
   */
  routes?(dialect: ApiDialect): readonly Route[];
  /**
   * Takes the parts of the service that the extension works with. Called once, before the first request, and
   * must read nothing yet.
   *
   * @throws {TypeError} for options that cannot be used.
   */
  start?(service: Service): void;
  /** Answers a request before its handler; `undefined` leaves it to the handler. May throw a `CoreError`. */
  answerFirst?(request: Request, route: RouteFacts): Promise<Answer | undefined>;
  /**
   * Completes an answer of a handler, for instance with header fields.
   *
   * @param isChange Whether the request was a change.
   */
  complete?(answer: Answer, call: Call, isChange: boolean): Promise<Answer>;
  /** Called after this API has changed a repository. Must not throw. */
  changed?(rid: RepoId): void;
  /** Amount of work that waits in queues of this thread. */
  waiting?(): number;
  /** Ends the work in the background; resolves when no timers are left. Never rejects. */
  close?(): Promise<void>;
}
