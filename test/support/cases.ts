/** How many cases of what no runtime has a part in a test tries: all on Node.js, some on Deno and Bun. */
import process from "node:process";

/** Whether all cases are tried: on Node.js, and wherever all tests are asked for (`XYLEM_TEST_ALL`). */
export const TRIES_ALL = !("Deno" in globalThis || "Bun" in globalThis) ||
  Boolean(process.env["XYLEM_TEST_ALL"]);

/** All cases, or those that are tried on each runtime. */
export function casesHere<T>(all: readonly T[], isOnEach: (one: T) => boolean): readonly T[] {
  return TRIES_ALL ? all : all.filter(isOnEach);
}
