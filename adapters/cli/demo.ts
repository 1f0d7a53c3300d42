/** The demo home: a small Radicle home for users without one, made on first use. */
import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";

/** Raised when what the demo shows changes: then a new home is made, beside those of before. */
export const DEMO_EDITION = 1;

/**
 * The path of the demo home, below the user's cache folder. The first call makes it, with write access to
 * that folder.
 */
export async function findDemoHome(): Promise<string> {
  const home = join(cacheFolder(), "xylem", `demo-${DEMO_EDITION}`);
  if (!await exists(home)) await make(home);
  return home;
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME, HOME } = process.env;
  return XDG_CACHE_HOME || (HOME ? join(HOME, ".cache") : tmpdir());
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
}

/**
 * Makes the home beside its final place and moves it there: nobody sees half a home, and the first of two
 * processes wins.
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
