/**
 * Reads the files and folders of loose references. A file or folder is read again only when its metadata has
 * changed.
 */
import type { LruMap } from "../../cache/lru_map.ts";
import { Memory } from "../../cache/memory.ts";
import { isOid } from "../../ids/oid.ts";
import { isRefname } from "../../ids/refname.ts";
import type { FileKind, FileStat, FileSystem } from "../../ports/file_system.ts";
import type { Ref } from "../../ports/storage.ts";
import type { Steps } from "../../scheduling/task.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { Freshness, SETTLING_MS } from "../../cache/file_freshness.ts";

/** Approximate memory of a cached file, or of a name in a cached folder together with its file, in bytes. */
export const REF_FILE_BYTES = 300;

/**
 * Maximum number of names in a folder of references. A larger folder is not listed, but its references can
 * still be read by name.
 */
export const MAX_REFS_IN_FOLDER = 65_536;

/** Number of names that are processed in one step, which takes less than a millisecond. */
const NAMES_AT_ONCE = 512;

/** Number of bytes that are read from the start of the file of a reference. Any target name is shorter. */
export const MAX_LOOSE_REF_BYTES = 8192;

/** Approximate memory of a reference in a cached list, in bytes. */
export const LISTED_REF_BYTES = 128;
/** Approximate memory of a lookup on which a cached list depends, in bytes. */
const CHECK_BYTES = 1024;

/**
 * Time for which the file of a reference is not checked again while the mtime of its folder is unchanged, in
 * milliseconds. This service, git and all Radicle programs replace the file, which changes the mtime of the
 * folder and is detected at once. Only a write into the existing file is detected late.
 */
export const TRUSTED_MS = 1000;

/**
 * Result of reading a loose reference: the reference, "broken" if its file is malformed, `undefined` if it
 * does not exist.
 */
export type Loose = Ref | "broken" | undefined;

interface CachedFile<T> {
  readonly freshness: Freshness;
  readonly content: T;
}

/** An entry of a folder of references. */
export interface RefEntry {
  readonly name: string;
  /** The full name of the reference, beginning with `refs`. */
  readonly fullName: string;
  /** Kind of the entry when the folder was listed. */
  readonly kind: FileKind;
  /** The cached content of the file. */
  cached: CachedFile<Loose> | undefined;
  /**
   * Time of the last check of the file, and the mtime of its folder just before the check, in milliseconds
   * since the Unix epoch. `undefined` if the entry is not a cached file, or the folder has changed since the
   * check.
   */
  seen: { readonly atMs: number; readonly folderMs: number } | undefined;
}

/** A folder of references at one point in time. */
export interface RefFolder {
  /**
   * The entries whose names can be part of a reference name, in the order of reference names. Two calls
   * return the same array only if the folder has the same entries and the same mtime.
   */
  readonly entries: readonly RefEntry[];
  /**
   * The mtime of the folder in milliseconds since the Unix epoch; `undefined` when the folder does not exist.
   */
  readonly modifiedMs: number | undefined;
  /** Time just before the metadata of the folder was read, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** A list of references, with the conditions under which the list is valid. */
export interface CachedRefs {
  readonly refs: readonly Ref[];
  /**
   * Lookups on which `refs` depends, in their order. Each lookup found the kind of one name in a directory,
   * or all entries of the directory (then `part` is `*`).
   */
  readonly checks: readonly {
    readonly directory: string;
    readonly part: string;
    readonly found: RefFolder["entries"] | FileKind | undefined;
  }[];
  /** All packed references. */
  readonly packed: readonly Ref[];
  /** Time at which the list was made, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /**
   * Time until which the files of the references are trusted without a check, in milliseconds since the Unix
   * epoch.
   */
  readonly untilMs: number;
}

/** Reads files and folders of references. Returned content was checked at most {@link TRUSTED_MS} ago. */
export class RefFiles {
  readonly #fileSystem: FileSystem;
  readonly #warn: (message: string) => void;
  readonly #files: LruMap<string, CachedFile<Loose>>;
  readonly #folders: LruMap<string, CachedFile<readonly RefEntry[]>>;
  /** Lists of references, by path of the repository and prefix. */
  readonly lists: LruMap<string, CachedRefs>;
  /**
   * Returns the time in milliseconds since the Unix epoch, from the clock that sets mtimes in the file
   * system.
   */
  readonly now: () => number;

