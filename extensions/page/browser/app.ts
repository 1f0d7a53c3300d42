/**
 * The state that all views share, which is the visitor and the values that the API reference suggests, and
 * functions that change the address. A place is the part of the address behind `#`.
 */
import { Visitor } from "./session.ts";

export const visitor: Visitor = new Visitor(new URL(".", location.href), sessionStorage);

/** Checks whether the visitor may make changes. */
export function maySign(): boolean {
  return visitor.ofSession !== undefined;
}

/**
 * Values that the visitor has seen, by parameter name. The API reference suggests these values for
 * parameters.
 */
export const seen: Map<string, string> = new Map();

/** Opens a place. */
export function go(hash: string): void {
  location.hash = hash;
}

/** Name of the event that is sent after the current place was replaced by another place of the same view. */
export const REPLACED = "placereplaced";

/** Replaces the place without a new entry in the history, so that "back" leads to the previous place. */
export function replacePlace(hash: string): void {
  history.replaceState(history.state, "", hash);
  dispatchEvent(new Event(REPLACED));
}

/** Returns the URL at which the API serves the unchanged bytes of a file. */
export function rawAddress(rid: string, revision: string, path: string): string {
  const parts = [revision, ...path.split("/")].map((part) => encodeURIComponent(part));
  return `${visitor.base}/raw/${rid}/${parts.join("/")}`;
}

/** Returns the URL at which the API serves the unchanged bytes of a blob. */
export function blobAddress(rid: string, oid: string): string {
  return `${visitor.base}/raw/${rid}/blobs/${encodeURIComponent(oid)}`;
}
