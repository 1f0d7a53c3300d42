/** The demo home: a small Radicle home for users without one, made on first use. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isOwn } from "../node/user_id.ts";
import { checkPermissions } from "./permissions.ts";
import type { Progress } from "./progress.ts";
import { mayReadVariable, readVariable } from "./variables.ts";

/** Raised when the content of the demo changes: then a new home is made beside the earlier homes. */
export const DEMO_EDITION = 1;

/** Hears what is made next of a demo home. */
export type Report = (step: string) => void;

/** The path of the demo home, below the user's cache folder, whether it is there or not. */
export function demoHomePath(): string {
  return join(cacheFolder(), "xylem", `demo-${DEMO_EDITION}`);
}

/**
 * The path of the demo home. The first call makes it, with write access to the user's cache folder, and tells
 * of its parts.
 *
 * @param begin Tells of the home itself.
 * @throws {Error} with the options to run it with, when it cannot be made.
 */
export async function makeDemo(
  progress: Progress,
  begin: (home: string) => void = (home) => progress.tell(`  making ${home}`),
): Promise<string> {
  await checkDemoPermissions();
  const home = demoHomePath();
  if (!await exists(home)) {
    begin(home);
    await make(home, (step) => progress.tell(`  making ${step}`));
  }
  progress.tell(undefined);
  return home;
}

/** Checks that the demo home can be made below the user's cache folder. */
async function checkDemoPermissions(): Promise<void> {
  const folder = dirname(demoHomePath());
  await checkPermissions({ folder, makesIn: folder, listen: [], serves: false });
}

/**
 * The user's cache folder; that of temporary files where no variable names it.
 *
 * @throws {Error} with the option to run it with, when Deno forbids to read the variables.
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
 * Whether there is a demo home.
 *
 * @throws {Error} when it is another user's, who may have made it in the folder of temporary files.
 */
async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || isOwn(found.uid)) return found !== undefined;
  throw new Error(`The demo home in ${path} is another user's: remove it, or set HOME`);
}

/**
 * Makes the home beside its final place and moves it there: nobody sees half a home, and the first of two
 * processes wins.
 */
async function make(home: string, report: Report): Promise<void> {
  const { makeDemoHome } = await import("./demo/home.ts");
  await mkdir(dirname(home), { recursive: true });
  const folder = await mkdtemp(`${home}.`);
  try {
    await makeDemoHome(folder, report);
    await rename(folder, home);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!await exists(home)) throw error;
  }
}
