/** The files and folders that loose references are made of, read again only when their stamps have changed. */
import { LruMap } from "../../cache/lru_map.ts";
import { isOid } from "../../ids/oid.ts";
import { isRefname } from "../../ids/refname.ts";
import type { DirectoryEntry, FileStat, FileSystem } from "../../ports/file_system.ts";
import type { Ref } from "../../ports/storage.ts";
import { Freshness, SETTLING_MS } from "./freshness.ts";

/** Files, and names in folders, whose content is kept, of all repositories together: a few hundred bytes each. */
export const MAX_KEPT_REF_FILES = 32_768;

/** How much of a reference's file is read, in bytes: more than the longest name that a file can have. */
export const MAX_LOOSE_REF_BYTES = 8192;

/**
 * For how long a file of a reference is not looked at again while its folder stays as it is, in milliseconds. Git and all Radicle programs put a
 * new file in the place of the old one, which changes the folder: this is only for those who write into the old one.
 */
export const TRUSTED_MS = 1000;

/** What stands where a reference's file would be: nothing (or a folder), something that is no reference, or one. */
export type Loose = Ref | "broken" | undefined;

/** What was read once. */
interface Kept<T> {
  readonly freshness: Freshness;
  readonly content: T;
  /** When it was last looked at, and the stamp of its folder just before, milliseconds since the epoch. */
  seen?: { readonly atMs: number; readonly folderMs: number };
}

/** A folder of references. */
export interface RefFolder {
  /** What can go on a reference's name. */
  readonly entries: readonly DirectoryEntry[];
  /** When entries were last made, removed or replaced, milliseconds since the epoch; absent where there is no folder. */
  readonly modifiedMs: number | undefined;
}

/** Reads files and folders of references. Every call tells the present state. */
export class RefFiles {
  readonly #fileSystem: FileSystem;
  readonly #now: () => number;
  readonly #files = new LruMap<string, Kept<Loose>>(MAX_KEPT_REF_FILES / 2);
  readonly #folders = new LruMap<string, Kept<readonly DirectoryEntry[]>>(
    MAX_KEPT_REF_FILES / 2,
    ({ content }) => 1 + content.length,
  );

  /** @param now The clock that also stamps files, milliseconds since the epoch. */
  constructor(fileSystem: FileSystem, now: () => number) {
    this.#fileSystem = fileSystem;
    this.#now = now;
  }

  /** The folder `path`, for references whose names begin with `prefix`. */
  folder(path: string, prefix: string): RefFolder {
    const nowMs = this.#now();
    const stat = this.#fileSystem.stat(path);
    const entries = keep(this.#folders, path, stat, nowMs, () => {
      const entries = this.#fileSystem.list(path) ?? [];
      return entries.filter((entry) => isRefname(prefix + entry.name));
    });
    return { entries, modifiedMs: stat?.modifiedMs };
  }

  /** The reference of that name in the file `path`. With `folderMs`, the stamp that its folder has now, the file may be believed unseen. */
  loose(path: string, name: string, folderMs?: number): Loose {
    const nowMs = this.#now();
    const known = folderMs === undefined ? undefined : this.#files.get(path);
    if (known?.seen !== undefined && isTrusted(known.seen, folderMs, nowMs)) return known.content;
    const stat = this.#fileSystem.stat(path);
    if (stat === undefined || stat.kind === "directory") return undefined;
    if (stat.kind !== "file") return "broken";
    const content = keep(this.#files, path, stat, nowMs, () => {
      const text = this.#readSmall(path);
      return text === undefined ? undefined : parseLoose(name, text);
    });
    if (folderMs !== undefined) this.#files.get(path)!.seen = { atMs: nowMs, folderMs };
    return content;
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

/** Whether nothing can have been put in the place of a file since it was looked at, and that was a moment ago. */
function isTrusted(
  { atMs, folderMs }: { readonly atMs: number; readonly folderMs: number },
  nowFolderMs: number | undefined,
  nowMs: number,
): boolean {
  return folderMs === nowFolderMs && folderMs < atMs - SETTLING_MS && atMs <= nowMs &&
    nowMs < atMs + TRUSTED_MS;
}

/** What is kept of `path`, or else is read after `stat` was taken, at `nowMs`. */
function keep<T>(
  kept: LruMap<string, Kept<T>>,
  path: string,
  stat: FileStat | undefined,
  nowMs: number,
  read: () => T,
): T {
  const known = kept.get(path);
  if (known?.freshness.holds(stat)) return known.content;
  const content = read();
  kept.set(path, { freshness: new Freshness(stat, nowMs), content });
  return content;
}

function parseLoose(name: string, text: string): Ref | "broken" {
  const oid = text.slice(0, 40).toLowerCase();
  if (isOid(oid) && text.slice(40).trim() === "") return { name, oid };
  const target = /^ref:\s*(.*?)\s*$/.exec(text)?.[1];
  return target !== undefined && isRefname(target) ? { name, target } : "broken";
}
