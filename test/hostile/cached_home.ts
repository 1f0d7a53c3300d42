/**
 * The hostile home, made once: it stays in the cache folder of the user, under a digest of all modules that
 * make it. Parts of it are copied.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { removeFolder } from "../support/programs.ts";
import { type HostileHome, type HostileRepository, makeHostileHome } from "./home.ts";

/** Relative modules that a module imports. */
const IMPORTS = /^(?:import|export) (?:[^"';]*? from )?"(\.[^"]+)";/gm;

/** Folder of the modules that make the demo home. */
const DEMO = new URL("../../adapters/cli/demo/", import.meta.url).href;
/** Folder of the tests. */
const TESTS = new URL("../", import.meta.url).href;

/** The whole hostile home, from the cache or made now. The service only reads it. */
export async function cachedHostileHome(): Promise<HostileHome> {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const all = join(cache, "xylem", "hostile");
  const folder = join(all, digestOfModules(new URL("home.ts", import.meta.url)));
  const list = join(folder, "repositories.json");
  if (!existsSync(list)) {
    // Earlier homes are as large.
    removeFolder(all);
    const draft = `${folder}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    const { repositories } = await makeHostileHome(join(draft, "home"));
    writeFileSync(join(draft, "repositories.json"), JSON.stringify(repositories));
    renameSync(draft, folder);
  }
  return { home: join(folder, "home"), repositories: JSON.parse(readFileSync(list, "utf8")) };
}

/** Copies a home with some of its hostile repositories, and all honest ones. */
export function copyHome(
  { home, repositories }: HostileHome,
  wanted: readonly HostileRepository[],
  copy: string,
): void {
  const storage = join(home, "storage");
  const left = new Set(
    repositories.filter((one) => !wanted.includes(one)).map(({ rid }) => rid.slice("rad:".length)),
  );
  cpSync(home, copy, {
    recursive: true,
    filter: (path) => dirname(path) !== storage || !left.has(basename(path)),
  });
}

/**
 * Digest of a module and of all modules that it imports by relative paths. Of what makes the honest repositories of the demo,
 * only its own folder counts, and of the service only what tests import themselves, numbers and formats: the home is the same
 * whatever else of the service has changed.
 */
function digestOfModules(start: URL): string {
  const texts = new Map<string, string>();
  const waiting = [start];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    // Texts in modules look like imports, too.
    if (texts.has(url.href) || !existsSync(url)) continue;
    const text = readFileSync(url, "utf8");
    texts.set(url.href, text);
    const imported = [...text.matchAll(IMPORTS)].map(([, path]) => new URL(path!, url));
    waiting.push(
      ...imported.filter(({ href }) =>
        url.href.startsWith(TESTS) || url.href.startsWith(DEMO) && href.startsWith(DEMO)
      ),
    );
  }
  const hash = createHash("sha256");
  for (const href of [...texts.keys()].sort()) hash.update(`${texts.get(href)}\0`);
  return hash.digest("hex").slice(0, 16);
}
