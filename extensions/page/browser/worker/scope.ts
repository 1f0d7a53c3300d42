/** Functions and languages in the parts of the worker. Each part is a script, and they run in any order. */
import type { LanguageFn } from "highlight.js";

interface Scope {
  /** Functions that the page may call, by their names. */
  readonly calls: Record<string, (...args: never[]) => unknown>;
  /** Languages that can be highlighted, by their names. */
  readonly languages: Record<string, LanguageFn>;
}

/** The one scope that all parts of this worker share. */
export const scope: Scope = (globalThis as { xylem?: Scope }).xylem ??= { calls: {}, languages: {} };
