/** State that all views share (visitor, values for the reference), and functions that open another place. */
import { Visitor } from "./session.ts";

export const visitor: Visitor = new Visitor(new URL(".", location.href), sessionStorage);

/** Whether the visitor may make changes. */
export function maySign(): boolean {
  return visitor.ofSession !== undefined;
}

/** Values that the visitor has seen, by names of parameters. The reference suggests them. */
export const seen: Map<string, string> = new Map();

/** Opens a place. */
export function go(hash: string): void {
  location.hash = hash;
}

/** Event after another place has replaced the current one in the same view. */
export const REPLACED = "placereplaced";

/** Replaces the place without a new entry in the history, so that "back" leads to the place before. */
export function replacePlace(hash: string): void {
  history.replaceState(history.state, "", hash);
  dispatchEvent(new Event(REPLACED));
}

/** Address of the unchanged bytes of a file. */
export function rawAddress(rid: string, revision: string, path: string): string {
  const parts = [revision, ...path.split("/")].map((part) => encodeURIComponent(part));
  return `${visitor.base}/raw/${rid}/${parts.join("/")}`;
}

/** Address of the unchanged bytes of a blob. */
export function blobAddress(rid: string, oid: string): string {
  return `${visitor.base}/raw/${rid}/blobs/${encodeURIComponent(oid)}`;
}
