/** Names of commits in a repository on disk, compared with what `git rev-parse` and `git check-ref-format` say. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { UnreadableIdError } from "../../src/errors.ts";
import { findNamedObject } from "../../src/git/references.ts";
import { parseCommitish } from "../../src/ids/refname.ts";
import { isOid, type Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createRandom } from "../cob/random.ts";
import { GitRepository, makeFolder, removeFolder } from "../support/git.ts";

const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const PARTS = ["a", "main", "HEAD", "refs", "heads", "tags", "remotes", "v1.0", "x.lock", "-", "ü", "@", "{"];
const ODD = ["", ".", "..", "/", "~", "^", ":", "?", "*", "[", "\\", " ", "\x7f", "@{", "g"];

/** What git says, as text; `undefined` when it refuses. */
function askGit(git: GitRepository, ...args: string[]): string | undefined {
  try {
    return git.text(args);
  } catch {
    return undefined;
  }
}

describe("names of commits", () => {
  let folder: string;
  let git: GitRepository;
  let repository: Repository;
  let close: () => void;
  before(() => {
    folder = makeFolder();
    git = GitRepository.create(join(folder, RID.slice("rad:".length)));
    git.importHistory(8);
    const commits = git.text(["rev-list", "main"]).split("\n") as Oid[];
    const names = ["heads/a", "heads/topic/one", "tags/a", "tags/v1.0", "remotes/a/main", "heads/heads/main"];
    for (const [i, name] of names.entries()) git.setRef(`refs/${name}`, commits[i]!);
    git.run(["pack-refs", "--all"]);
    git.setRef("refs/heads/late", commits[6]!);
    git.setRef("refs/tags/late/one", commits[7]!);
    git.setSymbolicRef("refs/remotes/a/HEAD", "refs/remotes/a/main");
    const storage = createHomeStorage({ root: folder, fileSystem });
    repository = storage.repository(RID)! as Repository;
    close = () => storage.close();
  });
  after(() => {
    close();
    removeFolder(folder);
  });

  it("are found as git finds them", async () => {
    const found = git.refs().flatMap(({ name }) => {
      const parts = name.split("/");
      return parts.map((_, i) => parts.slice(i).join("/"));
    });
    const random = createRandom(1);
    const drawn = Array.from({ length: 60 }, () => {
      const length = 1 + random.below(3);
      return Array.from({ length }, () => random.pick(PARTS)).join("/");
    });
    for (const name of new Set(["HEAD", "refs", "heads", "config", "objects", ...found, ...drawn])) {
      // Digits are an id here, and git takes `@` for HEAD and looks into logs.
      if (/^[0-9a-f]+$|@|^remotes\/a$|^a$/.test(name)) continue;
      const expected = askGit(git, "rev-parse", "--quiet", "--verify", "--end-of-options", name);
      assert.equal(await findNamedObject(repository, name), expected, name);
    }
  });

  it("are refused where git refuses them", () => {
    const random = createRandom(2);
    const drawn = Array.from({ length: 150 }, () => {
      const length = 1 + random.below(4);
      const separators = ["/", "", "."];
      return Array.from({ length }, () => random.pick([...PARTS, ...ODD]) + random.pick(separators)).join("");
    });
    for (const name of new Set([...drawn, ...ODD, ...PARTS])) {
      if (/^[0-9a-f]+$/.test(name)) continue;
      // A name with a dash in front would be an option of the command.
      const asked = name.startsWith("-") ? `x/${name}` : name;
      const isAccepted = askGit(git, "check-ref-format", "--allow-onelevel", asked) !== undefined;
      const read = () => parseCommitish(name);
      if (isAccepted) assert.equal(read(), name);
      else assert.throws(read, (error) => error instanceof UnreadableIdError, name);
    }
  });

  it("of one to forty digits are ids", () => {
    for (const text of ["a", "ABC", "f".repeat(40)]) assert.ok(isOid(parseCommitish(text)), text);
    assert.throws(() => parseCommitish("f".repeat(41)), /expected 1 to 40 hexadecimal digits/);
  });
});
