/** The adapter of the runtime that executes this. */
import type { CreateServer } from "../../adapters/home/listen.ts";

/** Exports that the entries of all runtimes have. */
type Adapter = Omit<typeof import("../../adapters/node/mod.ts"), "clientOf" | "createServer"> & {
  readonly createServer: CreateServer;
};

/** The entry of this runtime. */
export const adapter: Adapter = "Deno" in globalThis
  ? await import("../../adapters/deno/mod.ts")
  : "Bun" in globalThis
  ? await import("../../adapters/bun/mod.ts")
  : await import("../../adapters/node/mod.ts");
