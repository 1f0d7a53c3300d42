/** Serving a Radicle home on Node.js. */
import { type HomeServer, serveHome, type ServeOptions } from "../home.ts";
import { createServer } from "./create_server.ts";
import { fileSystem } from "./file_system.ts";
import { inflate } from "./inflate.ts";
import { loadLibgit2 } from "./libgit2.ts";

/**
 * Serves a Radicle home; the sockets accept connections when the promise resolves.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {Error} with the operating system's `code` (`EADDRINUSE`, `EACCES` …) when a socket cannot be opened; then none is.
 */
export function serve(options: ServeOptions): Promise<HomeServer> {
  return serveHome(options, { fileSystem, inflate, loadLibgit2, createServer });
}
