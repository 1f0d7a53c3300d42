/**
 * Files of Node.js, but listed and looked at through Deno's own calls. A stat takes half the time that it
 * takes through Deno's `node:fs`, which counts: references are many small files.
 */
import { existsSync } from "node:fs";
import type { DirectoryEntry, FileKind, FileStat, WritableFileSystem } from "../../src/ports/file_system.ts";
import { fileSystem as nodeFileSystem, unlessAbsent } from "../node/file_system.ts";
import { mayRead } from "./permission.ts";
import { queriedWriting } from "./queried_parts.ts";

/**
 * The machine's files. Nothing but regular files is read: directories, pipes and devices count as absent. No
 * handle stays open between calls.
 */
export const fileSystem: WritableFileSystem = {
  list,
  stat,
  // Asked first: most paths lead to nothing, and an exception costs ten times as much.
  read: (path) => isSurelyAbsent(path) ? undefined : nodeFileSystem.read(path),
  open: (path) => isSurelyAbsent(path) ? undefined : nodeFileSystem.open(path),
  // It may be a link to nothing, which the question would not find.
  readLink: nodeFileSystem.readLink,
  ...queriedWriting(nodeFileSystem),
};

function list(path: string): DirectoryEntry[] | undefined {
  return unlessAbsent(() =>
    Array.from(Deno.readDirSync(path), (entry) => ({ name: entry.name, kind: kindOf(entry) }))
  );
}

function stat(path: string): FileStat | undefined {
  if (isSurelyAbsent(path)) return undefined;
  const found = unlessAbsent(() => Deno.lstatSync(path));
  return found && {
    kind: kindOf(found),
    size: found.size,
    modifiedMs: found.mtime?.getTime() ?? 0,
    inode: found.ino ?? 0,
    links: found.nlink ?? 1,
  };
}

/**
 * Whether a path leads to nothing, as far as the directories above can be searched. The question is ten times
 * cheaper than an exception, and most paths lead to nothing: loose objects, references of other nodes. Where
 * it cannot be decided so, the exception of the call itself says why.
 */
function isSurelyAbsent(path: string): boolean {
  if (existsSync(path)) return false;
  const parent = parentOf(path);
  if (existsSync(parent + "/.")) return true;
  // Above the home nothing may be readable.
  return mayRead(parentOf(parent)) && isSurelyAbsent(parent);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function kindOf(entry: Pick<Deno.DirEntry, "isFile" | "isDirectory" | "isSymlink">): FileKind {
  return entry.isFile ? "file" : entry.isDirectory ? "directory" : entry.isSymlink ? "link" : "other";
}
