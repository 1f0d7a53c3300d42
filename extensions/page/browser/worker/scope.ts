/**
 * The functions and languages that the parts of the worker define. Each part is a script. The order of the
 * parts does not matter.
 */
import type { LanguageFn } from "highlight.js";

interface Scope {
  /** Functions that the page may call, by name. */
  readonly calls: Record<string, (...args: never[]) => unknown>;
  /** Languages that can be highlighted, by name. */
  readonly languages: Record<string, LanguageFn>;
}

/** The scope that all parts of this worker share. */
export const scope: Scope = (globalThis as { xylem?: Scope }).xylem ??= { calls: {}, languages: {} };
