/** Files of commit graphs in memory. */
import { type GraphFile, graphInMemory } from "../../src/git/commit_graph_file.ts";
import type { Oid } from "../../src/ids/oid.ts";

/** @param name The checksum in the name of the file; `undefined` for a graph with a single file. */
export function fileOf(bytes: Uint8Array, name?: Oid): GraphFile {
  return { ...graphInMemory(bytes), ...name && { name } };
}
