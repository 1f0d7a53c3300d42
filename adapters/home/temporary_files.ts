/** Folders and files that exist only while a program of the host works with them. */
import type { NewFile, WritableFileSystem } from "../../src/ports/file_system.ts";

/** Permissions of files that only the user can read. */
const PRIVATE = 0o600;

/** Creates a folder and its parents, as far as they do not exist. */
export function makeFolders(fileSystem: WritableFileSystem, path: string): void {
  if (fileSystem.makeDirectory(path) !== undefined) return;
  const parent = path.slice(0, path.lastIndexOf("/"));
  if (parent === "") return;
  makeFolders(fileSystem, parent);
  fileSystem.makeDirectory(path);
}

/** @throws {Error} when the file exists or its folder does not. */
export function createFile(fileSystem: WritableFileSystem, path: string): NewFile {
  const file = fileSystem.create(path, PRIVATE);
  if (file === undefined || file === "exists") throw new Error(`Cannot create the file ${path}`);
  return file;
}

export function writeText(fileSystem: WritableFileSystem, path: string, text: string): void {
  const file = createFile(fileSystem, path);
  try {
    file.write(new TextEncoder().encode(text));
  } finally {
    file.close();
  }
}

/** Removes a folder with everything in it, as far as possible. Never throws. */
export function removeFolder(fileSystem: WritableFileSystem, path: string): void {
  try {
    for (const { name, kind } of fileSystem.list(path) ?? []) {
      if (kind === "directory") removeFolder(fileSystem, `${path}/${name}`);
      else fileSystem.remove(`${path}/${name}`);
    }
    fileSystem.remove(path);
  } catch {
    // A later publisher tries again.
  }
}
