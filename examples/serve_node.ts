// A complete service on Node.js, with its own log and an orderly shutdown.
// Run: node_modules/.bin/node examples/serve_node.ts ~/.radicle [PORT]
// Needs Node.js 22.18 or newer, which reads TypeScript.
// deno-lint-ignore-file no-console -- it prints for its user
import process from "node:process";
import type { LogLevel } from "../mod.ts";
import { serve } from "../adapters/node/mod.ts";

const [home = ".", port = "8080"] = process.argv.slice(2);

const server = await serve({
  home,
  listen: [{ transport: "tcp", hostname: "127.0.0.1", port: Number(port) }],
  environment: { log },
});
console.log(`${server.profile.alias} serves ${server.urls.join(", ")}`);

// On SIGTERM, running requests may finish. Connections that are still open after two seconds are closed. Then
// the process ends by itself.
process.once("SIGTERM", () => void server.close());

/** Prints one line of JSON for each event. Log collectors can parse these lines. */
function log(level: LogLevel, message: string, cause?: unknown): void {
  console.error(JSON.stringify({ level, message, cause: cause instanceof Error ? cause.message : cause }));
}
