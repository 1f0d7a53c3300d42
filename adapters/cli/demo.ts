/** The demo home: a small Radicle home for users without one, made on first use. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
 * The path of the demo home. The first call makes it, with write access to the user's cache folder.
 *
 * @param report Hears of the parts of a home that is made; of none when it is there already.
 */
export async function findDemoHome(report: Report = () => {}): Promise<string> {
  const home = demoHomePath();
  if (!await exists(home)) await make(home, report);
  return home;
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
  report(home);
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
