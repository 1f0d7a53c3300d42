/**
 * The extension for live changes: Server-Sent Events about repositories, policies and the node (docs/api.md,
 * 4.16).
 */
import type { ApiExtension, Extension, RoutesOf } from "../../src/mod.ts";
import type { eventEndpoints, projectEventEndpoints, repoEventEndpoints } from "./contract.ts";
import { LiveChanges } from "./live_changes.ts";
import { OF_EVENTS } from "./request.ts";
import { listenToAll, listenToOne } from "./routes.ts";
export type { ApiExtension } from "../../src/mod.ts";

export interface EventsOptions {
  /** Maximum number of clients that listen at a time; 1,000 by default. */
  readonly maxReaders?: number | undefined;
}

/**
 * Serves live changes. Checks for changes only while clients listen, and for a while after the last client
 * has left.
 */
export function events({ maxReaders }: EventsOptions = {}): ApiExtension {
  let changes: LiveChanges;
  const all: RoutesOf<typeof eventEndpoints> = [
    ["GET", "/api/v1/events", (call) => listenToAll(call, changes), OF_EVENTS],
  ];
  const ofProject: RoutesOf<typeof projectEventEndpoints> = [
    ["GET", "/api/v1/projects/:project/events", (call) => listenToOne(call, changes), {
      ...OF_EVENTS,
      repository: "project",
    }],
  ];
  const ofRepo: RoutesOf<typeof repoEventEndpoints> = [
    ["GET", "/api/v1/repos/:rid/events", (call) => listenToOne(call, changes), {
      ...OF_EVENTS,
      dialect: "today",
      repository: "rid",
    }],
  ];
  const extension: Extension = {
    name: "events",
    routes: (dialect) => [
      ...all,
      ...(dialect === "today" ? [] : ofProject),
      ...(dialect === "v1" ? [] : ofRepo),
    ],
    document: async (dialect) => (await import("./carried/document.ts")).DOCUMENT[dialect],
    start(
      { storage, node, names, cobs, identities, graphs, environment },
    ) {
      changes = new LiveChanges({
        storage,
        node,
        names,
        cobs,
        identities,
        graphs,
        report: environment.log,
        maxReaders,
      });
    },
    changed: (rid) => changes.expect(rid),
    close: () => changes.close(),
  };
  return extension;
}
