/**
 * State that all views share (the visitor, and suggested values), and functions that change the address. A
 * place is the part of the address after `#`.
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

export function go(hash: string): void {
  location.hash = hash;
}

/** Name of the event that is sent when another place of the same view has replaced the current place. */
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
