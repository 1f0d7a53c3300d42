/** The parts that all views share: the visitor, values for the reference, and the way to another place. */
import { Visitor } from "./session.ts";

/** The visitor of this tab. */
export const visitor: Visitor = new Visitor(new URL(".", location.href), sessionStorage);

/** Whether the visitor may write. */
export function maySign(): boolean {
  return visitor.ofSession !== undefined;
}

/** Values that the visitor has seen, by the names of parameters: the reference proposes them. */
export const seen: Map<string, string> = new Map();

/** Goes to a place. */
export function go(hash: string): void {
  location.hash = hash;
}

/** Event of a place that has been replaced by another one in the same view. */
export const REPLACED = "placereplaced";

/** Replaces the place, so that "back" leads to the one before. */
export function replacePlace(hash: string): void {
  history.replaceState(history.state, "", hash);
  dispatchEvent(new Event(REPLACED));
}

/** Address of a file as it is, byte for byte. */
export function rawAddress(rid: string, revision: string, path: string): string {
  const parts = [revision, ...path.split("/")].map((part) => encodeURIComponent(part));
  return `${visitor.base}/raw/${rid}/${parts.join("/")}`;
}

/** Address of a blob as it is. */
export function blobAddress(rid: string, oid: string): string {
  return `${visitor.base}/raw/${rid}/blobs/${encodeURIComponent(oid)}`;
}