  /** @param warn Logs a warning, unless the same warning was logged before. */
  constructor(
    fileSystem: FileSystem,
    now: () => number,
    warn: (message: string) => void,
    memory: Memory = new Memory(),
  ) {
    this.#fileSystem = fileSystem;
    this.#files = memory.map("references", () => REF_FILE_BYTES);
    this.#folders = memory.map("references", ({ content }) => REF_FILE_BYTES * (1 + content.length));
    this.lists = memory.map(
      "references",
      ({ refs, checks }) => LISTED_REF_BYTES * refs.length + CHECK_BYTES * (1 + checks.length),
    );
    this.#warn = warn;
    this.now = now;
  }

  /**
   * Reads a folder. `prefix` is the beginning of the names of the references in the folder. Returns no
   * entries for a symbolic link, a missing folder, and a folder with too many names.
   */
  *folder(path: string, prefix: string): Steps<RefFolder> {
    const nowMs = this.now();
    const stat = this.#fileSystem.stat(path);
    const modifiedMs = stat?.modifiedMs;
    const cached = this.#folders.get(path);
    if (cached?.freshness.holds(stat)) return { entries: cached.content, modifiedMs, nowMs };
    const entries = yield* this.#list(path, prefix, stat, cached);
    this.#folders.set(path, { freshness: new Freshness(stat, nowMs), content: entries });
    return { entries, modifiedMs, nowMs };
  }

  /**
   * Lists a folder. Entries that were in the previous list stay the same objects with their cached content.
   */
  *#list(
    path: string,
    prefix: string,
    stat: FileStat | undefined,
    cached: CachedFile<readonly RefEntry[]> | undefined,
  ): Steps<readonly RefEntry[]> {
    let listed = stat?.kind === "directory" ? this.#fileSystem.list(path) ?? [] : [];
    if (listed.length > NAMES_AT_ONCE) yield;
    if (listed.length > MAX_REFS_IN_FOLDER) {
      this.#warn(`${path} has more than ${MAX_REFS_IN_FOLDER} references: none is listed`);
      listed = [];
    }
    const earlier = new Map(cached?.content.map((entry) => [entry.name, entry]));
    const isSameFolder = cached?.freshness.isOver(stat) === false;
    const entries: RefEntry[] = [];
    let count = 0;
    for (const { name, kind } of listed) {
      if (++count % NAMES_AT_ONCE === 0) yield;
      const entry = earlier.get(name);
      if (entry === undefined && !isRefname(prefix + name)) continue;
      if (entry?.kind !== kind) {
        entries.push({ name, fullName: prefix + name, kind, cached: undefined, seen: undefined });
      } else {
        if (!isSameFolder) entry.seen = undefined;
        entries.push(entry);
      }
    }
    if (isSameFolder && isSameSet(entries, earlier)) return cached.content;
    if (entries.length > NAMES_AT_ONCE) yield;
    return entries.sort((a, b) => compareUtf8(placeOf(a), placeOf(b)));
  }

  /**
   * Returns the content of the file of an entry. The cached content may be returned without a check for
   * {@link TRUSTED_MS}.
   */
  entry(path: string, entry: RefEntry, folder: RefFolder): Loose {
    if (entry.kind === "link") return this.link(path, entry.fullName);
    if (isTrusted(entry, folder)) return entry.cached?.content;
    const { modifiedMs, nowMs } = folder;
    const found = this.#check(path, entry.fullName, nowMs, entry.cached);
    const isFile = typeof found === "object";
    entry.cached = isFile ? found : undefined;
    entry.seen = isFile && modifiedMs !== undefined ? { atMs: nowMs, folderMs: modifiedMs } : undefined;
    return isFile ? found.content : found;
  }

  /** Returns the reference `name` in the file `path`. */
  loose(path: string, name: string): Loose {
    const cached = this.#files.get(path);
    const found = this.#check(path, name, this.now(), cached);
    if (typeof found !== "object") return found;
    if (found !== cached) this.#files.set(path, found);
    return found.content;
  }

