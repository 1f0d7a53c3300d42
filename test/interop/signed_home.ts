/** Homes of the real programs with one repository, and nodes on them that meet nobody else. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { signerOf } from "../support/keys.ts";
import { createRadHome, type Generation, type RadHome } from "../support/programs.ts";

/** A home with one repository of three commits. */
export interface SignedHome {
  readonly rad: RadHome;
  readonly nid: NodeId;
  readonly rid: RepoId;
  readonly work: string;
  readonly commits: readonly [Oid, Oid, Oid];
}

/** Creates a home with one repository, whose delegate has the key of `seed`. */
export async function makeHome(generation: Generation, place: string, seed: string): Promise<SignedHome> {
  const rad = createRadHome(generation, place, { alias: "alice", seed });
  const work = join(place, "work");
  rad.git(place, "init", "--quiet", work);
  const commits = ["one", "two", "three"].map((text) => {
    writeFileSync(join(work, "README"), text);
    rad.git(work, "add", "README");
    rad.git(work, "commit", "--quiet", "--message", text);
    return rad.git(work, "rev-parse", "HEAD").trim() as Oid;
  }) as [Oid, Oid, Oid];
  const rid = rad.init(work, "signed", { description: "", flags: ["--public", "--no-seed"] });
  return { rad, nid: (await signerOf(seed)).nodeId, rid, work, commits };
}

/** Changes the `node` part of a home's configuration; nothing else is connected to. */
export function configure(home: string, node: Readonly<Record<string, unknown>>): void {
  const path = join(home, "config.json");
  const config = JSON.parse(readFileSync(path, "utf8"));
  const alone = { listen: [], connect: [], peers: { type: "static" }, network: "test" };
  Object.assign(config.node, alone, node);
  config.preferredSeeds = [];
  writeFileSync(path, JSON.stringify(config));
}

/** A port on loopback that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject).listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("No port"))
      );
    });
  });
}
