/**
 * Derived data of a repository: results that take long to compute, such as evaluated issues. Another process
 * has computed these results from the same references and objects, so that the core need not compute them.
 * Every file contains the references from which it was computed, and is used only if the repository has the
 * same references.
 */

/** A file of derived data. Its content never changes. */
export interface DerivedFile {
  /** SHA-256 of the bytes, as 64 hexadecimal digits. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/**
 * Derived data of one repository. A call may fail with any error. The core then computes the results itself.
 */
export interface DerivedData {
  /**
   * Returns the digest of the current file with a name; `undefined` when there is no such file. This method
   * must be fast, because it is called for every request.
   *
   * @param name Letters, digits, and `-`, `_`, `.` between them.
   */
  named(name: string): string | undefined | Promise<string | undefined>;
  /**
   * Reads the file with a digest. Returns `undefined` when the file is missing or longer than `limitBytes`.
   * The core verifies the digest of the bytes.
   */
  read(digest: string, limitBytes: number): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** A named file, with all files whose digests it contains directly or through other files. */
export interface DerivedRoot {
  readonly name: string;
  /** Digest of the named file. */
  readonly digest: string;
  /** Digest of each file, and its size in bytes. The named file is included. No file occurs twice. */
  readonly files: readonly { readonly digest: string; readonly bytes: number }[];
}
