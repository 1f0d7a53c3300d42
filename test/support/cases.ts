/** How many cases of what no runtime has a part in a test tries: all on Node.js, some on Deno and Bun. */
import process from "node:process";

/** Whether all tests are asked for (`XYLEM_TEST_ALL`). */
export const ALL_WANTED = Boolean(process.env["XYLEM_TEST_ALL"]);

/** Whether all cases are tried: on Node.js, and wherever all tests are asked for. */
export const TRIES_ALL = !("Deno" in globalThis || "Bun" in globalThis) || ALL_WANTED;

/** All cases, or those that are tried on each runtime. */
export function casesHere<T>(all: readonly T[], isOnEach: (one: T) => boolean): readonly T[] {
  return TRIES_ALL ? all : all.filter(isOnEach);
}
