// Your own adapter, for example for a runtime without a disk. It serves a read-only home from memory.
// Run: node_modules/.bin/node examples/own_adapter.ts ~/.radicle [PORT]
// Needs Node.js 24.2 or newer, because earlier versions do not have `import.meta.main`.
// deno-lint-ignore-file no-console -- it prints for its user
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import {
  assembleHomeApi,
  type FileSystem,
  type HomeApi,
  type HomeParts,
  serveHome,
} from "../adapters/mod.ts";
import { createServer, loadLibgit2 } from "../adapters/node/mod.ts";

/** Content of the files, by absolute path. */
export type Files = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Creates a read-only file system of files in memory. A home on this file system cannot be changed. */
export function createMemoryFiles(files: Files): FileSystem {
  const folders = new Map<string, Map<string, "file" | "directory">>();
  // A storage uses the inode number to distinguish a file from an earlier file with the same name.
  const inodes = new Map<string, number>();
  for (const path of files.keys()) {
    for (let place = path, kind: "file" | "directory" = "file"; place !== ""; kind = "directory") {
      const slash = place.lastIndexOf("/");
      const [parent, name] = [place.slice(0, slash), place.slice(slash + 1)];
      inodes.set(place, inodes.get(place) ?? inodes.size + 1);
      folders.set(parent, (folders.get(parent) ?? new Map()).set(name, kind));
      place = parent;
    }
  }
  return {
    read: (path) => files.get(path)?.slice(),
    list(path) {
      const names = folders.get(path);
      return names && Array.from(names, ([name, kind]) => ({ name, kind }));
    },
    stat(path) {
      const inode = inodes.get(path);
      const bytes = files.get(path);
      if (inode === undefined) return undefined;
      const kind = bytes === undefined ? "directory" : "file";
      return { kind, size: bytes?.length ?? 0, modifiedMs: 0, inode, links: 1 };
    },
    open(path) {
      const bytes = files.get(path);
      return bytes && {
        size: bytes.length,
        read(into, position) {
          const part = bytes.subarray(position, position + into.length);
          into.set(part);
          return part.length;
        },
        close() {},
      };
    },
    readLink: () => undefined,
  };
}

/**
 * Returns the required parts of an adapter. Each further part of `HomeParts` adds a function to the API or
 * makes the API faster.
 */
export function partsOf(files: Files): HomeParts {
  return { fileSystem: createMemoryFiles(files), loadLibgit2 };
}

export function createApi(home: string, files: Files): Promise<HomeApi> {
  return assembleHomeApi({ home }, partsOf(files));
}

/** Reads all files below a folder. */
export function readFolder(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile()
  );
  return new Map(entries.map(({ parentPath, name }) => {
    const path = join(resolve(parentPath), name);
    return [path, new Uint8Array(readFileSync(path))];
  }));
}

if (import.meta.main) {
  const [folder = ".", port = "8080"] = process.argv.slice(2);
  const home = resolve(folder);
  const listen = [{ transport: "tcp", hostname: "127.0.0.1", port: Number(port) }] as const;
  const server = await serveHome({ home, listen }, partsOf(readFolder(home)), createServer);
  console.log(`${server.profile.alias} serves ${server.urls.join(", ")} from memory`);
}
