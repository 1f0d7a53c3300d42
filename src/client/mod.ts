/**
 * A typed client of the service, for browsers, Deno, Bun and Node.js. The types come from the OpenAPI
 * document of the service. The client needs no other module of this package.
 *
 * @module
 */
export {
  type Client,
  type ClientOptions,
  type ConsistencyTokens,
  createClient,
  type RequestOptions,
} from "./client.ts";
export type { ClientEvent, EventOptions } from "./events.ts";
export { ClientError, type ClientErrorCode } from "./client_error.ts";
export type { AnswerTo, BodyOf, FilePath, ItemOf, Method, PagedPath, ParamsOf, PathOf } from "./routes.ts";
export type { SessionSigner } from "./sign_in.ts";
export type * from "./contract.ts";
