/** Names that archives refuse, against those that the real git refuses on all systems. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { checkName } from "../../../extensions/archives/names.ts";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { IGNORED_CHARACTERS } from "../../../src/git/encode.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createRandom } from "../../cob/random.ts";
import { DiskRepository } from "../../hostile/disk.ts";
import { GIT_ENVIRONMENT } from "../../support/git.ts";
import { removeFolder, temporaryFolder } from "../../support/programs.ts";

const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
/** What file systems take for `.git`, and what they do not. */
const STEMS = [".git", "git~1", ".git", "git~1", "GIT~1", ".GiT", "git~2", ".gitx", "a", ".", ".."];
/** What may stand in, before or behind such a name. */
const PARTS = [" ", ".", ":", "::$INDEX_ALLOCATION", ":$DATA", "\\", "x", "~1", "\t", "ı", "ſ", "\u0301"];
/** Characters around and among those that HFS+ ignores. */
const MARKS = [0x200b, 0x200c, 0x200f, 0x2010, 0x2029, 0x202a, 0x202e, 0x202f, 0x2060, 0x2069, 0x206a, 0x206f]
  .concat(0x2070, 0xad, 0xfeff, 0xfefe).map((code) => String.fromCodePoint(code));

/** Names near those of a repository: each stem with up to three parts in it, of both kinds or of one. */
function drawNames(count: number): readonly string[] {
  const random = createRandom(7);
  return Array.from({ length: count }, () => {
    let name: string = random.pick(STEMS);
    const parts = random.pick([PARTS, MARKS, [...PARTS, ...MARKS], [" ", "."]]);
    for (let left = random.below(4); left > 0; left--) {
      const at = random.pick([0, name.length, name.length, random.below(name.length + 1)]);
      name = name.slice(0, at) + random.pick(parts) + name.slice(at);
    }
    if (random.below(3) === 0) name = name.toUpperCase();
    return name;
  });
}

function askGit(
  path: string,
  ...args: string[]
): { readonly status: number | null; readonly stderr: string } {
  const options = { env: GIT_ENVIRONMENT, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  return spawnSync("git", ["-c", "safe.directory=*", "--git-dir", path, ...args], options);
}

function isRefused(name: string): boolean {
  try {
    checkName(name);
    return false;
  } catch {
    return true;
  }
}

/** Rules of archives alone: see their documentation (4.13). */
const MORE = /^[A-Za-z]:|^\\|^\.\.\\|\\\.\.(?:\\|$)/;

describe("names in archives", () => {
  const folder = temporaryFolder("names");
  const names = [...new Set(drawNames(8000))].filter((name) => !name.includes("/"));
  let path: string;
  /** The names that `git fsck` warns of. */
  let warned: ReadonlySet<string>;

  before(() => {
    const repository = new DiskRepository(folder, RID);
    const encoder = new TextEncoder();
    const blob = repository.put("blob", encoder.encode("x"));
    const id = Uint8Array.from({ length: 20 }, (_, i) => parseInt(blob.slice(2 * i, 2 * i + 2), 16));
    const trees = new Map<Oid, string>();
    for (const name of names) {
      const tree = joinBytes([encoder.encode(`100644 ${name}\0`), id]);
      trees.set(repository.put("tree", tree), name);
    }
    repository.setSymbolicRef("HEAD", "refs/heads/main");
    repository.finish();
    path = join(folder, RID.slice("rad:".length));
    const told = askGit(path, "fsck", "--no-dangling").stderr;
    warned = new Set(
      [...told.matchAll(/in tree (\w+): has(?:Dot|Dotdot|Dotgit):/g)].map(([, oid]) =>
        trees.get(oid as Oid)!
      ),
    );
  });
  after(() => removeFolder(folder));

  it("are refused where git warns of them", () => {
    assert.ok(warned.size > 200 && warned.size < names.length - 200, `${warned.size} of ${names.length}`);
    assert.deepEqual([...warned].filter((name) => !isRefused(name)), []);
  });

  it("are taken where git takes them, unless archives have a rule of their own", () => {
    const refused = names.filter((name) => !warned.has(name) && !MORE.test(name) && isRefused(name));
    // Git looks for names of NTFS and for those of HFS+, archives for both at once.
    assert.deepEqual(refused.filter((name) => name === name.replace(IGNORED_CHARACTERS, "")), []);
  });

  it("are refused where git does not take them into its index", () => {
    const blob = "587be6b4c3f93f93c489c0111bba5596147a26cb";
    const some = [...names.filter((name) => warned.has(name)).slice(0, 60), ...names.slice(0, 60)];
    for (const name of some) {
      const { status } = askGit(
        path,
        ...["-c", "core.protectNTFS=true", "-c", "core.protectHFS=true", "update-index", "--add"],
        ...["--cacheinfo", `100644,${blob},${name}`],
      );
      if (status !== 0) assert.ok(isRefused(name), JSON.stringify(name));
    }
  });
});
