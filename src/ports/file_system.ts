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
