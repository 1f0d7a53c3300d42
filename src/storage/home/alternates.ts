/** Alternate object directories of a repository, listed in `info/alternates` (gitrepository-layout). */
import type { FileSystem } from "../../ports/file_system.ts";

/** Maximum depth of alternates of alternates, as in git. */
export const MAX_ALTERNATES_DEPTH = 5;

/** Maximum number of directories searched. */
export const MAX_ALTERNATES = 100;

/** Maximum size of `info/alternates`, in bytes. */
const MAX_LIST_BYTES = 2 ** 20;

/** Paths of all direct and indirect alternates of `directory`, without duplicates and without itself. */
export function readAlternates(fileSystem: FileSystem, directory: string): readonly string[] {
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

/** Parses one path per line, relative to the directory; `#` starts a comment. */
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

/** Resolves `.` and `..`, so that each directory has one path. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + parts.join("/");
}
