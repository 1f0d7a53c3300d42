/** Makes the demo home, a small Radicle home for users who have no home. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { isOwn } from "../node/user_id.ts";
import { checkPermissions } from "./permissions.ts";
import { mayReadVariable, readVariable } from "./variables.ts";

/**
 * Version of the demo's content. Raise this number when the content changes. A new version is made next to
 * earlier homes.
 */
export const DEMO_EDITION = 1;

/** Returns the path of the demo home in the user's cache folder, whether or not the demo home exists. */
export function demoHomePath(): string {
  return join(cacheFolder(), "xylem", `demo-${DEMO_EDITION}`);
}

/**
 * Makes the demo home unless it exists, and returns its path. Before making the home, writes a line to
 * standard error.
 *
 * @throws {Error} when the home cannot be made. The message names missing permissions of Deno.
 */
export async function makeDemo(): Promise<string> {
  await checkDemoPermissions();
  const home = demoHomePath();
  if (!await exists(home)) {
    process.stderr.write(`Making a demo home in ${home}; this takes a few seconds, only the first time\n`);
    await make(home);
  }
  return home;
}

async function checkDemoPermissions(): Promise<void> {
  const folder = dirname(demoHomePath());
  await checkPermissions({ folder, makesIn: folder, listen: [], serves: false });
}

/**
 * Returns the user's cache folder; the folder for temporary files when no environment variable names a cache
 * folder.
 *
 * @throws {Error} when Deno may not read the environment variables.
 */
function cacheFolder(): string {
  const user = readVariable("HOME");
  const named = readVariable("XDG_CACHE_HOME") || (user && join(user, ".cache"));
  if (named) return named;
  checkVariables("XDG_CACHE_HOME", "HOME");
  checkVariables("TMPDIR", "TMP", "TEMP");
  return tmpdir();
}

function checkVariables(...names: readonly string[]): void {
  if (names.every(mayReadVariable)) return;
  throw new Error(`Deno lacks permissions: the demo home needs --allow-env=${names}`);
}

/**
 * @throws {Error} when the demo home belongs to another user, which can happen in the folder for temporary
 * files.
 */
async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || isOwn(found.uid)) return found !== undefined;
  throw new Error(`The demo home in ${path} belongs to another user: remove it, or set HOME`);
}

/**
 * Makes the home in a temporary folder and then moves the folder to `home`, so that no process sees an
 * incomplete home. If another process has made the home in the meantime, removes the temporary folder.
 */
async function make(home: string): Promise<void> {
  const { makeDemoHome } = await import("./demo/home.ts");
  await mkdir(dirname(home), { recursive: true });
  const folder = await mkdtemp(`${home}.`);
  try {
    await makeDemoHome(folder);
    await rename(folder, home);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!await exists(home)) throw error;
  }
}
