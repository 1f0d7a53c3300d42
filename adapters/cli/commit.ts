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
  // In a linked work tree `.git` is a file that names the folder, which names the one that all share
  // (gitrepository-layout(5)).
  const folder = resolve(git, "..", tryRead(git)?.replace(/^gitdir: /, "") ?? git);
  const common = resolve(folder, tryRead(`${folder}/commondir`) ?? ".");
  const head = tryRead(`${folder}/HEAD`) ?? "";
  const name = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  const packed = () =>
    tryRead(`${common}/packed-refs`)?.split("\n").find((line) => line.endsWith(` ${name}`));
  const oid = name === undefined ? head : tryRead(`${common}/${name}`) ?? packed()?.split(" ")[0] ?? "";
  if (!/^[0-9a-f]{40}$/.test(oid)) throw new Error("HEAD leads to no commit");
  return oid;
}

/** The text of a file; `undefined` when it cannot be read. */
function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

async function mayRead(path: string): Promise<boolean> {
  if (!("Deno" in globalThis)) return true;
  const { isGranted } = await import("../deno/permission.ts");
  return isGranted({ name: "read", path });
}
