/**
 * Writes names, comments and sizes of the caches in `src/cache/caches.ts` into `docs/caches.md`. With
 * `--check`, which `npm run check` uses, it only compares the two.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { FIXED_CACHES, type FixedCache, SHARED_CACHES, type SharedCache } from "../src/cache/caches.ts";
import { leastMemoryBytes, Memory, type StorageKind } from "../src/cache/memory.ts";
import { TABLE } from "./document_options.ts";
import { markdownTable } from "./markdown.ts";

const DOCUMENT = new URL("../docs/caches.md", import.meta.url);
const SOURCE = new URL("../src/cache/caches.ts", import.meta.url);
const [KIB, MIB] = [2 ** 10, 2 ** 20];

/** The comment of each cache in the source, as one line. */
function readComments(): ReadonlyMap<string, string> {
  const found = readFileSync(SOURCE, "utf8").matchAll(/^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(\w+): \{ /gm);
  return new Map([...found].map(([, comment, name]) => [name!, comment!.replace(/\s+\*?\s*/g, " ").trim()]));
}

/** Replaces the tables of the document with current ones. */
export function withCaches(text: string): string {
  const comments = readComments();
  const holds = (name: string) => {
    const comment = comments.get(name);
    if (comment === undefined) throw new Error(`Describe the cache "${name}" in src/cache/caches.ts`);
    return comment;
  };
  const shared = Object.entries<SharedCache>(SHARED_CACHES).map(([name, cache]) => [
    `\`${name}\``,
    holds(name),
    defaultOf(cache),
    sizeOf(cache.leastBytes),
  ]);
  const sums = (["home", "bucket"] as const satisfies readonly StorageKind[]).map((storageKind) => [
    `sum, ${storageKind === "home" ? "home" : "replica"}`,
    "",
    sizeOf(new Memory({ storageKind }).bytes),
    sizeOf(leastMemoryBytes(0, storageKind)),
  ]);
  const fixed = Object.entries<FixedCache>(FIXED_CACHES).map(([name, { bytes }]) => [
    `\`${name}\``,
    holds(name),
    sizeOf(bytes),
  ]);
  const tables = {
    "Caches with a share of the memory": [["Cache", "Holds", "Default", "At least"], ...shared, ...sums],
    "Caches of a fixed size": [["Cache", "Holds", "Size"], ...fixed],
  };
  return Object.entries(tables).reduce((text, [title, rows]) => {
    const [start, rest] = text.split(`## ${title}\n`) as [string, string];
    return `${start}## ${title}\n${rest.replace(TABLE, () => `${markdownTable(rows)}\n`)}`;
  }, text);
}

function defaultOf({ count = 1, bytes, storage, within }: SharedCache): string {
  if (within !== undefined) return `${sizeOf(bytes)} in each of \`${within}\``;
  const size = count === 1 ? sizeOf(bytes) : `${count} × ${sizeOf(bytes)}`;
  return storage === undefined ? size : `${size}, ${storage === "home" ? "homes" : "replicas"}`;
}

function sizeOf(bytes: number): string {
  return bytes === 0 || bytes >= MIB ? `${Number((bytes / MIB).toFixed(1))} MiB` : `${bytes / KIB} KiB`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(DOCUMENT, "utf8");
  const made = withCaches(text);
  if (!process.argv.includes("--check")) writeFileSync(DOCUMENT, made);
  else if (made !== text) {
    process.stderr.write("src/cache/caches.ts has changed: run `node build/carry_caches.ts`\n");
    process.exitCode = 1;
  }
}
