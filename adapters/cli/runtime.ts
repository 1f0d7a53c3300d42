/** Which runtime executes this, and its adapter. The others' are never loaded. */
import type { HomeServer, ServeOptions } from "../home/serve_home.ts";

/** The part of an adapter that the command needs. */
export interface Adapter {
  serve(options: ServeOptions): Promise<HomeServer>;
  /** Where the cache is unless told otherwise. */
  usualCachePath(): string | undefined;
}

/** Loads the adapter of the runtime that executes this. */
export async function loadAdapter(): Promise<Adapter> {
  if ("Deno" in globalThis) return await import("../deno/mod.ts");
  if ("Bun" in globalThis) return await import("../bun/mod.ts");
  // The part of V8's memory where objects are made stays as small as it is at first: under load it would take some 80 MB more, and no time is won
  // with them (measured).
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--semi-space-growth-factor=1");
  return await import("../node/mod.ts");
}
