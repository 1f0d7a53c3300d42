/**
 * The interface between the core and the extensions. An extension adds routes, may answer a request before
 * its handler, may complete an answer, is called after changes, and is closed with the API. The core imports
 * no extension. Extensions import the core.
 */
import type { RepoId } from "./ids/rid.ts";
import type { ApiExtension } from "./ports/extension.ts";
import type { Answer } from "./http/answer.ts";
import type { DocumentDialect, DocumentPart } from "./contract/openapi.ts";
import type { RouteTraits } from "./contract/traits.ts";
import type { AnswerTo, Endpoint } from "./contract/endpoint.ts";
import type { Call, Handler, Route } from "./routes/call.ts";
import type { ApiDialect, Service } from "./routes/service.ts";

/**
 * The route table of these endpoints: one row per endpoint, in their order. The type of each handler follows
 * from its endpoint.
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
  /** A function that the answer needs and that only the service on the home has, such as `change`. */
  readonly need: string | undefined;
  /** Address of the client, as returned by `addressOf`. */
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
  /** Whether clients can search for texts; reported by `/api/v1/info`. */
  readonly isSearchable?: boolean;
  /**
   * Routes for a dialect. They come after the routes of the core. A row with the method and path of an
   * earlier row replaces it.
   */
  routes?(dialect: ApiDialect): readonly Route[];
  /**
   * Loads the part of the OpenAPI document that describes these routes: their paths, and the components that
   * the document of the core lacks. A path of the core with the same template is replaced. Called before the
   * first answer of the document, for services with version 1. Routes without a part are not described.
   */
  document?(dialect: DocumentDialect): Promise<DocumentPart>;
  /**
   * Passes the service to the extension. Called once, before the first request. It must not read anything
   * yet.
   *
   * @throws {TypeError} for invalid options.
   */
  start?(service: Service): void;
  /** Answers a request before its handler; `undefined` leaves it to the handler. May throw a `CoreError`. */
  answerFirst?(request: Request, route: RouteFacts): Promise<Answer | undefined>;
  /**
   * Completes an answer of a handler, for instance with header fields. Answers that show a private repository
   * to the owner are not passed.
   *
   * @param isChange Whether the request was a change.
   */
  complete?(answer: Answer, call: Call, isChange: boolean): Promise<Answer>;
  /**
   * Called after this API has changed a repository. Must not throw. It is not called for changes by other
   * programs, such as a push; the node reports them (`RadicleNode.watchChanges`).
   */
  changed?(rid: RepoId): void;
  /** Number of pieces of work that wait in the queues of this thread. */
  waiting?(): number;
  /** Ends the background work. Resolves when no timers are left. Never rejects. */
  close?(): Promise<void>;
}
