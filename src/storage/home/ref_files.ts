/** The files and folders that loose references are made of, read again only when their stamps have changed. */
import type { LruMap } from "../../cache/lru_map.ts";
import { Memory } from "../../cache/memory.ts";
import { isOid } from "../../ids/oid.ts";
import { isRefname } from "../../ids/refname.ts";
import type { FileKind, FileStat, FileSystem } from "../../ports/file_system.ts";
import type { Ref } from "../../ports/storage.ts";
import type { Steps } from "../../time/turns.ts";
import { compareUtf8 } from "../../text/compare_utf8.ts";
import { Freshness, SETTLING_MS } from "../../cache/file_freshness.ts";

/** Memory of a cached file, or of a name in a cached folder and its file, in bytes, about. */
export const REF_FILE_BYTES = 300;

/** Names in one folder of references; of a folder with more, none is shown, unless it is asked for by itself. */
export const MAX_REFS_IN_FOLDER = 65_536;

/** Names that are looked at in one go: below a millisecond. */
const NAMES_AT_ONCE = 512;

/** How much of a reference's file is read, in bytes: more than the longest name that a file can have. */
export const MAX_LOOSE_REF_BYTES = 8192;

/** Memory of a reference in a cached list, and of a look on the way to it, in bytes, about. */
export const LISTED_REF_BYTES = 128;
const LOOK_BYTES = 1024;

/**
 * For how long a file of a reference is not looked at again while its folder stays as it is, in milliseconds. Git and all Radicle programs put a
 * new file in the place of the old one, which changes the folder: this is only for those who write into the old one.
 */
export const TRUSTED_MS = 1000;

/** Result of reading a loose reference: absent (or a folder), malformed, or a reference. */
export type Loose = Ref | "broken" | undefined;

/** Content as it was read. */
interface CachedFile<T> {
  readonly freshness: Freshness;
  readonly content: T;
}

/** A name in a folder of references. */
export interface RefEntry {
  readonly name: string;
  /** The names of all folders from `refs` on, and this one. */
  readonly fullName: string;
  /** What it was when the folder was listed. */
  readonly kind: FileKind;
  /** Content of its file. */
  cached: CachedFile<Loose> | undefined;
  /** When its file was last looked at, and the stamp of its folder just before, milliseconds since the epoch. */
  seen: { readonly atMs: number; readonly folderMs: number } | undefined;
}

/** A folder of references at one moment. */
export interface RefFolder {
  /** What can go on a reference's name, in the order of the names of references. The same array only if the folder's stamp is the same, too. */
  readonly entries: readonly RefEntry[];
  /** When entries were last made, removed or replaced, milliseconds since the epoch; absent where there is no folder. */
  readonly modifiedMs: number | undefined;
  /** The moment, just before the folder was looked at, milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A list of references, and what must be unchanged for it to be valid. */
export interface CachedRefs {
  /** Never written to. */
  readonly refs: Ref[];
  /** What was looked at, in that order: one name of a directory, or all (`*`). */
  readonly looks: readonly {
    readonly directory: string;
    readonly part: string;
    readonly found: RefFolder["entries"] | FileKind | undefined;
  }[];
  /** All packed references. */
  readonly packed: readonly Ref[];
  /** When it was made, and until when its files may be believed unseen, milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Reads files and folders of references. Every call tells the present state. */
export class RefFiles {
  readonly #fileSystem: FileSystem;
  readonly #warn: (message: string) => void;
  readonly #files: LruMap<string, CachedFile<Loose>>;
  readonly #folders: LruMap<string, CachedFile<readonly RefEntry[]>>;
  /** Lists of references, by path of the repository and prefix. */
  readonly lists: LruMap<string, CachedRefs>;
  /** The clock that also stamps files, milliseconds since the epoch. */
  readonly now: () => number;

