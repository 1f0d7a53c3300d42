/** References of a repository: a file each, or a line in `packed-refs`. Files come first. */
import type { FileKind } from "../../ports/file_system.ts";
import type { Ref } from "../../ports/storage.ts";
import { compareUtf8 } from "../../text/compare_utf8.ts";
import { isStoredName, parseRefPattern, type RefPattern } from "../ref_names.ts";
import { PackedRefs, selectRefs } from "./packed_refs.ts";
import { type KnownRefs, type Loose, type RefFolder, TRUSTED_MS, trustedUntilMs } from "./ref_files.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a walk through files has come by. */
interface Walk {
  readonly pattern: RefPattern;
  /** In ascending order. */
  readonly refs: Ref[];
  /** Names whose files are no references. */
  readonly broken: Set<string>;
  readonly looks: KnownRefs["looks"][number][];
  /** Until when all files may be believed unseen, milliseconds since the epoch. */
  untilMs: number;
}

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
    if (loose !== "broken") return loose ?? this.#packed.get(name);
    this.#warnOf(name);
    return undefined;
  }

  /**
   * The references that {@link parseRefPattern} selects, in ascending order of their names' bytes. An array that was returned stays as it is, and is
   * returned again for as long as nothing has changed: it is not to be written to.
   */
  refs(prefix: string): Ref[] {
    const { refFiles } = this.#surroundings;
    const key = `${this.#path}/${prefix}`;
    const known = refFiles.known.get(key);
    if (known !== undefined && this.#holds(known)) return known.refs;
    const pattern = parseRefPattern(prefix);
    if (pattern === undefined) return [];
    const sinceMs = refFiles.now();
    const walk: Walk = { pattern, refs: [], broken: new Set(), looks: [], untilMs: sinceMs + TRUSTED_MS };
    // In this order: see `ref`.
    this.#walk(walk, "", 0);
    const packed = this.#packed.all();
    const refs = merge(selectRefs(packed, pattern), walk);
    const { looks, untilMs } = walk;
    if (pattern.isPrefix && sinceMs < untilMs) {
      refFiles.known.set(key, { refs, looks, packed, sinceMs, untilMs });
    }
    return refs;
  }

  /** Whether a walk would come by the same again. */
  #holds({ looks, packed, sinceMs, untilMs }: KnownRefs): boolean {
    const nowMs = this.#surroundings.refFiles.now();
    return sinceMs <= nowMs && nowMs < untilMs &&
      looks.every(({ directory, part, found }) =>
        part === "*" ? this.#folder(directory).entries === found : this.#kind(directory + part) === found
      ) && this.#packed.all() === packed;
  }

  /** Reads the selected files at and below a directory. Only directories that can hold some are read. */
  #walk(walk: Walk, directory: string, depth: number): void {
    const { parts, isPrefix } = walk.pattern;
    const isLast = depth === parts.length - 1;
    const isOnTheWay = isPrefix || !isLast;
    const isSelected = isPrefix ? depth >= parts.length : isLast;
    const part = parts[depth] ?? "*";
    if (part !== "*") {
      const name = directory + part;
      // All that is in a folder is only looked for in a real one.
      if (isOnTheWay && (parts[depth + 1] ?? "*") === "*") return this.#walk(walk, name + "/", depth + 1);
      const kind = this.#kind(name);
      walk.looks.push({ directory, part, found: kind });
      if (kind === "directory") {
        if (isOnTheWay) this.#walk(walk, name + "/", depth + 1);
      } else if (kind !== undefined && isSelected) this.#take(walk, name, this.#loose(name));
      return;
    }
    const { refFiles } = this.#surroundings;
    const folder = this.#folder(directory);
    walk.looks.push({ directory, part, found: folder.entries });
    for (const entry of folder.entries) {
      const { fullName: name, kind } = entry;
      if (kind === "directory") {
        if (isOnTheWay) this.#walk(walk, name + "/", depth + 1);
      } else if (isSelected) {
        this.#take(walk, name, refFiles.entry(`${this.#path}/${name}`, entry, folder));
        walk.untilMs = Math.min(walk.untilMs, trustedUntilMs(entry));
      }
    }
  }

  #take({ refs, broken }: Walk, name: string, loose: Loose): void {
    if (loose === "broken") {
      this.#warnOf(name);
      broken.add(name);
    } else if (loose !== undefined) refs.push(loose);
  }

  /** @param directory What the names of references in it begin with. */
  #folder(directory: string): RefFolder {
    return this.#surroundings.refFiles.folder(`${this.#path}/${directory}`.slice(0, -1), directory);
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

  #loose(name: string): Loose {
    return this.#surroundings.refFiles.loose(`${this.#path}/${name}`, name);
  }

  #warnOf(name: string): void {
    this.#surroundings.logOnce(`${this.#path}/${name} is no reference`);
  }
}

/** References in files, and those packed ones that have none. */
function merge(packed: readonly Ref[], { refs, broken }: Walk): Ref[] {
  if (packed.length === 0) return refs;
  const merged: Ref[] = [];
  let at = 0;
  for (const ref of packed) {
    let order = -1;
    while (at < refs.length && (order = compareUtf8(refs[at]!.name, ref.name)) < 0) merged.push(refs[at++]!);
    const isFile = at < refs.length && order === 0;
    if (!isFile && !broken.has(ref.name)) merged.push(ref);
  }
  return merged.concat(refs.slice(at));
}
