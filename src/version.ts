/** The version of this package. package.json and deno.json have the same one (a test compares them). */
export const VERSION = "0.1.0";

/**
 * Abbreviated id of the commit that this package was built from. The build sets it; in the sources it is
 * empty.
 */
export const COMMIT: string = "";

/**
 * The version that clients get, in the form that `radicle-httpd` uses: `0.1.0-<short commit>`, or `0.1.0-dev`
 * when the commit is not known.
 */
export function versionWith(commit: string = COMMIT): string {
  return `${VERSION}-${commit || "dev"}`;
}
