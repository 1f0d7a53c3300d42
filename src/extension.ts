/**
 * The interface between the core and the extensions. An extension adds routes, may answer a request before
 * its handler, and may complete a response. The core imports no extension.
 */
import type { RepoId } from "./ids/rid.ts";
import type { ApiExtension } from "./ports/extension.ts";
import type { Answer } from "./http/answer.ts";
import type { DocumentDialect, DocumentPart } from "./contract/openapi.ts";
import type { RouteTraits } from "./contract/traits.ts";
import type { AnswerTo, Endpoint } from "./contract/endpoint.ts";
import type { Call, Handler, Route } from "./routes/call.ts";
import type { ApiDialect, Service } from "./routes/service.ts";

/** Type of the route table for a list of endpoints, with one row for each endpoint in the same order. */
export type RoutesOf<Endpoints extends readonly Endpoint[]> = {
  readonly [I in keyof Endpoints]: readonly [
    method: Endpoints[I]["method"],
    pattern: Endpoints[I]["path"],
    handler: Handler<AnswerTo<Endpoints[I]>>,
    traits?: RouteTraits,
  ];
};

/** Facts about a request that are known before its handler runs. */
export interface RouteFacts {
  /** Pattern of the route, such as `/api/v1/projects/:project`. */
  readonly pattern: string;
  /** Id of the repository in the path; `undefined` if the path has no repository. */
  readonly rid: RepoId | undefined;
  /**
   * A feature that only the service on the Radicle home has and that the request needs, such as `change`;
   * `undefined` if every service can answer.
   */
  readonly need: string | undefined;
  readonly address: string | undefined;
}

/**
 * An addition to the API. One object serves one API, because {@link Extension.start} runs once.
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
  /** Whether the extension can search in texts. `/api/v1/info` shows whether any extension can. */
  readonly isSearchable?: boolean;
  /**
   * Returns the routes of the extension for a dialect. A route with the method and path of an earlier route
   * (of the core or another extension) replaces the earlier route.
   */
  routes?(dialect: ApiDialect): readonly Route[];
  /**
   * Loads the part of the OpenAPI document that describes the routes of the extension. Called before the
   * document is first sent. A path of the extension replaces the same path of the core. Without this method,
   * the document does not describe the routes.
   */
  document?(dialect: DocumentDialect): Promise<DocumentPart>;
  /**
   * Receives the service. Called once, before the first request. The extension must not read data in this
   * method.
   *
   * @throws {TypeError} when an option of the extension is invalid.
   */
  start?(service: Service): void;
  /**
   * Answers a request before its handler. Returns `undefined` to let the handler answer. May throw a
   * `CoreError`.
   */
  answerFirst?(request: Request, route: RouteFacts): Promise<Answer | undefined>;
  /**
   * Completes the response of a handler, for instance with header fields. Not called for responses that show
   * a private repository to the owner.
   *
   * @param isChange Whether the request was a change.
   */
  complete?(answer: Answer, call: Call, isChange: boolean): Promise<Answer>;
  /**
   * Called after this API has changed a repository. Must not throw. Changes by other programs, such as a
   * push, are reported by the node instead (`RadicleNode.watchChanges`).
   */
  changed?(rid: RepoId): void;
  /** Number of jobs of the extension that wait in the queues of this thread. */
  waiting?(): number;
  /**
   * Ends the background work of the extension. The promise resolves when no timers are left, and never
   * rejects.
   */
  close?(): Promise<void>;
}
