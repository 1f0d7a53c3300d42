/**
 * Accesses files through `node:fs`, but lists directories and reads metadata with functions of Deno, which
 * take half the time. References are many small files, so the difference matters.
 */
import { existsSync } from "node:fs";
import type { DirectoryEntry, FileKind, FileStat, WritableFileSystem } from "../../src/ports/file_system.ts";
import { fileSystem as nodeFileSystem, unlessAbsent } from "../node/file_system.ts";
import { mayRead } from "./permission.ts";
import { queriedWriting } from "./queried_parts.ts";

/**
 * The file system of the machine. Only regular files can be read. Directories, pipes and devices are treated
 * as absent. No file descriptor stays open between calls.
 */
export const fileSystem: WritableFileSystem = {
  list,
  stat,
  // Most paths do not exist, and an exception costs ten times as much as the check.
  read: (path) => isSurelyAbsent(path) ? undefined : nodeFileSystem.read(path),
  open: (path) => isSurelyAbsent(path) ? undefined : nodeFileSystem.open(path),
  // The check is left out here. It would report a link to an absent file as absent.
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
 * Checks whether a path certainly does not exist. If the parent directories cannot be searched, the result is
 * `false`, and reading the path then fails with the reason.
 */
function isSurelyAbsent(path: string): boolean {
  if (existsSync(path)) return false;
  const parent = parentOf(path);
  if (existsSync(parent + "/.")) return true;
  // Deno may lack the permission to read directories above the home.
  return mayRead(parentOf(parent)) && isSurelyAbsent(parent);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function kindOf(entry: Pick<Deno.DirEntry, "isFile" | "isDirectory" | "isSymlink">): FileKind {
  return entry.isFile ? "file" : entry.isDirectory ? "directory" : entry.isSymlink ? "link" : "other";
}
