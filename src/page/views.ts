/** The views of the page, by the part of the address behind `#`. */
import type { Visitor } from "./session.ts";

/** The parts of the page that views use. */
export interface ViewContext {
  readonly visitor: Visitor;
  /** Values that the visitor has seen, by the names of parameters: the reference proposes them. */
  readonly seen: Map<string, string>;
  /** Shows another view. */
  readonly go: (hash: string) => void;
}

/** A view. */
export interface View {
  /** Title of the window, and of the view. */
  readonly title: string;
  readonly content: readonly (Node | string)[];
}

/** A place in the page. */
export type Place =
  | { readonly name: "home" | "sign-in" }
  | { readonly name: "repository"; readonly rid: string; readonly path: string }
  | { readonly name: "search"; readonly words: string }
  | { readonly name: "reference"; readonly operation: string | undefined }
  | { readonly name: "session"; readonly link: string };

/** Reads the part of an address behind `#`; the node is shown for what leads nowhere. */
export function parsePlace(hash: string): Place {
  const text = hash.replace(/^#\/?/, "");
  if (text.startsWith("session/")) return { name: "session", link: `/${text}` };
  const [name, first, ...rest] = text.split("/").map(decode);
  if (name === "sign-in") return { name };
  if (name === "reference") return { name, operation: first || undefined };
  if (name === "search") return { name, words: first ?? "" };
  if (name === "repositories" && first) return { name: "repository", rid: first, path: rest.join("/") };
  return { name: "home" };
}

/** The address of a repository in the page, or of a folder in it. */
export function repositoryHash(rid: string, path: string = ""): string {
  const parts = path === "" ? [] : path.split("/");
  return ["#/repositories", rid, ...parts.map((part) => encodeURIComponent(part))].join("/");
}

/** The address of a search in the page. */
export function searchHash(words: string): string {
  return `#/search/${encodeURIComponent(words)}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
