/**
 * The extension with the web page, which shows the node and its repositories through the API (docs/api.md,
 * 4.14).
 */
import type { ApiExtension, Extension, RoutesOf } from "../../src/mod.ts";
import type { pageEndpoints } from "./contract.ts";
import { showFile, showRoot } from "./routes.ts";
export type { ApiExtension } from "../../src/mod.ts";

const ROUTES: RoutesOf<typeof pageEndpoints> = [
  ["GET", "/", showRoot],
  ["GET", "/page/:file", showFile],
];

/** Serves the page at the root to clients that accept HTML. The page needs the routes of version 1. */
export function page(): ApiExtension {
  const extension: Extension = {
    name: "page",
    routes: (dialect) => dialect === "today" ? [] : ROUTES,
    document: async (dialect) => (await import("./carried/document.ts")).DOCUMENT[dialect],
  };
  return extension;
}
