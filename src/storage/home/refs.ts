/**
 * Reads the references of a repository, which are stored as loose files, or as lines of the file
 * `packed-refs`. A loose reference takes precedence over a packed reference of the same name.
 */
import type { FileKind } from "../../ports/file_system.ts";
import type { Awaitable, Ref } from "../../ports/storage.ts";
import { findRef, selectRefs } from "../../git/references.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { runSync, type Steps, Task } from "../../scheduling/task.ts";
import { isStoredName, parseRefPattern, type RefPattern } from "../../ids/refname.ts";
import { type CachedRefs, type Loose, type RefFolder, TRUSTED_MS, trustedUntilMs } from "./ref_files.ts";
import type { StorageContext } from "./storage_context.ts";
import { Freshness } from "../../cache/file_freshness.ts";
import { DamagedError, TooLargeError } from "../../errors.ts";
import { isOid } from "../../ids/oid.ts";

/** Maximum depth of folders with references. Deeper folders are ignored. */
export const MAX_REF_DEPTH = 64;

/** Number of files and folders that are checked in one step, which takes less than a millisecond. */
const LOOKS_AT_ONCE = 64;
/** Number of references that are merged in one step, which takes less than a millisecond. */
const MERGED_AT_ONCE = 1024;

interface Walk {
  readonly pattern: RefPattern;
  readonly refs: Ref[];
  /** Names of files that are not valid references. */
  readonly broken: Set<string>;
  readonly checks: CachedRefs["checks"][number][];
  /** Time until which all files are trusted without a check, in milliseconds since the Unix epoch. */
  untilMs: number;
}

/**
 * Reads the references of a repository. Every call returns the current state, with one exception: a list may
 * show a write into an existing file up to {@link TRUSTED_MS} late.
 */
export class Refs {
  readonly #path: string;
  readonly #context: StorageContext;
  readonly #packed: PackedRefs;

  /** @param path Path of the repository. */
  constructor(path: string, context: StorageContext) {
    this.#path = path;
    this.#context = context;
    this.#packed = new PackedRefs(path + "/packed-refs", context);
  }

  /**
   * Reads one reference by its full name. If the file of the reference is malformed, the reference counts as
   * missing, even if a packed reference has the same name, because the packed reference is outdated.
   */
  ref(name: string): Ref | undefined | Promise<Ref | undefined> {
    const found = this.#find(name);
    if (found !== "packed") return found;
    const packed = this.#packed.all();
    const find = (refs: readonly Ref[]) => findRef(refs, name) ?? this.#link(name);
    return packed instanceof Promise ? packed.then(find) : find(packed);
  }

  /** Reads one reference as {@link ref} does, but synchronously. */
  refNow(name: string): Ref | undefined {
    const found = this.#find(name);
    return found === "packed" ? findRef(this.#packed.all(true), name) ?? this.#link(name) : found;
  }

  /**
   * Reads a reference that is a symbolic link to a missing file. In Deno, `stat` reports that such a link is
   * missing.
   */
  #link(name: string): Ref | undefined {
    if (!isStoredName(name) || !this.#isReached(name)) return undefined;
    const link = this.#context.refFiles.link(`${this.#path}/${name}`, name);
    return link === "broken" ? undefined : link;
  }

  /**
   * Returns the loose reference, "packed" when only a packed reference is possible, or `undefined` when the
   * reference does not exist.
   */
  #find(name: string): Ref | undefined | "packed" {
    if (!isStoredName(name)) return undefined;
    // The loose file must be read first, because `git pack-refs` writes the packed reference before it
    // removes the file.
    const path = `${this.#path}/${name}`;
    const loose = this.#isReached(name) ? this.#context.refFiles.loose(path, name) : undefined;
    if (loose !== "broken") return loose ?? "packed";
    this.#warnOf(name);
    return undefined;
  }

