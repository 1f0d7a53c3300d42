/**
 * Functions and languages that the parts of the worker bring: each part is a script, and they come in any
 * order.
 */
import type { LanguageFn } from "highlight.js";

/** All that parts bring. */
interface Scope {
  /** Functions that the page may call, by their names. */
  readonly calls: Record<string, (...args: never[]) => unknown>;
  /** Languages that can be highlighted, by their names. */
  readonly languages: Record<string, LanguageFn>;
}

/** The one of this worker. */
export const scope: Scope = (globalThis as { xylem?: Scope }).xylem ??= { calls: {}, languages: {} };
