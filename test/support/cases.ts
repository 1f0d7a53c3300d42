/**
 * The number of cases that a test tries if the runtime does not matter: all on Node.js, some on Deno and Bun.
 */
import process from "node:process";

/** Whether all tests were requested (`XYLEM_TEST_ALL`). */
export const ALL_WANTED = Boolean(process.env["XYLEM_TEST_ALL"]);

/** Whether to try all cases: on Node.js, and on the others if all tests were requested. */
export const TRIES_ALL = !("Deno" in globalThis || "Bun" in globalThis) || ALL_WANTED;

/** All cases, or the cases for every runtime. */
export function casesHere<T>(all: readonly T[], isOnEach: (one: T) => boolean): readonly T[] {
  return TRIES_ALL ? all : all.filter(isOnEach);
}