  /**
   * Lists the references that {@link parseRefPattern} selects, in bytewise order of their names. A returned
   * array never changes. The same array is returned until a reference changes. A long list is read in steps.
   */
  refs(prefix: string): Awaitable<readonly Ref[]> {
    return run(this.#select(prefix, false));
  }

  /** Lists references as {@link refs} does, but synchronously. */
  refsNow(prefix: string): readonly Ref[] {
    return runSync(this.#select(prefix, true));
  }

  *#select(prefix: string, isNow: boolean): Steps<readonly Ref[]> {
    const { refFiles } = this.#context;
    const key = `${this.#path}/${prefix}`;
    const cached = refFiles.lists.get(key);
    if (cached !== undefined && (yield* this.#holds(cached, isNow))) return cached.refs;
    const pattern = parseRefPattern(prefix);
    if (pattern === undefined) return [];
    const sinceMs = refFiles.now();
    const walk: Walk = { pattern, refs: [], broken: new Set(), checks: [], untilMs: sinceMs + TRUSTED_MS };
    // Loose files must be read before packed references, as in `#find`.
    yield* this.#walk(walk, "", 0);
    const packed = yield* this.#allPacked(isNow);
    const refs = yield* merge(yield* selectRefs(packed, pattern), walk);
    const { checks, untilMs } = walk;
    if (pattern.isPrefix && sinceMs < untilMs) {
      refFiles.lists.set(key, { refs, checks, packed, sinceMs, untilMs });
    }
    return refs;
  }

  *#allPacked(isNow: boolean): Steps<readonly Ref[]> {
    let packed = this.#packed.all(isNow);
    // The result is taken from the promise, because the cache may be too small to contain the result.
    if (packed instanceof Promise) yield packed.then((refs) => packed = refs);
    return packed as readonly Ref[];
  }

  *#holds({ checks, packed, sinceMs, untilMs }: CachedRefs, isNow: boolean): Steps<boolean> {
    const nowMs = this.#context.refFiles.now();
    if (sinceMs > nowMs || nowMs >= untilMs) return false;
    for (let i = 0; i < checks.length; i++) {
      const { directory, part, found } = checks[i]!;
      if (i % LOOKS_AT_ONCE === LOOKS_AT_ONCE - 1) yield;
      const present = part === "*" ? (yield* this.#folder(directory)).entries : this.#kind(directory + part);
      if (present !== found) return false;
    }
    return (yield* this.#allPacked(isNow)) === packed;
  }

  /**
   * Reads the selected files in and below a directory. Skips directories that cannot contain selected files.
   */
  *#walk(walk: Walk, directory: string, depth: number): Steps<void> {
    const { refFiles } = this.#context;
    const { parts, isPrefix } = walk.pattern;
    const isLast = depth === parts.length - 1;
    const isOnTheWay = isPrefix || !isLast;
    const isSelected = isPrefix ? depth >= parts.length : isLast;
    const part = parts[depth] ?? "*";
    if (part !== "*") {
      const name = directory + part;
      // If all entries of a folder are selected, it must be a real folder, not a symbolic link.
      if (isOnTheWay && (parts[depth + 1] ?? "*") === "*") {
        return yield* this.#walk(walk, name + "/", depth + 1);
      }
      const kind = this.#kind(name);
      walk.checks.push({ directory, part, found: kind });
      if (kind === "directory") {
        if (isOnTheWay) yield* this.#walk(walk, name + "/", depth + 1);
      } else if (kind !== undefined && isSelected) {
        this.#take(walk, name, refFiles.loose(`${this.#path}/${name}`, name));
      }
      return;
    }
    if (depth > MAX_REF_DEPTH) return this.#warnOf(directory.slice(0, 200));
    const folder = yield* this.#folder(directory);
    walk.checks.push({ directory, part, found: folder.entries });
    for (let i = 0; i < folder.entries.length; i++) {
      const entry = folder.entries[i]!;
      const { fullName: name, kind } = entry;
      if (i % LOOKS_AT_ONCE === LOOKS_AT_ONCE - 1) yield;
      if (kind === "directory") {
        if (!isOnTheWay) continue;
        yield;
        yield* this.#walk(walk, name + "/", depth + 1);
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

  /** @param directory Folder with a final slash, which is also the prefix of the names of its references. */
  #folder(directory: string): Steps<RefFolder> {
    return this.#context.refFiles.folder(`${this.#path}/${directory}`.slice(0, -1), directory);
  }

  /**
   * Checks whether all directories between `refs` and the file are real directories, because a symbolic link
   * could lead out of the repository. `refs` itself is a directory in every repository.
   */
  #isReached(name: string): boolean {
    for (let end = name.indexOf("/", "refs/".length); end > 0; end = name.indexOf("/", end + 1)) {
      if (this.#kind(name.slice(0, end)) !== "directory") return false;
    }
    return true;
  }

  #kind(name: string): FileKind | undefined {
    return this.#context.fileSystem.stat(`${this.#path}/${name}`)?.kind;
  }

  #warnOf(name: string): void {
    this.#context.logOnce(`${this.#path}/${name} is not a reference`);
  }
}

/** Runs a read in a new task, because the callers have no task. */
function run<T>(steps: Steps<T>): Awaitable<T> {
  return new Task().run(steps);
}

/** Merges loose and packed references. A loose reference replaces a packed reference of the same name. */
function* merge(packed: readonly Ref[], { refs, broken }: Walk): Steps<readonly Ref[]> {
  if (packed.length === 0) return refs;
  if (refs.length === 0 && broken.size === 0) return packed;
  const merged: Ref[] = [];
  let at = 0;
  for (const ref of packed) {
    let order = -1;
    while (at < refs.length && (order = compareUtf8(refs[at]!.name, ref.name)) < 0) merged.push(refs[at++]!);
    const isFile = at < refs.length && order === 0;
    if (!isFile && !broken.has(ref.name)) merged.push(ref);
    if (merged.length % MERGED_AT_ONCE === 0) yield;
  }
  return merged.concat(refs.slice(at));
}

/** Approximate memory of the path and metadata of a folder, in bytes. */
const FOLDER_BYTES = 400;

/** Number of folders that are checked in one step, which takes less than a millisecond. */
const FOLDERS_AT_ONCE = 64;

interface Folders {
  readonly version: number;
  readonly paths: readonly string[];
  /** Metadata of the folders, in the order of `paths`. */
  readonly freshness: readonly Freshness[];
}

/** The last version number. Numbers are never used twice, even if a repository is opened again. */
let lastVersion = 0;

/**
 * Determines the version number of the references of a repository. The number changes when the metadata of a
 * folder with references changes, because this service, git and all Radicle programs replace the file of a
 * reference. The folder of the repository is also checked, because it contains `HEAD` and `packed-refs`.
 */
export class RefsVersion {
  readonly #path: string;
  readonly #context: StorageContext;
  #folders: Folders | undefined;

  /** @param path Path of the repository. */
  constructor(path: string, context: StorageContext) {
    this.#path = path;
    this.#context = context;
  }

  /** Approximate memory of the metadata of the folders, in bytes. */
  get memoryBytes(): number {
    return FOLDER_BYTES * (this.#folders?.paths.length ?? 0);
  }

  /**
   * Returns the current version number. If a folder has changed so recently that its mtime may hide a further
   * change, each call returns a new number.
   */
  read(): Awaitable<number> {
    return run(this.#read());
  }

  *#read(): Steps<number> {
    const folders = this.#folders;
    if (folders !== undefined && (yield* this.#holds(folders))) return folders.version;
    return (this.#folders = yield* this.#walk()).version;
  }

  *#holds({ paths, freshness }: Folders): Steps<boolean> {
    const { fileSystem } = this.#context;
    for (let i = 0; i < paths.length; i++) {
      if (i % FOLDERS_AT_ONCE === FOLDERS_AT_ONCE - 1) yield;
      if (!freshness[i]!.holds(fileSystem.stat(paths[i]!))) return false;
    }
    return true;
  }

  *#walk(): Steps<Folders> {
    const { fileSystem, now, refFiles } = this.#context;
    const version = ++lastVersion;
    const paths = [this.#path];
    const startMs = now();
    const freshness = [new Freshness(fileSystem.stat(this.#path), startMs)];
    const directories = ["refs/"];
    for (let directory; (directory = directories.pop()) !== undefined;) {
      if (paths.length % FOLDERS_AT_ONCE === 0) yield;
      const path = `${this.#path}/${directory.slice(0, -1)}`;
      const nowMs = now();
      paths.push(path);
      freshness.push(new Freshness(fileSystem.stat(path), nowMs));
      // The metadata is read before the names, because the metadata must not be newer than the names.
      const { entries } = yield* refFiles.folder(path, directory);
      for (const { fullName, kind } of entries) if (kind === "directory") directories.push(`${fullName}/`);
    }
    return { version, paths, freshness };
  }
}

/** Maximum size of the file `packed-refs`, in bytes: enough for some 300,000 references. */
export const MAX_PACKED_REFS_BYTES = 2 ** 25;

/**
 * Maximum size of a `packed-refs` file that is read in one step, in bytes. A file of at most this size is
 * also read again when an equal mtime could hide a change. Larger files are assumed to be replaced, never
 * changed in place.
 */
const READ_AT_ONCE_BYTES = 2 ** 17;

/** Number of lines that are parsed in one step, which takes less than a millisecond. */
const LINES_AT_ONCE = 512;

/**
 * Number of bytes that are decoded in one step, which takes less than a millisecond. The step also includes
 * the rest of the last line.
 */
export const BYTES_AT_ONCE: number = 2 ** 18;

const LINE_FEED = 0x0a;

/** Characters that git accepts between the id and the name. */
const SEPARATORS: ReadonlySet<string> = new Set([" ", "\t", "\r"]);

/** Maximum number of malformed lines that are logged separately. */
const WARNED_LINES = 10;

/** Reads the packed references of a repository. The file is parsed once for each change. */
export class PackedRefs {
  readonly #path: string;
  readonly #context: StorageContext;
  #reading: { readonly freshness: Freshness; readonly refs: Promise<readonly Ref[]> } | undefined;

  /** @param path Path of the file, which need not exist. */
  constructor(path: string, context: StorageContext) {
    this.#path = path;
    this.#context = context;
  }

  /**
   * Returns all references in ascending order. Returns the same array until the file may have changed.
   * Returns a promise while a large file is being read, unless `isNow` is set.
   *
   * @throws {TooLargeError} when the file is too large.
   * @throws {DamagedError} when the path is not a file, or the last line is cut off.
   */
  all(isNow: true): readonly Ref[];
  all(isNow?: boolean): readonly Ref[] | Promise<readonly Ref[]>;
  all(isNow = false): readonly Ref[] | Promise<readonly Ref[]> {
    const { fileSystem, now, packedRefs } = this.#context;
    const nowMs = now();
    const stat = fileSystem.stat(this.#path);
    const cached = packedRefs.get(this.#path);
    const isLarge = stat !== undefined && stat.size > READ_AT_ONCE_BYTES;
    if (cached !== undefined && (isLarge ? !cached.freshness.isOver(stat) : cached.freshness.holds(stat))) {
      return cached.refs;
    }
    if (stat !== undefined && stat.size > MAX_PACKED_REFS_BYTES) {
      throw new TooLargeError(`The list of packed references is longer than ${MAX_PACKED_REFS_BYTES} bytes`);
    }
    if (!isNow && this.#reading?.freshness.isOver(stat) === false) return this.#reading.refs;
    if (stat !== undefined && stat.kind !== "file") throw new DamagedError(`${this.#path} is not a file`);
    const freshness = new Freshness(stat, nowMs);
    const bytes = stat && fileSystem.read(this.#path);
    // If the last line is cut off, further references may be missing in the file.
    if (bytes && bytes.length > 0 && bytes.at(-1) !== LINE_FEED) {
      throw new DamagedError(`${this.#path} ends within a line`);
    }
    const steps = this.#parse(bytes ?? new Uint8Array(0));
    const cache = (refs: readonly Ref[]) => {
      packedRefs.set(this.#path, { refs, freshness, bytes: bytes?.length ?? 0 });
      return refs;
    };
    if (isNow || !isLarge) return cache(runSync(steps));
    const reading = { freshness, refs: Promise.resolve(run(steps)).then(cache) };
    this.#reading = reading;
    const end = () => {
      if (this.#reading === reading) this.#reading = undefined;
    };
    reading.refs.then(end, end);
    return reading.refs;
  }

  /**
   * Parses the lines `<oid> <name>`. A line that begins with `#` is a comment. A line that begins with `^`
   * has the target of the tag in the previous line. Choice: All other lines are skipped with a warning,
   * although git lists no references then.
   */
  *#parse(bytes: Uint8Array): Steps<readonly Ref[]> {
    const { logOnce } = this.#context;
    const decoder = new TextDecoder();
    const refs: Ref[] = [];
    let isSorted = true;
    let wrong = 0;
    let count = 0;
    for (let from = 0, to = 0; from < bytes.length; from = to) {
      to = bytes.indexOf(LINE_FEED, from + BYTES_AT_ONCE) + 1 || bytes.length;
      const text = decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length });
      for (let start = 0, end = 0; start < text.length; start = end + 1) {
        end = text.indexOf("\n", start);
        if (end < 0) end = text.length;
        if (++count % LINES_AT_ONCE === 0) yield;
        if (end === start || text[start] === "#" || text[start] === "^") continue;
        const oid = text.slice(start, start + 40).toLowerCase();
        const name = text.slice(start + 41, end);
        if (!isOid(oid) || !SEPARATORS.has(text[start + 40]!) || !isStoredName(name)) {
          const line = text.slice(start, Math.min(end, start + 100));
          if (wrong++ < WARNED_LINES) logOnce(`${this.#path} has a line that is not a reference: ${line}`);
          continue;
        }
        isSorted &&= compareUtf8(refs.at(-1)?.name ?? "", name) < 0;
        refs.push({ name, oid });
      }
    }
    if (wrong > WARNED_LINES) logOnce(`${this.#path} has ${wrong - WARNED_LINES} more such lines`);
    return isSorted ? refs : refs.sort((a, b) => compareUtf8(a.name, b.name));
  }
}