  /** @param warn Takes a warning for the operator, each once. */
  constructor(
    fileSystem: FileSystem,
    now: () => number,
    warn: (message: string) => void,
    memory: Memory = new Memory(),
  ) {
    this.#fileSystem = fileSystem;
    this.#files = memory.map("refFiles", () => REF_FILE_BYTES);
    this.#folders = memory.map("refFolders", ({ content }) => REF_FILE_BYTES * (1 + content.length));
    this.lists = memory.map(
      "refLists",
      ({ refs, looks }) => LISTED_REF_BYTES * refs.length + LOOK_BYTES * (1 + looks.length),
    );
    this.#warn = warn;
    this.now = now;
  }

  /** The folder `path`, for references whose names begin with `prefix`. What is no real folder holds nothing, and neither does one of too many names. */
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

  /** Lists a folder; the cached content of files in it stays cached. */
  *#list(
    path: string,
    prefix: string,
    stat: FileStat | undefined,
    cached: CachedFile<readonly RefEntry[]> | undefined,
  ): Steps<readonly RefEntry[]> {
    let listed = stat?.kind === "directory" ? this.#fileSystem.list(path) ?? [] : [];
    if (listed.length > NAMES_AT_ONCE) yield;
    if (listed.length > MAX_REFS_IN_FOLDER) {
      this.#warn(`${path} has more than ${MAX_REFS_IN_FOLDER} references: none is shown`);
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

  /** What the file of an entry holds, which may be believed unseen for a moment. */
  entry(path: string, entry: RefEntry, folder: RefFolder): Loose {
    if (isTrusted(entry, folder)) return entry.cached?.content;
    const { modifiedMs, nowMs } = folder;
    const found = this.#look(path, entry.fullName, nowMs, entry.cached);
    const isFile = typeof found === "object";
    entry.cached = isFile ? found : undefined;
    entry.seen = isFile && modifiedMs !== undefined ? { atMs: nowMs, folderMs: modifiedMs } : undefined;
    return isFile ? found.content : found;
  }

  /** The reference of that name in the file `path`. */
  loose(path: string, name: string): Loose {
    const cached = this.#files.get(path);
    const found = this.#look(path, name, this.now(), cached);
    if (typeof found !== "object") return found;
    if (found !== cached) this.#files.set(path, found);
    return found.content;
  }

  /** The cached content of a file, if that still holds, or else what is read; where no file is, nothing can be cached. */
  #look(
    path: string,
    name: string,
    nowMs: number,
    cached: CachedFile<Loose> | undefined,
  ): CachedFile<Loose> | "broken" | undefined {
    const stat = this.#fileSystem.stat(path);
    if (stat === undefined || stat.kind === "directory") return undefined;
    if (stat.kind !== "file") return "broken";
    if (cached?.freshness.holds(stat)) return cached;
    const text = this.#readSmall(path);
    return {
      freshness: new Freshness(stat, nowMs),
      content: text === undefined ? undefined : parseLoose(name, text),
    };
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

/** Whether a folder holds just what it held. */
function isSameSet(entries: readonly RefEntry[], earlier: ReadonlyMap<string, RefEntry>): boolean {
  return entries.length === earlier.size && entries.every((entry) => earlier.get(entry.name) === entry);
}

/** References in a folder sort by what comes after its name, too. */
function placeOf({ name, kind }: RefEntry): string {
  return kind === "directory" ? `${name}/` : name;
}

/** Until when nothing can have been put in the place of a file that was looked at in its folder, as long as the folder's stamp is the same. */
export function trustedUntilMs({ seen }: RefEntry): number {
  return seen !== undefined && seen.folderMs < seen.atMs - SETTLING_MS ? seen.atMs + TRUSTED_MS : -Infinity;
}

function isTrusted(entry: RefEntry, { modifiedMs, nowMs }: RefFolder): boolean {
  const { seen } = entry;
  return seen !== undefined && seen.folderMs === modifiedMs && seen.atMs <= nowMs &&
    nowMs < trustedUntilMs(entry);
}

function parseLoose(name: string, text: string): Ref | "broken" {
  const oid = text.slice(0, 40).toLowerCase();
  if (isOid(oid) && text.slice(40).trim() === "") return { name, oid };
  const target = text.startsWith("ref:") ? text.slice("ref:".length).trim() : undefined;
  return target !== undefined && isRefname(target) ? { name, target } : "broken";
}
