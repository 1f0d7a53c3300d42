/**
 * A program that uses a home, closes it and comes to its end: `<home> <cache> api|serve`. It reads from git, from the
 * node's databases and by a worker, writes an issue and searches it. Prints how many files below the home and the cache
 * folder were open, and which of them stayed open, as JSON.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { openFiles } from "../support/open_files.ts";
import { adapter } from "./this_runtime.ts";

const ANY_PORT = { transport: "tcp", hostname: "127.0.0.1", port: 0 } as const;

const [home = "", cachePath = "", way = ""] = process.argv.slice(2);
const server = way === "serve" ? await adapter.serve({ home, cachePath, listen: [ANY_PORT] }) : undefined;
const made = server ?? await adapter.createHomeApi({ home, cachePath });

const base = server?.urls[0] ?? "http://localhost";
const client = { transport: "unix" } as const;
const send = (url: string, init: RequestInit = {}) =>
  server === undefined ? made.api.fetch(new Request(url, init), client) : fetch(url, init);

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await send(`${base}/api/v1${path}`, init);
  if (!response.ok) throw new Error(`${response.status} ${path}: ${await response.text()}`);
  return await response.json() as T;
}

const [project] = await ask<{ id: string; head: string }[]>("/projects?show=all");
const path = `/projects/${project!.id}`;
await ask(`${path}/commits/${project!.head}`);
await ask(`${path}/patches`);
await ask("/node");
await ask("/node/policies/repos");
await compare();

const publicKey = adapter.fileSystem.read(join(home, "keys", "radicle.pub"));
const nodeId = nodeIdOfPublicKey(new TextDecoder().decode(publicKey));
const signer = await adapter.openSigner({ home, nodeId, fileSystem: adapter.fileSystem })();
const token = await openAuthorized(base, signer, send);
await ask(`${path}/issues`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
  body: JSON.stringify({ title: "Closing", description: "", labels: [], assignees: [], embeds: [] }),
});

await ask("/search?q=closing");

const opened = filesOfHome().length;
void compare();
await made.close();
writeSync(1, JSON.stringify({ opened, open: filesOfHome() }));

/** Has a worker compare trees, one of which is missing. */
async function compare(): Promise<void> {
  const [rid, newTree] = [project!.id as RepoId, "1".repeat(40) as Oid];
  const job = { kind: "diff", rid, oldTree: undefined, newTree } as const;
  const reason = await made.workers?.run(job).catch(({ name }) => name);
  if (reason !== "DamagedError" && reason !== "UnavailableError") throw new Error(`It ended with ${reason}`);
}

/** The open files below the home and the cache folder. */
function filesOfHome(): string[] {
  return openFiles().filter((path) => path.startsWith(`${home}/`) || path.startsWith(`${cachePath}/`));
}
