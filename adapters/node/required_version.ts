/** The release of Node.js that the built package needs. */
import process from "node:process";

/** Oldest release: the first with SQLite. `engines` of the package requires the same. */
export const REQUIRED_NODE = [22, 13] as const;

/**
 * Checks the release of Node.js. Does nothing on other runtimes.
 *
 * @throws {Error} with one line that names the required release.
 */
export function requireNode(version: string = process.versions.node): void {
  if ("Deno" in globalThis || "Bun" in globalThis) return;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [requiredMajor, requiredMinor] = REQUIRED_NODE;
  if (major > requiredMajor || major === requiredMajor && minor >= requiredMinor) return;
  throw new Error(`xylem-http needs Node.js ${REQUIRED_NODE.join(".")} or newer; this is ${version}`);
}
