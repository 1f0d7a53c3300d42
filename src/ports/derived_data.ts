/**
 * Derived data of a repository: results that take long to compute, such as evaluated issues, made by another
 * process from the same references and objects. The core reads them before it computes. Every file names the
 * references that it was computed from. The core uses it only if the repository has the same references.
 */

/** A file of derived data. Files never change. */
export interface DerivedFile {
  /** SHA-256 of the bytes, 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** Derived data of one repository. Calls may fail with any error; the core then computes. */
export interface DerivedData {
  /**
   * The digest of the current file with a name (letters, digits, and `-`, `_`, `.` within); `undefined` when
   * there is none. Called for every request: keep it cheap.
   */
  named(name: string): string | undefined | Promise<string | undefined>;
  /**
   * Reads the file with a digest; `undefined` when it is absent or longer than `limitBytes`. Named files
   * contain the digests of further files. The core checks the digest of the bytes.
   */
  read(digest: string, limitBytes: number): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** A named file, and the further files that it leads to. */
export interface DerivedRoot {
  readonly name: string;
  /** Digest of the named file. */
  readonly digest: string;
  /** Digests and sizes of all files, the named one included, each once. */
  readonly files: readonly { readonly digest: string; readonly bytes: number }[];
}
