/** Files in memory, to put odd and broken ones before the storage of a home. */
import type { DirectoryEntry, FileKind, FileSystem, OpenFile } from "../../../src/ports/file_system.ts";

/** A time long before any test, so that what is stamped with it counts as settled. */
const LONG_AGO_MS = 1_000_000_000_000;

/** Files by absolute path. Directories are there as long as they hold something. */
export class FakeFiles implements FileSystem {
  readonly #files = new Map<
    string,
    { kind: FileKind; bytes: Uint8Array; inode: number; modifiedMs: number }
  >();
  #inodes = 0;
  /** Handles that are open now. */
  openCount = 0;
  /** How often each call was made. */
  readonly calls = { read: 0, list: 0, stat: 0, open: 0 };

  /** Puts a file, or something of another kind, in place of what was there. */
  put(
    path: string,
    content: string | Uint8Array,
    kind: FileKind = "file",
    modifiedMs: number = LONG_AGO_MS,
  ): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#files.set(path, { kind, bytes, inode: ++this.#inodes, modifiedMs });
  }

  /** Removes a file, or a directory with all in it. */
  remove(path: string): void {
    for (const name of [...this.#files.keys()]) {
      if (name === path || name.startsWith(path + "/")) this.#files.delete(name);
    }
  }

  read(path: string): Uint8Array<ArrayBuffer> | undefined {
    this.calls.read++;
    const file = this.#files.get(path);
    return file?.kind === "file" ? Uint8Array.from(file.bytes) : undefined;
  }

  list(path: string): DirectoryEntry[] | undefined {
    this.calls.list++;
    const below = path.endsWith("/") ? path : path + "/";
    const entries = new Map<string, DirectoryEntry>();
    for (const [name, file] of this.#files) {
      if (!name.startsWith(below)) continue;
      const [first = "", ...rest] = name.slice(below.length).split("/");
      entries.set(first, { name: first, kind: rest.length > 0 ? "directory" : file.kind });
    }
    return entries.size > 0 ? [...entries.values()] : undefined;
  }

  stat(
    path: string,
  ): { kind: FileKind; size: number; modifiedMs: number; inode: number } | undefined {
    this.calls.stat++;
    const file = this.#files.get(path);
    if (file !== undefined) {
      return { kind: file.kind, size: file.bytes.length, modifiedMs: file.modifiedMs, inode: file.inode };
    }
    let size = 0;
    let modifiedMs = 0;
    for (const [name, inside] of this.#files) {
      if (!name.startsWith(path + "/")) continue;
      size++;
      modifiedMs = Math.max(modifiedMs, inside.modifiedMs);
    }
    return size > 0 ? { kind: "directory", size, modifiedMs, inode: 0 } : undefined;
  }

  open(path: string): OpenFile | undefined {
    this.calls.open++;
    const file = this.#files.get(path);
    if (file?.kind !== "file") return undefined;
    const { bytes } = file;
    let isOpen = true;
    this.openCount++;
    return {
      size: bytes.length,
      read: (into, position) => {
        if (!isOpen) throw new Error("The file is closed");
        const piece = bytes.subarray(position, position + into.length);
        into.set(piece);
        return piece.length;
      },
      close: () => {
        if (isOpen) this.openCount--;
        isOpen = false;
      },
    };
  }
}
