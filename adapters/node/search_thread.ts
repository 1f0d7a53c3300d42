/** Runs a full-text index in a separate thread. */
import { messageOf } from "../../src/errors.ts";
import { SearchIndexError, type SearchObstacle } from "../../extensions/search/search_index.ts";
import { callOf, type SearchCalls, type SearchPlace, SqliteSearchIndex } from "./search_parts.ts";

export interface SearchWorkerData {
  readonly search: SearchPlace;
}

/** A message to the thread. `close` is the last message. */
export type ToSearchThread = SearchCall | "close";

/** A call of the index. The next call is sent only when the result of this call has arrived. */
export interface SearchCall {
  readonly name: keyof SearchCalls;
  readonly values: readonly unknown[];
}

/** A message from the thread. The first message is `ready`, and the last message is `closed`. */
export type FromSearchThread =
  | { readonly kind: "ready" }
  | { readonly kind: "closed" }
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly obstacle: SearchObstacle; readonly message: string }
  | { readonly kind: "warning"; readonly message: string; readonly cause: string };

export function isSearchWorkerData(data: unknown): data is SearchWorkerData {
  return typeof data === "object" && data !== null && "search" in data;
}

/** Opens the index, and returns the function that processes the messages to the thread. */
export function answerSearches(
  { search }: SearchWorkerData,
  post: (message: FromSearchThread) => void,
): (message: unknown) => Promise<void> {
  const index = new SqliteSearchIndex(
    search,
    (message, cause) => post({ kind: "warning", message, cause: messageOf(cause) }),
  );
  post({ kind: "ready" });
  return async (received) => {
    const message = received as ToSearchThread;
    if (message === "close") {
      index.close();
      return post({ kind: "closed" });
    }
    const { name, values } = message;
    try {
      post({ kind: "done", value: await callOf(index, name, values) });
    } catch (error) {
      const obstacle = error instanceof SearchIndexError ? error.obstacle : "broken";
      post({ kind: "failed", obstacle, message: messageOf(error) });
    }
  };
}
