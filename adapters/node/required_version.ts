/** The release of Node.js that the built package requires. */
import process from "node:process";

/**
 * Oldest supported release, which is the first release with the required SQLite. `engines` in package.json
 * requires the same release.
 */
export const REQUIRED_NODE = [22, 13] as const;

/**
 * Checks that the release of Node.js is supported. Has no effect on other runtimes.
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
