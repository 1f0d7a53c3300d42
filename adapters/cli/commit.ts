/** Finds the commit that is checked out in the folder of these sources, for the version in responses. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Number of digits in an abbreviated commit id. */
const SHORT_LENGTH = 7;

/**
 * Returns the abbreviated id of the commit that is checked out in a folder; `undefined` when the folder is
 * not a checkout or may not be read. Never asks for permissions.
 */
export async function findCommit(folder: string | undefined = sourceFolder()): Promise<string | undefined> {
  if (folder === undefined || !await mayRead(resolve(folder, ".git"))) return undefined;
  try {
    return readCommit(resolve(folder, ".git")).slice(0, SHORT_LENGTH);
  } catch {
    return undefined;
  }
}

/**
 * Returns the folder that contains `adapters` and `src`; `undefined` when the sources were not loaded from
 * files.
 */
function sourceFolder(): string | undefined {
  // `import.meta.url` is `undefined` in a bundle that is not an ES module.
  const own: string | undefined = import.meta.url;
  return own?.startsWith("file:") ? fileURLToPath(new URL("../..", own)) : undefined;
}

function readCommit(git: string): string {
  // In a linked work tree, `.git` is a file that names a folder. The file `commondir` in that folder names
  // the folder that all work trees share (gitrepository-layout(5)).
  const folder = resolve(git, "..", tryRead(git)?.replace(/^gitdir: /, "") ?? git);
  const common = resolve(folder, tryRead(`${folder}/commondir`) ?? ".");
  const head = tryRead(`${folder}/HEAD`) ?? "";
  const name = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  const packed = () =>
    tryRead(`${common}/packed-refs`)?.split("\n").find((line) => line.endsWith(` ${name}`));
  const oid = name === undefined ? head : tryRead(`${common}/${name}`) ?? packed()?.split(" ")[0] ?? "";
  if (!/^[0-9a-f]{40}$/.test(oid)) throw new Error("HEAD points to no commit");
  return oid;
}

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
