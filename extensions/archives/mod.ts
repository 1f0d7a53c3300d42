/** The extension for archives of commits and trees (docs/api.md, 4.13). */
import { type ApiExtension, type Extension, OF_FILES, type RoutesOf } from "../../src/mod.ts";
import type { archiveEndpoints } from "./contract.ts";
import { showArchive, showArchiveOfRef } from "./routes.ts";
export type { ApiExtension } from "../../src/mod.ts";

const ROUTES: RoutesOf<typeof archiveEndpoints> = [
  ["GET", "/raw/:rid/archive/*ref", showArchiveOfRef, OF_FILES],
  ["GET", "/raw/:rid/:archive", showArchive, OF_FILES],
];

/**
 * Serves archives of commits and trees, on services with the `/repos` dialect. An archive is made while it is
 * sent.
 */
export function archives(): ApiExtension {
  const extension: Extension = {
    name: "archives",
    routes: (dialect) => dialect === "v1" ? [] : ROUTES,
    document: async (dialect) => (await import("./carried/document.ts")).DOCUMENT[dialect],
  };
  return extension;
}
