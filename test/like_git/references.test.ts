/** References in files that programs other than today's git have written, compared with what git says of them. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { resolveRef, resolveRefs } from "../../src/git/references.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { Task } from "../../src/scheduling/task.ts";
import { createHomeStorage, type HomeStorage } from "../../src/storage/home/storage.ts";
import { fileSystem } from "../support/files.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

const HEADER = "# pack-refs with: peeled fully-peeled sorted \n";

/** Contents of a loose reference; `1` stands for a commit, `A` for its id in capital letters. */
const LOOSE = [
  ..."1\n|1|1 words\n|1\tword|1\nsecond line\n|1\0more|A\n|1\v|1\f\n| 1|1x|11|\0".split("|"),
  ..."1\r\n|1 \0|x|\n|".split("|"),
  ..."ref: refs/heads/y|ref:refs/heads/y\n|ref:\t refs/heads/y \r\n\n|ref: refs/heads/y\0z".split("|"),
  ..."ref: refs/heads/y\v\n|ref: refs/heads/y z\n|ref:\nrefs/heads/y\n|ref: refs/heads/y\nz\n".split("|"),
  ..."REF: refs/heads/y|ref: refs/heads/y \0z|ref: \u00a0refs/heads/y|ref: refs/heads/none|ref: ../y".split(
    "|",
  ),
];

/** Contents of `packed-refs` that git reads by name and lists. */
const PACKED = [
  ...[
    `${HEADER}1 refs/heads/x\n`,
    "1 refs/heads/x\n",
    `${HEADER}1\trefs/heads/x\n`,
    `${HEADER}A\rrefs/heads/x\n`,
  ],
  ...[`${HEADER}1 refs/heads/x\r\n`, `${HEADER}1 refs/heads/x\n^1\n`, "", HEADER],
  ...[
    `# pack-refs with: peeled\n1 refs/heads/x\n1 refs/heads/a\n`,
    `${HEADER}1 refs/heads/a..b\n1 refs/heads/x\n`,
  ],
];

/** Contents of `packed-refs` that git refuses, whatever it is asked. */
const REFUSED = [
  `${HEADER}1 refs/heads/x`,
  `${HEADER}1 refs/heads/w\n1 refs/heads/x`,
  `${HEADER}1`,
  HEADER.trim(),
];

describe("references", () => {
  let home: GitHome;
  let made: MadeRepository;
  let storage: HomeStorage;
  let repository: Repository;
  before(() => {
    home = new GitHome("references");
    made = home.create("references");
    made.git.setRef("refs/heads/y", made.head);
    storage = createHomeStorage({ root: join(made.git.path, ".."), fileSystem, log: () => {} });
    repository = storage.repository(made.rid)!;
  });
  after(async () => {
    storage.close();
    await home.remove();
  });

  function put(name: string, content: string): void {
    mkdirSync(dirname(join(made.git.path, name)), { recursive: true });
    writeFileSync(
      join(made.git.path, name),
      content.replaceAll("1", made.head).replaceAll("A", made.head.toUpperCase()),
    );
  }

  /** The object of a reference as git tells it; `undefined` when it tells none. */
  function askGit(name: string): string | undefined {
    try {
      return made.git.text(["rev-parse", "--quiet", "--verify", "--end-of-options", name]) || undefined;
    } catch {
      return undefined;
    }
  }

  async function compare(name: string, what: string): Promise<string | undefined> {
    const expected = askGit(name);
    assert.equal((await resolveRef(repository, name))?.oid, expected, what);
    const listed = (await resolveRefs(repository, "refs/heads/", new Task())).find((ref) =>
      ref.name === name
    );
    assert.equal(listed?.oid, expected, what);
    return expected;
  }

  it("in files of their own are read as git reads them", async () => {
    let found = 0;
    for (const content of LOOSE) {
      put("refs/heads/x", content);
      if (await compare("refs/heads/x", JSON.stringify(content)) !== undefined) found++;
    }
    assert.ok(found > 10 && found < LOOSE.length - 10, `${found} of ${LOOSE.length}`);
    rmSync(join(made.git.path, "refs/heads/x"));
  });

  it("in packed-refs are read as git reads them", async () => {
    const before = made.git.refs().length;
    for (const content of PACKED) {
      put("packed-refs", content);
      await compare("refs/heads/x", JSON.stringify(content));
    }
    for (const content of REFUSED) {
      put("packed-refs", content);
      assert.throws(() => made.git.run(["for-each-ref"]), /unterminated|unexpected/);
      await assert.rejects(async () => await repository.refs("refs/"), DamagedError);
      await assert.rejects(async () => await repository.ref("refs/heads/x"), DamagedError);
    }
    rmSync(join(made.git.path, "packed-refs"));
    assert.equal(made.git.refs().length, before);
  });

  it("lead to others as far as git follows them", async () => {
    const chain = ["y", "a", "b", "c", "d", "e", "f"];
    const found: (string | undefined)[] = [];
    for (const [i, name] of chain.entries()) {
      if (i > 0) put(`refs/heads/${name}`, `ref: refs/heads/${chain[i - 1]}\n`);
      found.push(await compare(`refs/heads/${name}`, name));
    }
    assert.deepEqual(found.map(Boolean), [true, true, true, true, true, false, false]);
    put("refs/heads/circle", "ref: refs/heads/circle\n");
    await compare("refs/heads/circle", "circle");
  });

  it("that are symbolic links within the repository are read as git reads them", async () => {
    const links = {
      one: "refs/heads/y",
      two: "y",
      three: "../heads/y",
      four: "refs/heads/none",
      five: "none",
    };
    for (const [name, target] of Object.entries(links)) {
      symlinkSync(target, join(made.git.path, "refs/heads", name));
      await compare(`refs/heads/${name}`, name);
    }
  });

  for (const isPacked of [false, true]) {
    it(`may be a symbolic link that is HEAD, of a branch that is ${isPacked ? "packed" : "loose"}`, async () => {
      const { git, rid, head, get } = home.create(`linked-${isPacked}`);
      rmSync(join(git.path, "HEAD"));
      symlinkSync("refs/heads/master", join(git.path, "HEAD"));
      if (isPacked) git.run(["pack-refs", "--all", "--prune"]);
      assert.equal(git.text(["rev-parse", "HEAD"]), head);
      const { status, body } = await get("");
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.head, head);
      assert.equal((await get("/commits/HEAD")).body.commit.id, head);
      assert.ok((await home.get("/projects?perPage=100")).body.some(({ id }: { id: string }) => id === rid));
    });
  }

  it("make no repository where HEAD is a link elsewhere", async () => {
    const { git, get } = home.create("elsewhere");
    writeFileSync(join(home.folder, "HEAD"), "ref: refs/heads/master\n");
    rmSync(join(git.path, "HEAD"));
    symlinkSync(join(home.folder, "HEAD"), join(git.path, "HEAD"));
    assert.throws(() => git.run(["rev-parse", "HEAD"]), /not a git repository/);
    assert.equal((await get("")).status, 404);
  });

  it("are missing in no list of repositories but their own when their file is cut off", async () => {
    const { git, rid, get } = home.create("cut-off");
    git.run(["pack-refs", "--all", "--prune"]);
    writeFileSync(join(git.path, "packed-refs"), `${HEADER}${"1".repeat(40)} refs/heads/mas`);
    // Its identity cannot be read, so nobody knows whether it is public.
    assert.equal((await get("/commits")).status, 404);
    const { status: listed, body: list } = await home.get("/projects?perPage=100");
    assert.equal(listed, 200);
    assert.ok(!list.some(({ id }: { id: string }) => id === rid));
  });
});
