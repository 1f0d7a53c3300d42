/** The adapter of the runtime that executes this. */
import type { HomeParts } from "../../adapters/home.ts";
import type { HomeApi, HomeOptions, HomeServer, ServeOptions } from "../../adapters/node/mod.ts";
import type { StartWorker } from "../../mod.ts";

interface Adapter extends HomeParts {
  readonly homeWorkers: (root: string) => StartWorker;
  createHomeApi(options: HomeOptions): Promise<HomeApi>;
  serve(options: ServeOptions): Promise<HomeServer>;
}

/** Its exports, as far as tests need them. */
export const adapter: Adapter = "Deno" in globalThis
  ? await import("../../adapters/deno/mod.ts")
  : "Bun" in globalThis
  ? await import("../../adapters/bun/mod.ts")
  : await import("../../adapters/node/mod.ts");
