/** The server of the runtime that executes this. */
import type { CreateServer } from "../../adapters/serve_home.ts";

/** Its `createServer`. */
export const createServer: CreateServer = "Deno" in globalThis
  ? (await import("../../adapters/deno/create_server.ts")).createServer
  : "Bun" in globalThis
  ? (await import("../../adapters/bun/create_server.ts")).createServer
  : (await import("../../adapters/node/create_server.ts")).createServer;
