/** A home of today's programs that has fetched a repository from a node on another home. */
import type { NodeId } from "../../src/ids/nid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { createRadHome, type Generation, openRadHome, startNode } from "../support/programs.ts";
import { configure, freePort } from "./signed_home.ts";

/** Time for the fetch of some hundred nodes. */
const FETCH_TIMEOUT = "120s";
const FETCHER_SEED = "b0".repeat(32);

/** What is fetched, and from where. */
export interface Source {
  readonly generation: Generation;
  /** Path of the home. */
  readonly home: string;
  readonly nid: NodeId;
  readonly rid: RepoId;
}

/**
 * Has a node of today fetch all nodes' references of a repository, whatever level their signatures have.
 *
 * @param folder An existing folder for the new home. @returns its path.
 */
export async function fetchByNode({ generation, home, nid, rid }: Source, folder: string): Promise<string> {
  const port = await freePort();
  configure(home, { listen: [`127.0.0.1:${port}`] });
  const fetcher = createRadHome("newest", folder, { alias: "fetcher", seed: FETCHER_SEED });
  configure(fetcher.home, { connect: [`${nid}@127.0.0.1:${port}`] });
  openRadHome(generation, home, "alice").rad(folder, "seed", rid, "--no-fetch", "--scope", "all");
  const running = [await startNode(generation, home), await startNode("newest", fetcher.home)];
  try {
    const levels = ["--signed-refs-feature-level", "none"];
    fetcher.rad(folder, "clone", rid, "--seed", nid, "--scope", "all", "--timeout", FETCH_TIMEOUT, ...levels);
  } finally {
    for (const node of running.reverse()) await node.stop();
  }
  return fetcher.home;
}
