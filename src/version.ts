/** The version of this package. A test checks that package.json and deno.json contain the same version. */
export const VERSION = "0.1.0";

/** Abbreviated id of the commit from which this package was built. The build sets this constant. */
export const COMMIT: string = "";

/**
 * Returns the version that clients get, in the format of `radicle-httpd`: `0.1.0-<short commit>`, or
 * `0.1.0-dev` when the commit is not known.
 */
export function versionWith(commit: string = COMMIT): string {
  return `${VERSION}-${commit || "dev"}`;
}
