/** The suite for the runtime that executes it. */
import { createServer } from "./this_runtime_server.ts";
import { testServer } from "./suite.ts";

testServer("Deno" in globalThis ? "Deno" : "Bun" in globalThis ? "Bun" : "Node.js", createServer);
