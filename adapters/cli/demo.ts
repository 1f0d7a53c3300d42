/** The demo home: a small Radicle home for users without one, made on first use. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkPermissions } from "./permissions.ts";
import type { Progress } from "./progress.ts";
import { readVariable } from "./variables.ts";

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
  if (!("Deno" in globalThis)) return;
  if (readVariable("XDG_CACHE_HOME") === undefined && readVariable("HOME") === undefined) {
    throw new Error("Deno lacks permissions: the demo home needs --allow-env=XDG_CACHE_HOME,HOME");
  }
  const folder = dirname(demoHomePath());
  await checkPermissions({ folder, makesIn: folder, listen: [], serves: false });
}

function cacheFolder(): string {
  const user = readVariable("HOME");
  return readVariable("XDG_CACHE_HOME") || (user ? join(user, ".cache") : tmpdir());
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
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
