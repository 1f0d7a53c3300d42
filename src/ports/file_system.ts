/**
 * The few file calls that are needed to read a Radicle home. They are synchronous: one read of a local file
 * takes microseconds, and a promise for each would cost more than the read. For an absent file they return
 * `undefined`, also when a component of its path is not a directory. Other failures throw.
 */

/** Kind of a directory entry. Symbolic links are not followed. */
export type FileKind = "file" | "directory" | "link" | "other";

/** One entry of a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** Metadata of a file, read without opening it; symbolic links are not followed. */
export interface FileStat {
  readonly kind: FileKind;
  /** Length in bytes. */
  readonly size: number;
  /** Time of the last change of the content (mtime), in milliseconds since the epoch with fractions. */
  readonly modifiedMs: number;
  /** Inode number: another file under the same name has another number. */
  readonly inode: number;
  /** Number of hard links to the file; 1 where the system does not report it. */
  readonly links: number;
}

/** An open file. */
export interface OpenFile {
  /** Length in bytes when it was opened. */
  readonly size: number;
  /**
   * Fills `into` with the bytes from `position` on. Returns the number of bytes read; it is smaller than
   * `into` only at the end of the file.
   */
  read(into: Uint8Array, position: number): number;
  close(): void;
}

/** The file system, by absolute paths. */
export interface FileSystem {
  /** Reads a whole file. */
  read(path: string): Uint8Array<ArrayBuffer> | undefined;
  /** Lists the entries of a directory, in any order. */
  list(path: string): readonly DirectoryEntry[] | undefined;
  stat(path: string): FileStat | undefined;
  open(path: string): OpenFile | undefined;
  /** The unresolved target of a symbolic link; `undefined` when there is no such link. */
  readLink(path: string): string | undefined;
}

/** A file being written. */
export interface NewFile {
  /** Appends all of the bytes. */
  write(bytes: Uint8Array): void;
  /** Resolves when the bytes written so far have reached the disk. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * Calls that change files. They take effect at once, except for `sync` and `syncDirectory`, which wait
 * milliseconds for the disk. An absent or existing file is reported by the return value. Refusals throw
 * `WriteError` (`denied`, `full`); other failures throw the system's error.
 */
export interface FileWriting {
  /**
   * Creates a file exclusively (`O_EXCL`).
   *
   * @param mode Permissions; the process's umask is subtracted.
   * @returns The open file; "exists" when the name is taken; `undefined` when the parent directory does not
   *   exist.
   */
  create(path: string, mode: number): NewFile | "exists" | undefined;
  /**
   * Creates a directory.
   *
   * @returns "exists" when the name is taken; `undefined` when the parent directory does not exist.
   */
  makeDirectory(path: string): "made" | "exists" | undefined;
  /**
   * Renames a file on the same device, replacing an existing file. Returns `false` when the new name is a
   * directory, or the file does not exist.
   */
  rename(path: string, newPath: string): boolean;
  /**
   * @returns "exists" when the name is taken; "refused" when the file system or the permissions allow no hard
   *   link; `undefined` when the file or the parent directory does not exist.
   */
  link(path: string, newPath: string): "made" | "exists" | "refused" | undefined;
  /**
   * Renames a file on the same device unless the new name is taken. Returns `false` when it is taken, or the
   * file does not exist.
   */
  renameToFree(path: string, newPath: string): boolean;
  /** Removes a file or an empty directory. Returns `false` when it does not exist or is not empty. */
  remove(path: string): boolean;
  /** Sets the mtime of a file to now. Returns `false` when it does not exist or its mtime cannot be set. */
  touch(path: string): boolean;
  /** Resolves when the entries of a directory have reached the disk, if the system supports it. */
  syncDirectory(path: string): Promise<void>;
  /**
   * Runs `action` under a file lock. An "exclusive" lock excludes every other lock on the file, a "shared"
   * lock only exclusive locks. The operating system releases the lock when the process ends for any reason.
   *
   * @param path An empty file that is only used for this lock: if this process opens it in another way, the
   *   lock may be lost.
   * @returns The result of `action`. "busy", without calling `action`, when a conflicting lock is held, by
   *   another process or by this one. `undefined`, without calling `action`, when the system or the
   *   permissions allow no file lock, or the file does not exist.
   */
  withFileLock<T>(
    path: string,
    kind: "shared" | "exclusive",
    action: () => T,
  ): { readonly value: T } | "busy" | undefined;
}

/** A file system with write calls. */
export type WritableFileSystem = FileSystem & FileWriting;

/** Whether the file system has write calls. */
export function isWritableFileSystem(fileSystem: FileSystem): fileSystem is WritableFileSystem {
  return "create" in fileSystem && "syncDirectory" in fileSystem;
}

/** The calls of a file system that do not write. */
export function readOnlyFiles({ read, list, stat, open, readLink }: FileSystem): FileSystem {
  return { read, list, stat, open, readLink };
}
