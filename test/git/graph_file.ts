/** Files of commit graphs in memory. */
import type { GraphFile } from "../../src/git/commit_graph_file.ts";
import type { Oid } from "../../src/ids/oid.ts";

/** @param name The checksum in the name of the file; `undefined` for a graph with a single file. */
export function fileOf(bytes: Uint8Array, name?: Oid): GraphFile {
  const read = (into: Uint8Array, position: number) => {
    const part = bytes.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  };
  return { size: bytes.length, read, ...name && { name } };
}
