/** The suite for the runtime that executes it. */
import { testServer } from "./suite.ts";

if ("Deno" in globalThis) {
  testServer("Deno", (await import("../../adapters/deno/create_server.ts")).createServer);
} else if ("Bun" in globalThis) {
  testServer("Bun", (await import("../../adapters/bun/create_server.ts")).createServer);
} else {
  testServer("Node.js", (await import("../../adapters/node/create_server.ts")).createServer);
}
