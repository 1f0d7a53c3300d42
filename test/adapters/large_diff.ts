/** A home with a diff that takes a while. */
import { join } from "node:path";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { GitRepository } from "../support/git.ts";
import { unpackHome } from "../support/programs.ts";

/** Repositories of the home `browse`: every kind of change, and a small one. */
export const SHAPES = "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx" as RepoId;

/** Lines of each of the two files that are compared. */
const LARGE_LINES = 80_000;

/** A home, and two commits in {@link SHAPES} between which a large file was written anew and a small one was moved and changed. */
export interface LargeDiffHome {
  readonly home: string;
  readonly old: { readonly commit: Oid; readonly tree: Oid };
  readonly now: { readonly commit: Oid; readonly tree: Oid };
}

/** Unpacks the home below a folder and puts the commits into it, to which no reference points. */
export function makeLargeDiffHome(folder: string): LargeDiffHome {
  const home = unpackHome("browse.tar.gz", folder);
  const git = new GitRepository(join(home, "storage", SHAPES.slice("rad:".length)));
  const small = "small\n".repeat(20);
  const commit = (files: Readonly<Record<string, string>>, ...parents: Oid[]) => {
    const entries = Object.entries(files).map(([name, text]) =>
      `100644 blob ${git.put("blob", text)}\t${name}\n`
    );
    const tree = git.text(["mktree"], entries.join("")) as Oid;
    const args = parents.flatMap((parent) => ["-p", parent]);
    return { tree, commit: git.text(["commit-tree", ...args, "-m", "large", tree]) as Oid };
  };
  const old = commit({ large: linesOf(7), from: small });
  const now = commit({ large: linesOf(11), to: `${small}end\n` }, old.commit);
  return { home, old, now };
}

/** Lines that no other factor has, but for short ones that all have. */
function linesOf(factor: number): string {
  return Array.from(
    { length: LARGE_LINES },
    (_, i) => i % 3 === 0 ? `${i * i % 97}\n` : `line ${i} of ${factor}, ${(i * 7919 * factor) % 65537}\n`,
  ).join("");
}
