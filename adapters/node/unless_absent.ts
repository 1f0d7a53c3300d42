/** How the operating system says that there is no file to be read. */

/** Codes of errors at a path that leads to no file: nothing there, no directory on the way, a name no file can have, a circle of links. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EISDIR", "ENXIO"]);

/** What the call returns; `undefined` when it fails because there is no file to be read. */
export function unlessAbsent<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}
