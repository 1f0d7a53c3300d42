/**
 * The few file calls that a Radicle home needs, synchronous: one read of a local file takes microseconds, a promise for each would cost more than
 * the read. Absent files are `undefined`; so are those that cannot be read because a part of their path is no directory. Other failures throw.
 */

/** What a name in a directory stands for; symbolic links are not followed. */
export type FileKind = "file" | "directory" | "link" | "other";

/** One name in a directory. */
export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** What is known of a file without opening it; symbolic links are not followed. */
export interface FileStat {
  readonly kind: FileKind;
  /** Length in bytes. */
  readonly size: number;
  /** Last change of the content, milliseconds since the epoch with fractions. */
  readonly modifiedMs: number;
  /** Number of the file on its device: another file under the same name has another one. */
  readonly inode: number;
  /** How many names the file has on its device; 1 where the machine cannot tell. */
  readonly links: number;
}

/** An open file. */
export interface OpenFile {
  /** Length in bytes when it was opened. */
  readonly size: number;
  /** Fills `into` with the bytes from `position` on, returns how many there were: fewer only at the end of the file. */
  read(into: Uint8Array, position: number): number;
  close(): void;
}

/** Files of the machine, by absolute path. */
export interface FileSystem {
  /** The whole file. */
  read(path: string): Uint8Array<ArrayBuffer> | undefined;
  /** The names in a directory, in any order. */
  list(path: string): readonly DirectoryEntry[] | undefined;
  stat(path: string): FileStat | undefined;
  open(path: string): OpenFile | undefined;
}

/** A file that is being written. */
export interface NewFile {
  /** Appends all of the bytes. */
  write(bytes: Uint8Array): void;
  /** Resolves when what was written has reached the disk. */
  sync(): Promise<void>;
  close(): void;
}

/**
 * How files are changed. The calls do at once what they do, but for those that wait for the disk, which takes milliseconds. What is not there, or
 * there already, is an answer; refusals throw `WriteError` (`denied`, `full`), other failures an error of the machine.
 */
export interface FileWriting {
  /**
   * Makes a file under a name that nothing has, even if several try it at once.
   *
   * @param mode Permissions, from which the process's mask is taken away.
   * @returns The open file; "exists" when the name is taken; `undefined` when there is no such directory.
   */
  create(path: string, mode: number): NewFile | "exists" | undefined;
  /** Makes a directory. Tells whether it did: "exists" when the name is taken; `undefined` when there is no directory to make it in. */
  makeDirectory(path: string): "made" | "exists" | undefined;
  /** Gives a file another name on the same device, in place of the file that had it. False when a directory has it, or there is no such file. */
  rename(path: string, newPath: string): boolean;
  /**
   * Gives a file a second name on the same device, unless something has it. Tells whether it did: "exists" when the name is taken; "refused" where
   * files cannot have two names, or this process may not give them any; `undefined` when there is no such file, or no directory for the name.
   */
  link(path: string, newPath: string): "made" | "exists" | "refused" | undefined;
  /** Gives a file another name on the same device, unless something has it. False when something has, or there is no such file. */
  renameToFree(path: string, newPath: string): boolean;
  /** Removes a file or an empty directory. False when there is none, or it is not empty. */
  remove(path: string): boolean;
  /** Stamps a file as changed now. False when there is none, or it cannot be stamped. */
  touch(path: string): boolean;
  /** Resolves when the names in a directory have reached the disk, where the machine can tell. */
  syncDirectory(path: string): Promise<void>;
  /**
   * Does something while a file is claimed: "exclusive" keeps out all others who claim it, "shared" those who want it for themselves alone. The claim ends
   * with the process, however that ends.
   *
   * @param path An empty file that serves nothing else: should this process open it otherwise, its claim may be lost.
   * @returns What `action` returned; "busy" when another process keeps this one out, or this one is in the midst of a claim to the file: then, and when
   *   it is `undefined`, `action` was not called. `undefined` where the machine, or what this process may do, allows no such claim, or there is no such file.
   */
  claim<T>(
    path: string,
    kind: "shared" | "exclusive",
    action: () => T,
  ): { readonly value: T } | "busy" | undefined;
}

/** Files that can be changed. */
export type WritableFileSystem = FileSystem & FileWriting;

/** Whether files can be changed through these calls. */
export function isWritableFileSystem(fileSystem: FileSystem): fileSystem is WritableFileSystem {
  return "create" in fileSystem && "syncDirectory" in fileSystem;
}
