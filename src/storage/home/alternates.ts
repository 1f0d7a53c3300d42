/** Further object directories that a repository borrows from, named in `info/alternates` (gitrepository-layout). */
import type { FileSystem } from "../../ports/file_system.ts";

/** How deep alternates of alternates are followed, as in git. */
export const MAX_ALTERNATES_DEPTH = 5;

/** How many directories are searched at most. */
export const MAX_ALTERNATES = 100;

/** Longest list that is read, in bytes. */
const MAX_LIST_BYTES = 2 ** 20;

/** Paths of all object directories that `directory` borrows from, directly or not, each once, without itself. */
export function readAlternates(fileSystem: FileSystem, directory: string): string[] {
  const seen = new Set([normalize(directory)]);
  let level = [...seen];
  for (let depth = 0; depth < MAX_ALTERNATES_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const path of level.flatMap((borrower) => listed(fileSystem, borrower))) {
      if (seen.has(path) || seen.size > MAX_ALTERNATES) continue;
      seen.add(path);
      next.push(path);
    }
    level = next;
  }
  return [...seen].slice(1);
}

/** One path per line, relative ones from the directory itself; `#` begins a comment. */
function listed(fileSystem: FileSystem, directory: string): string[] {
  const file = directory + "/info/alternates";
  const stat = fileSystem.stat(file);
  const bytes = stat && stat.size <= MAX_LIST_BYTES && fileSystem.read(file);
  if (!bytes) return [];
  return new TextDecoder().decode(bytes).split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => normalize(isAbsolute(line) ? line : `${directory}/${line}`));
}

function isAbsolute(path: string): boolean {
  return /^([A-Za-z]:)?[/\\]/.test(path);
}

/** Resolves `.` and `..`, so that a directory has one path. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
