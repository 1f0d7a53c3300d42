/** The version of this package; equal to that in package.json and deno.json (a test compares them). */
export const VERSION = "0.1.0";

/**
 * Abbreviated id of the commit that this package was built from; the build puts it here. Empty in the
 * sources.
 */
export const COMMIT: string = "";

/**
 * The version as clients are told it, in the form of the real service: `0.1.0-<short commit>`, or `0.1.0-dev`
 * when the commit is not known.
 */
export function versionWith(commit: string = COMMIT): string {
  return `${VERSION}-${commit || "dev"}`;
}
