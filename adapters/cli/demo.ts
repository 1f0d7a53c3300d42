/** The demo home: a small Radicle home for whoever has none yet, unpacked on first use and kept for the next. */
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { parseTarGzip } from "nanotar";

/** All of it lies in one folder, with the modes that its files shall have. */
const ARCHIVE = new URL("./demo_home.tar.gz", import.meta.url);

/** Digits of the archive's digest in the folder's name: another archive is another folder. */
const DIGEST_DIGITS = 12;

/** The path of the demo home, below the user's cache folder. The first call unpacks it, with write access to that folder. */
export async function unpackDemoHome(): Promise<string> {
  const archive = await readFile(ARCHIVE);
  const digest = createHash("sha256").update(archive).digest("hex").slice(0, DIGEST_DIGITS);
  const home = join(cacheFolder(), "xylem", `demo-${digest}`);
  if (!await exists(home)) await unpack(archive, home);
  return home;
}

function cacheFolder(): string {
  const { XDG_CACHE_HOME, HOME } = process.env;
  return XDG_CACHE_HOME || (HOME ? join(HOME, ".cache") : tmpdir());
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
}

/** Unpacks beside the final place and moves it there: nobody sees half a home, and of two who do it at once the first wins. */
async function unpack(archive: Uint8Array, home: string): Promise<void> {
  await mkdir(dirname(home), { recursive: true });
  const folder = await mkdtemp(`${home}.`);
  try {
    for (const { name, type, data, attrs } of await parseTarGzip(archive)) {
      const path = join(folder, ...name.split("/").slice(1));
      if (type === "directory") {
        await mkdir(path, { recursive: true });
      } else if (type === "file") {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, data ?? new Uint8Array());
        await chmod(path, parseInt(attrs?.mode ?? "644", 8) & 0o777);
      }
    }
    await rename(folder, home);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!await exists(home)) throw error;
  }
}
