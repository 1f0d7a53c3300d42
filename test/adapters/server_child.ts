/**
 * A server for tests that need a process of its own: `server_child.ts [LIMITS]`, limits as JSON. Prints its address as JSON.
 *
 * `/fill` takes all file descriptors that are left, `/free` gives them back; `/large` and `/foreign` answer 21 MiB of their own.
 */
import { closeSync, openSync } from "node:fs";
import process from "node:process";
import { Connections } from "../../adapters/server/connections.ts";
import { json } from "../../src/http/respond.ts";
import { createServer } from "./this_runtime_server.ts";

/** How often Deno's server makes sure that it accepts connections. */
const KNOCK_MS = 100;
const LARGE_BYTES = 21 * 2 ** 20;
const large = Array.from({ length: LARGE_BYTES / 1024 }, (_, i) => `${i} `.padEnd(1021, "."));

const held: number[] = [];
const handler = ({ url }: Request) => {
  const { pathname } = new URL(url);
  if (pathname === "/fill") fill();
  if (pathname === "/free") { for (const descriptor of held.splice(0)) closeSync(descriptor); }
  if (pathname === "/large") return json(large);
  if (pathname === "/foreign") return new Response(new Uint8Array(LARGE_BYTES).fill(1));
  return new Response(pathname);
};
const options = {
  address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  connections: new Connections(JSON.parse(process.argv[2] ?? "{}")),
  knockMs: KNOCK_MS,
} as const;
const { address } = await createServer(handler, options);
process.stdout.write(`${JSON.stringify(address)}\n`);

function fill(): void {
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {
    // None is left.
  }
}
