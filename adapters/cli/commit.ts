/** The commit of the checkout that is executed, for the version that clients are told. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Digits of an abbreviated commit id. */
const SHORT_LENGTH = 7;

/**
 * The abbreviated id of the commit that is checked out in a folder, by default that of these sources;
 * `undefined` when the folder is no checkout, or may not be read. Permissions are not asked for.
 */
export async function findCommit(folder: string | undefined = sourceFolder()): Promise<string | undefined> {
  if (folder === undefined || !await mayRead(resolve(folder, ".git"))) return undefined;
  try {
    return readCommit(resolve(folder, ".git")).slice(0, SHORT_LENGTH);
  } catch {
    return undefined;
  }
}

/** The folder with `adapters` and `src`; `undefined` when they were not loaded from files. */
function sourceFolder(): string | undefined {
  // In a bundle without modules there is no URL.
  const own: string | undefined = import.meta.url;
  return own?.startsWith("file:") ? fileURLToPath(new URL("../..", own)) : undefined;
}

function readCommit(git: string): string {
  const folder = readGitFolder(git);
  const head = read(`${folder}/HEAD`);
  const name = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  return requireOid(name === undefined ? head : readRef(folder, name));
}

/**
 * The folder of a checkout; in a linked work tree `.git` is a file that names it (gitrepository-layout(5)).
 */
function readGitFolder(git: string): string {
  try {
    return resolve(git, "..", read(git).replace(/^gitdir: /, ""));
  } catch {
    return git;
  }
}

function readRef(folder: string, name: string): string {
  const common = readCommonFolder(folder);
  try {
    return read(`${common}/${name}`);
  } catch {
    const line = read(`${common}/packed-refs`).split("\n").find((line) => line.endsWith(` ${name}`));
    return line?.split(" ")[0] ?? "";
  }
}

/** The folder that linked work trees share. */
function readCommonFolder(folder: string): string {
  try {
    return resolve(folder, read(`${folder}/commondir`));
  } catch {
    return folder;
  }
}

function requireOid(text: string): string {
  if (!/^[0-9a-f]{40}$/.test(text)) throw new Error("HEAD leads to no commit");
  return text;
}

function read(path: string): string {
  return readFileSync(path, "utf8").trim();
}

async function mayRead(path: string): Promise<boolean> {
  if (!("Deno" in globalThis)) return true;
  const { isGranted } = await import("../deno/permission.ts");
  return isGranted({ name: "read", path });
}
