/** Types of requests and responses by method and path, derived from the types of the contract. */
import type { Routes } from "./contract.ts";

/** HTTP methods of the routes. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Paths of the routes with a method, written as in docs/api.md. */
export type PathOf<M extends Method> = keyof Routes extends infer Key
  ? Key extends `${M} ${infer Path}` ? Path : never
  : never;

type RouteOf<M extends Method, P extends string> = `${M} ${P}` extends keyof Routes ? Routes[`${M} ${P}`]
  : never;

/** Parameters of the path and the query of a route. */
export type ParamsOf<M extends Method, P extends string> = RouteOf<M, P>["params"];

/** Type of the request body of a route; `undefined` if the route takes no body. */
export type BodyOf<M extends Method, P extends string> = RouteOf<M, P>["body"];

/** Type of the response of a route. */
export type AnswerTo<M extends Method, P extends string> = RouteOf<M, P>["answer"];

/** Paths of the routes that respond with files. */
export type FilePath = {
  [P in PathOf<"GET">]: AnswerTo<"GET", P> extends Uint8Array ? P : never;
}[PathOf<"GET">];

/** Paths of the lists that have pages. */
export type PagedPath = {
  [P in PathOf<"GET">]: "page" extends keyof ParamsOf<"GET", P> ? P : never;
}[PathOf<"GET">];

/**
 * Type of an item of a list that has pages. If the response is an object, the items are in its member
 * `commits`.
 */
export type ItemOf<P extends PagedPath> = AnswerTo<"GET", P> extends infer Answer
  ? Answer extends readonly (infer Item)[] ? Item
  : Answer extends { readonly commits: readonly (infer Item)[] } ? Item
  : never
  : never;
