/** The adapter of the runtime that executes this. The other adapters are never loaded. */
import type { HomeParts } from "../home/parts.ts";
import type { CreateServer } from "../home/listen.ts";
import type { HomeServer, ServeOptions } from "../home/serve_home.ts";
import type { ReplicaServer, ServeReplicaOptions } from "../home/serve_replica.ts";

/** The part of an adapter that the command needs. */
export interface Adapter {
  serve(options: ServeOptions): Promise<HomeServer>;
  serveReplica(options: ServeReplicaOptions): Promise<ReplicaServer>;
  readonly createServer: CreateServer;
  /** The parts of a home. */
  readonly homeParts: HomeParts;
  /** Path of the cache folder unless told otherwise. */
  usualCachePath(): string | undefined;
}

/** Loads the adapter of the runtime that executes this. */
export async function loadAdapter(): Promise<Adapter> {
  if ("Deno" in globalThis) return await import("../deno/mod.ts");
  if ("Bun" in globalThis) return await import("../bun/mod.ts");
  // V8's space for new objects keeps its first size: under load it would take some 80 MB more, and save no
  // time (measured).
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--semi-space-growth-factor=1");
  return await import("../node/mod.ts");
}
