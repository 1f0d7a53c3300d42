/** Files in memory, to put odd, broken and changing ones before the storage of a home. */
import type {
  DirectoryEntry,
  FileKind,
  FileStat,
  FileSystem,
  OpenFile,
} from "../../../src/ports/file_system.ts";

const DIRECTORY_BYTES = 4096;

interface FakeFile {
  readonly kind: FileKind;
  readonly bytes: Uint8Array;
  readonly inode: number;
  readonly modifiedMs: number;
}

/** Files by absolute path. Directories are there as long as they hold something. */
export class FakeFiles implements FileSystem {
  readonly #files = new Map<string, FakeFile>();
  /** When names in a directory changed last. */
  readonly #directoriesMs = new Map<string, number>();
  #inodes = 0;
  /** The clock that stamps changes: long before any test, so that all counts as settled. */
  nowMs = 1_000_000_000_000;
  /** How much later each change is than the one before; with 0 all changes bear the same stamp. */
  tickMs = 10;
  /** Handles that are open now. */
  openCount = 0;
  /** How often each call was made. */
  readonly calls = { read: 0, list: 0, stat: 0, open: 0 };
  /** Called before each call is answered, and before an open file is read. */
  beforeCall: () => void = () => {};

  /** Puts a file, or something of another kind, in place of what was there. */
  put(path: string, content: string | Uint8Array, kind: FileKind = "file"): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#stamp(path);
    this.#files.set(path, { kind, bytes, inode: ++this.#inodes, modifiedMs: this.nowMs });
  }

  /** Removes a file, or a directory with all in it. */
  remove(path: string): void {
    for (const name of [...this.#files.keys()]) {
      if (name !== path && !name.startsWith(path + "/")) continue;
      this.#stamp(name);
      this.#files.delete(name);
    }
  }

  read(path: string): Uint8Array<ArrayBuffer> | undefined {
    this.#count("read");
    const file = this.#files.get(path);
    return file?.kind === "file" ? Uint8Array.from(file.bytes) : undefined;
  }

  list(path: string): DirectoryEntry[] | undefined {
    this.#count("list");
    const below = path.endsWith("/") ? path : path + "/";
    const entries = new Map<string, DirectoryEntry>();
    for (const [name, file] of this.#files) {
      if (!name.startsWith(below)) continue;
      const [first = "", ...rest] = name.slice(below.length).split("/");
      entries.set(first, { name: first, kind: rest.length > 0 ? "directory" : file.kind });
    }
    return entries.size > 0 ? [...entries.values()] : undefined;
  }

  stat(path: string): FileStat | undefined {
    this.#count("stat");
    const file = this.#files.get(path);
    if (file !== undefined) {
      const { kind, bytes, modifiedMs, inode } = file;
      return { kind, size: bytes.length, modifiedMs, inode, links: 1 };
    }
    if (![...this.#files.keys()].some((name) => name.startsWith(path + "/"))) return undefined;
    return {
      kind: "directory",
      size: DIRECTORY_BYTES,
      modifiedMs: this.#directoriesMs.get(path) ?? 0,
      inode: 0,
      links: 1,
    };
  }

  open(path: string): OpenFile | undefined {
    this.#count("open");
    const file = this.#files.get(path);
    if (file?.kind !== "file") return undefined;
    const { bytes } = file;
    let isOpen = true;
    this.openCount++;
    return {
      size: bytes.length,
      read: (into, position) => {
        this.beforeCall();
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

  readLink(path: string): string | undefined {
    const file = this.#files.get(path);
    return file?.kind === "link" ? new TextDecoder().decode(file.bytes) : undefined;
  }

  #count(call: keyof FakeFiles["calls"]): void {
    this.beforeCall();
    this.calls[call]++;
  }

  /** Notes a change of a name in its directory and those above, which may come into being or vanish with it. */
  #stamp(path: string): void {
    this.nowMs += this.tickMs;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      this.#directoriesMs.set(path.slice(0, end), this.nowMs);
    }
  }
}
