/** References of a repository: a file each, or a line in `packed-refs`. Files come first. */
import type { FileKind } from "../../ports/file_system.ts";
import type { Ref } from "../../ports/storage.ts";
import { compareUtf8 } from "../../text/compare_utf8.ts";
import { isStoredName, parseRefPattern, type RefPattern } from "../ref_names.ts";
import { PackedRefs } from "./packed_refs.ts";
import type { Loose, RefFolder } from "./ref_files.ts";
import type { Surroundings } from "./surroundings.ts";

/** The references of a repository. Every call tells the present state. */
export class Refs {
  readonly #path: string;
  readonly #surroundings: Surroundings;
  readonly #packed: PackedRefs;

  /** @param path Path of the repository. */
  constructor(path: string, surroundings: Surroundings) {
    this.#path = path;
    this.#surroundings = surroundings;
    this.#packed = new PackedRefs(path + "/packed-refs", surroundings);
  }

  /** One reference by its full name. A broken file counts as absent, even if a packed reference of that name exists: it is outdated. */
  ref(name: string): Ref | undefined {
    if (!isStoredName(name)) return undefined;
    // In this order: `git pack-refs` writes the packed reference before it removes the file.
    const loose = this.#isReached(name) ? this.#loose(name) : undefined;
    return loose === "broken" ? undefined : loose ?? this.#packed.get(name);
  }

  /** The references that {@link parseRefPattern} selects, in ascending order of their names' bytes. */
  refs(prefix: string): Ref[] {
    const pattern = parseRefPattern(prefix);
    if (pattern === undefined) return [];
    // In this order: see `ref`.
    const loose = this.#looseMatching(pattern);
    const packed = this.#packed.matching(pattern);
    if (loose.size === 0) return packed;
    const files = [...loose.values()].filter((ref) => ref !== "broken");
    return [...packed.filter((ref) => !loose.has(ref.name)), ...files].sort(byName);
  }

  /** What the selected files hold, by the name of the reference. Only directories that can hold some are read. */
  #looseMatching({ parts, isPrefix }: RefPattern): Map<string, Ref | "broken"> {
    const found = new Map<string, Ref | "broken">();
    const directories = [{ path: "", depth: 0 }];
    for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
      const { path, depth } = next;
      const isLast = depth === parts.length - 1;
      const { entries, modifiedMs } = this.#folder(path, parts[depth] ?? "*");
      for (const { name, kind } of entries) {
        const full = path + name;
        if (kind === "directory") {
          if (isPrefix || !isLast) directories.push({ path: full + "/", depth: depth + 1 });
        } else if (isPrefix ? depth >= parts.length : isLast) {
          const loose = this.#loose(full, modifiedMs);
          if (loose !== undefined) found.set(full, loose);
        }
      }
    }
    return found;
  }

  /** What a directory holds that can be (part of) a name of a reference: all of it (`*`) or one entry. */
  #folder(directory: string, part: string): RefFolder {
    if (part === "*") {
      const path = `${this.#path}/${directory}`.slice(0, -1);
      return this.#surroundings.refFiles.folder(path, directory);
    }
    const kind = this.#kind(directory + part);
    return { entries: kind === undefined ? [] : [{ name: part, kind }], modifiedMs: undefined };
  }

  /** Whether all directories between `refs`, without which there is no repository, and a name are real ones: a symbolic link could lead out of it. */
  #isReached(name: string): boolean {
    for (let end = name.indexOf("/", "refs/".length); end > 0; end = name.indexOf("/", end + 1)) {
      if (this.#kind(name.slice(0, end)) !== "directory") return false;
    }
    return true;
  }

  #kind(name: string): FileKind | undefined {
    return this.#surroundings.fileSystem.stat(`${this.#path}/${name}`)?.kind;
  }

  #loose(name: string, folderMs?: number): Loose {
    const path = `${this.#path}/${name}`;
    const loose = this.#surroundings.refFiles.loose(path, name, folderMs);
    if (loose === "broken") this.#surroundings.logOnce(`${path} is no reference`);
    return loose;
  }
}

function byName(a: Ref, b: Ref): number {
  return compareUtf8(a.name, b.name);
}
