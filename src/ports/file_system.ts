/**
 * The file system calls that are needed to read a Radicle home. The calls are synchronous, because one read
 * of a local file takes microseconds and a promise would cost more than the read. If a file is missing, or a
 * component of its path is not a directory, the calls return `undefined`. On other failures, the calls throw
 * an error.
 */

/** Kind of a directory entry. Symbolic links are not followed. */
export type FileKind = "file" | "directory" | "link" | "other";

/** One entry of a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** Metadata of a file, which is read without opening the file. Symbolic links are not followed. */
export interface FileStat {
  readonly kind: FileKind;
  /** Size of the file, in bytes. */
  readonly size: number;
  /** Time of the last change of the content (mtime), in milliseconds since the epoch with fractions. */
  readonly modifiedMs: number;
  /** Inode number. If a file is replaced by another file with the same name, the number changes. */
  readonly inode: number;
  /** Number of hard links to the file; 1 if the system does not report the number. */
  readonly links: number;
}

/** An open file. */
export interface OpenFile {
  /** Size of the file when it was opened, in bytes. */
  readonly size: number;
  /**
   * Fills `into` with the bytes from `position` on. Returns the number of bytes read. This number is smaller
   * than the length of `into` only at the end of the file.
   */
  read(into: Uint8Array, position: number): number;
  close(): void;
}

/** A file system with absolute paths. */
export interface FileSystem {
  /** Reads a whole file. */
  read(path: string): Uint8Array<ArrayBuffer> | undefined;
  /** Lists the entries of a directory, in any order. */
  list(path: string): readonly DirectoryEntry[] | undefined;
  stat(path: string): FileStat | undefined;
  open(path: string): OpenFile | undefined;
  /** Returns the target of a symbolic link as it is stored; `undefined` when there is no such link. */
  readLink(path: string): string | undefined;
}

/** A new file to which bytes are written. */
export interface NewFile {
  /** Appends all bytes to the file. */
  write(bytes: Uint8Array): void;
  /** Resolves when the bytes written so far have reached the disk. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * Calls that change files. The calls take effect at once, except `sync` and `syncDirectory`, which wait
 * milliseconds for the disk. The return value reports whether a file is missing or exists already. If
 * permissions or the space on the disk do not suffice, calls throw `WriteError` (`denied`, `full`). On other
 * failures, calls throw the error of the system.
 */
export interface FileWriting {
  /**
   * Creates a file exclusively (`O_EXCL`).
   *
   * @param mode Permissions of the file, from which the system removes the permissions in the umask of the
   *   process.
   * @returns The open file; "exists" when the name is already used; `undefined` when the parent directory
   *   does not exist.
   */
  create(path: string, mode: number): NewFile | "exists" | undefined;
  /**
   * Creates a directory.
   *
   * @returns "exists" when the name is already used; `undefined` when the parent directory does not exist.
   */
  makeDirectory(path: string): "made" | "exists" | undefined;
  /**
   * Renames a file on the same device, and replaces an existing file. Returns `false` when the new name is
   * the name of a directory, or the file does not exist.
   */
  rename(path: string, newPath: string): boolean;
  /**
   * Creates a hard link to a file.
   *
   * @returns "exists" when the name is already used; "refused" when the file system or the permissions allow
   *   no hard link; `undefined` when the file or the parent directory does not exist.
   */
  link(path: string, newPath: string): "made" | "exists" | "refused" | undefined;
  /**
   * Renames a file on the same device unless the new name is already used. Returns `false` when the name is
   * used, or the file does not exist.
   */
  renameToFree(path: string, newPath: string): boolean;
  /** Removes a file or an empty directory. Returns `false` when it does not exist or is not empty. */
  remove(path: string): boolean;
  /**
   * Sets the mtime of a file to the current time. Returns `false` when the file does not exist or its mtime
   * cannot be set.
   */
  touch(path: string): boolean;
  /** Resolves when the entries of a directory have reached the disk, if the system supports it. */
  syncDirectory(path: string): Promise<void>;
  /**
   * Runs `action` while holding a file lock. An "exclusive" lock excludes every other lock on the file. A
   * "shared" lock excludes only exclusive locks. The operating system releases the lock when the process ends
   * for any reason.
   *
   * @param path An empty file that is used only for this lock. If this process opens the file in another way,
   *   the lock may be lost.
   * @returns The result of `action`; "busy" when another process or this process holds a conflicting lock;
   *   `undefined` when the system or the permissions allow no file lock, or the file does not exist. Unless
   *   the result of `action` is returned, `action` was not called.
   */
  withFileLock<T>(
    path: string,
    kind: "shared" | "exclusive",
    action: () => T,
  ): { readonly value: T } | "busy" | undefined;
}

/** A file system with write calls. */
export type WritableFileSystem = FileSystem & FileWriting;

/** Checks whether a file system has write calls. */
export function isWritableFileSystem(fileSystem: FileSystem): fileSystem is WritableFileSystem {
  return "create" in fileSystem && "syncDirectory" in fileSystem;
}

/** Returns a file system that has only the read calls of another file system. */
export function readOnlyFiles({ read, list, stat, open, readLink }: FileSystem): FileSystem {
  return { read, list, stat, open, readLink };
}
