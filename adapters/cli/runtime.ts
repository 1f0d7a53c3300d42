/** Loads the adapter of the current runtime, and no other adapter. */
import type { HomeParts } from "../home/parts.ts";
import type { CreateServer } from "../home/listen.ts";
import type { HomeServer, ServeOptions } from "../home/serve_home.ts";
import type { ReplicaServer, ServeReplicaOptions } from "../home/serve_replica.ts";

/** The exports of an adapter that the command needs. */
export interface Adapter {
  serve(options: ServeOptions): Promise<HomeServer>;
  serveReplica(options: ServeReplicaOptions): Promise<ReplicaServer>;
  readonly createServer: CreateServer;
  readonly homeParts: HomeParts;
  usualCachePath(): string | undefined;
}

export async function loadAdapter(): Promise<Adapter> {
  if ("Deno" in globalThis) return await import("../deno/mod.ts");
  if ("Bun" in globalThis) return await import("../bun/mod.ts");
  // By default, V8 enlarges the memory space for new objects, which takes about 80 MB under load and saves no
  // time (measured).
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--semi-space-growth-factor=1");
  return await import("../node/mod.ts");
}
