/** Types of requests and answers by method and path, from the types of the contract. */
import type { Routes } from "./contract.ts";

/** Methods of routes. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Paths of routes with a method, written as in docs/api.md. */
export type PathOf<M extends Method> = keyof Routes extends infer Key
  ? Key extends `${M} ${infer Path}` ? Path : never
  : never;

type RouteOf<M extends Method, P extends string> = `${M} ${P}` extends keyof Routes ? Routes[`${M} ${P}`]
  : never;

/** Parameters of the path and of the query of a route. */
export type ParamsOf<M extends Method, P extends string> = RouteOf<M, P>["params"];

/** Body of a request to a route; `undefined` for none. */
export type BodyOf<M extends Method, P extends string> = RouteOf<M, P>["body"];

/** Answer of a route. */
export type AnswerTo<M extends Method, P extends string> = RouteOf<M, P>["answer"];

/** Paths of routes that answer with files. */
export type FilePath = {
  [P in PathOf<"GET">]: AnswerTo<"GET", P> extends Uint8Array ? P : never;
}[PathOf<"GET">];

/** Paths of lists that have pages. */
export type PagedPath = {
  [P in PathOf<"GET">]: "page" extends keyof ParamsOf<"GET", P> ? P : never;
}[PathOf<"GET">];

/** An item of a list that has pages. If the answer has more than the list, the items are in `commits`. */
export type ItemOf<P extends PagedPath> = AnswerTo<"GET", P> extends infer Answer
  ? Answer extends readonly (infer Item)[] ? Item
  : Answer extends { readonly commits: readonly (infer Item)[] } ? Item
  : never
  : never;