  /**
   * Returns the cached content of a file if it is still valid, otherwise the current content. A missing file
   * is not cached.
   */
  #check(
    path: string,
    name: string,
    nowMs: number,
    cached: CachedFile<Loose> | undefined,
  ): CachedFile<Loose> | "broken" | undefined {
    const stat = this.#fileSystem.stat(path);
    if (stat === undefined || stat.kind === "directory") return undefined;
    if (stat.kind === "other") return "broken";
    if (cached?.freshness.holds(stat)) return cached;
    if (stat.kind === "link") {
      return { freshness: new Freshness(stat, nowMs), content: this.link(path, name) };
    }
    const text = this.#readSmall(path);
    return {
      freshness: new Freshness(stat, nowMs),
      content: text === undefined ? undefined : parseLoose(name, text),
    };
  }

  /** Returns the reference `name` in the symbolic link `path`; `undefined` when the link does not exist. */
  link(path: string, name: string): Loose {
    const target = this.#fileSystem.readLink(path);
    return target === undefined ? undefined : parseLink(name, target);
  }

  #readSmall(path: string): string | undefined {
    const file = this.#fileSystem.open(path);
    if (file === undefined) return undefined;
    try {
      const bytes = new Uint8Array(Math.min(file.size, MAX_LOOSE_REF_BYTES));
      return new TextDecoder().decode(bytes.subarray(0, file.read(bytes, 0)));
    } finally {
      file.close();
    }
  }
}

/** Checks whether a folder has the same entry objects as before. */
function isSameSet(entries: readonly RefEntry[], earlier: ReadonlyMap<string, RefEntry>): boolean {
  return entries.length === earlier.size && entries.every((entry) => earlier.get(entry.name) === entry);
}

/**
 * Returns the sort key of an entry. A folder sorts as if its name ended in a slash, like the references in
 * the folder.
 */
function placeOf({ name, kind }: RefEntry): string {
  return kind === "directory" ? `${name}/` : name;
}

/**
 * Returns the time until which the content of the file of an entry is trusted without a check, as long as the
 * mtime of the folder is unchanged. The result is `-Infinity` if the folder changed so recently that the
 * replacement of a file might not change the mtime.
 */
export function trustedUntilMs({ seen }: RefEntry): number {
  return seen !== undefined && seen.folderMs < seen.atMs - SETTLING_MS ? seen.atMs + TRUSTED_MS : -Infinity;
}

function isTrusted(entry: RefEntry, { modifiedMs, nowMs }: RefFolder): boolean {
  const { seen } = entry;
  return seen !== undefined && seen.folderMs === modifiedMs && seen.atMs <= nowMs &&
    nowMs < trustedUntilMs(entry);
}

/** Characters that git treats as white space. */
const SPACE = " \t\n\r";
const SPACES_AT_END = new RegExp(`[${SPACE}]+$`);
/** Matches an object id. Any text may follow after white space. */
const LOOSE_OID = new RegExp(`^[0-9a-fA-F]{40}(?=[${SPACE}]|$)`);
const LOOSE_TARGET = new RegExp(`^ref:[${SPACE}]*(.*)$`, "s");

/**
 * Parses the content of a loose reference as git does. The content ends at a NUL, and white space at its end
 * is removed.
 */
function parseLoose(name: string, text: string): Ref | "broken" {
  const [value = ""] = text.replace(SPACES_AT_END, "").split("\0", 1);
  const target = LOOSE_TARGET.exec(value)?.[1];
  if (target !== undefined) return isRefname(target) ? { name, target } : "broken";
  const oid = LOOSE_OID.exec(value)?.[0].toLowerCase();
  return oid !== undefined && isOid(oid) ? { name, oid } : "broken";
}

/**
 * Parses a symbolic link that is the file of a reference. The link is a symbolic reference if its target is
 * the name of a reference, or a file below `refs` of the same repository. Choice: All other links are
 * refused, although git reads their files wherever they are.
 */
function parseLink(name: string, link: string): Ref | "broken" {
  if (link.startsWith("refs/") && isRefname(link)) return { name, target: link };
  const parts = name.split("/").slice(0, -1);
  for (const part of link.split("/")) {
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return "broken";
  }
  const target = parts.join("/");
  return target.startsWith("refs/") && isRefname(target) ? { name, target } : "broken";
}
