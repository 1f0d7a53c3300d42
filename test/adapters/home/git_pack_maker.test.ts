/** Homes that are published with the real git, and what git clones of them. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { manifestKey } from "../../../extensions/replicas/format/keys.ts";
import { type Manifest, manifestOf } from "../../../extensions/replicas/format/manifest.ts";
import { checkBucket, type Damage } from "../../../extensions/replicas/publisher/bucket_check.ts";
import { GitPackMaker } from "../../../adapters/home/git_pack_maker.ts";
import { isWritableFileSystem } from "../../../src/ports/file_system.ts";
import { createVerifyClone } from "../../../adapters/home/verify_clone.ts";
import { isHiddenRef } from "../../../src/git/references.ts";
import { createUnpack } from "../../../src/git/unpack.ts";
import { parseRid, type RepoId } from "../../../src/ids/rid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { StartProgram } from "../../../src/ports/program.ts";
import { GitRepository } from "../../support/git.ts";
import { unpackHome } from "../../support/programs.ts";
import { randomNumbers } from "../../extensions/replicas/format/fuzz.ts";
import { filesOf, GitBucket, homeParts } from "./published_home_by_git.ts";

const ARCHIVE = "today/today-collab.tar.gz";
/** Repositories of the home: two public ones, and a private one. */
const [RID, OTHER] = ["rad:zFpuHQPLnWcwbzEHUbbv4wCzH9qV", "rad:z2wDWbjWsk4yRK4RvpnMV83RrDFvP"].map(
  parseRid,
) as [
  RepoId,
  RepoId,
];

const buckets: GitBucket[] = [];

/** A home and a bucket. */
function make(name: string) {
  const bucket = new GitBucket(name);
  buckets.push(bucket);
  const home = unpackHome(ARCHIVE, bucket.folder);
  const git = new GitRepository(join(home, "storage", RID.slice("rad:".length)));
  return { bucket, home, git };
}

async function readManifest({ bucket }: GitBucket, rid: RepoId = RID): Promise<Manifest> {
  const found = await bucket.get(manifestKey(rid));
  assert.ok(typeof found === "object");
  return manifestOf(rid).decode(found.bytes);
}

/** Adds a commit to a branch. */
function commit(git: GitRepository, branch: string, text: string): Oid {
  const name = `refs/heads/${branch}`;
  const before = git.refs().find((ref) => ref.name === name)?.oid;
  const tree = git.text(["mktree"], `100644 blob ${git.put("blob", text)}\tfile\n`);
  const parents = before === undefined ? [] : ["-p", before];
  const oid = git.text(["commit-tree", tree, ...parents, "-m", "Change"]) as Oid;
  git.setRef(name, oid);
  return oid;
}

/** Adds a long history in one pack. */
function importHistory(git: GitRepository, commits: number): void {
  const parts = Array.from({ length: commits }, (_, i) => {
    const text = Array.from({ length: 50 }, (_, line) => `line ${line} ${(i * 7919) % 50 === line ? i : 0}`);
    const content = text.join("\n");
    return `commit refs/heads/long\ncommitter A <a@x> ${1_700_000_000 + i} +0000\ndata 4\ntext\n` +
      `M 100644 inline file${i % 7}\ndata ${content.length}\n${content}\n`;
  });
  git.run(["fast-import", "--quiet", "--date-format=raw"], parts.join(""));
}

async function check({ bucket }: GitBucket): Promise<readonly Damage[]> {
  const damages: Damage[] = [];
  const options = {
    bucket,
    unpack: createUnpack(homeParts.inflate),
    verifyClone: createVerifyClone(bucket, homeParts),
  };
  const { repositories, clones } = await checkBucket(options, (damage) => damages.push(damage));
  assert.equal(clones + damages.length, repositories);
  return damages;
}

function pathOf(git: GitRepository, oid: string): string {
  return join(git.path, "objects", oid.slice(0, 2), oid.slice(2));
}

describe("a home that is published with git", () => {
  after(() => Promise.all(buckets.map((bucket) => bucket.remove())));

  it("is cloned from the bucket as it is, and is not changed", async () => {
    const { bucket, home, git } = make("git-clone");
    commit(git, "annotated", "one");
    git.run(["tag", "-a", "-m", "Tag", "v1", "refs/heads/annotated"]);
    const before = filesOf(join(home, "storage"));
    const summary = await bucket.publish(home);
    assert.deepEqual([summary.repositories, summary.failed], [2, 0]);
    await bucket.checkClone(RID, git, isHiddenRef);
    await bucket.checkClone(
      OTHER,
      new GitRepository(join(home, "storage", OTHER.slice("rad:".length))),
      isHiddenRef,
    );
    assert.deepEqual(filesOf(join(home, "storage")), before);
    assert.deepEqual(await check(bucket), []);
    const published = readdirSync(bucket.path).filter((name) => name.startsWith("z")).map((name) =>
      `rad:${name}`
    );
    assert.deepEqual(published.sort(), [RID, OTHER].sort(), "a private repository is there");
    assert.deepEqual(readdirSync(join(bucket.cachePath, "publisher")), [], "temporary files are left");
  });

  it("stays a whole clone through changes, joined packs and removed references", async () => {
    const { bucket, home, git } = make("git-changes");
    importHistory(git, 400);
    await bucket.publish(home);
    const random = randomNumbers(7);
    for (let i = 0; i < 24; i++) {
      const changes = 1 + Math.floor(random() * 3);
      for (let j = 0; j < changes; j++) commit(git, `branch-${Math.floor(random() * 5)}`, `${i} ${j}`);
      if (i % 8 === 7) git.run(["update-ref", "-d", `refs/heads/branch-${i % 5}`]);
      const { failed } = await bucket.publish(home);
      assert.equal(failed, 0);
      const { packs } = await readManifest(bucket);
      assert.ok(packs.length <= 10, `${packs.length} packs`);
    }
    await bucket.checkClone(RID, git, isHiddenRef);
    assert.deepEqual(await check(bucket), []);
    assert.equal((await readManifest(bucket)).hasRemoved, true);
  });

  it("is published without objects that it lacks, and with them when they are there again", async () => {
    const { bucket, home, git } = make("git-missing");
    const oids = Array.from({ length: 4 }, (_, i) => commit(git, "chain", `text ${i}`));
    const blob = git.text(["rev-parse", `${oids[1]}:file`]);
    const tree = git.text(["rev-parse", `${oids[2]}^{tree}`]);
    const cases = {
      blob: [blob],
      tree: [tree],
      commit: [oids[1]!],
      all: [blob, tree, oids[0]!],
      tip: [oids[3]!],
    };
    for (const [name, lost] of Object.entries(cases)) {
      const kept = lost.map((oid) => ({
        oid,
        bytes: git.run(["cat-file", git.text(["cat-file", "-t", oid]), oid]),
      }));
      const kinds = lost.map((oid) => git.text(["cat-file", "-t", oid]));
      for (const oid of lost) rmSync(pathOf(git, oid));
      commit(git, "other", `without ${name}`);
      await bucket.bucket.delete([manifestKey(RID)]);
      assert.equal((await bucket.publish(home)).failed, 0, name);
      assert.equal((await readManifest(bucket)).isIncomplete, true, name);
      for (const [i, { bytes }] of kept.entries()) git.put(kinds[i] as "blob", bytes);
      commit(git, "other", `with ${name}`);
      assert.equal((await bucket.publish(home)).failed, 0, name);
      assert.equal((await readManifest(bucket)).isIncomplete, undefined, name);
      await bucket.checkClone(RID, git, isHiddenRef);
    }
  });

  it("is published up to the ends of a shallow history", async () => {
    const { bucket, home, git } = make("git-shallow");
    const oids = Array.from({ length: 3 }, (_, i) => commit(git, "chain", `text ${i}`));
    writeFileSync(join(git.path, "shallow"), `${oids[1]}\n`);
    rmSync(pathOf(git, oids[0]!));
    await bucket.publish(home);
    const { isIncomplete } = await readManifest(bucket);
    assert.equal(isIncomplete, undefined);
    assert.deepEqual(await check(bucket), [{ key: manifestKey(RID), problem: "refused by git" }]);
  });

  it("is published again after git was killed, without temporary files of killed publishers", async () => {
    const { bucket, home, git } = make("git-killed");
    const folder = join(bucket.cachePath, "publisher", `packs-${crypto.randomUUID()}`);
    mkdirSync(join(folder, "objects/pack"), { recursive: true });
    writeFileSync(join(folder, "objects/pack/tmp_pack_x"), "x");
    utimesSync(folder, 1, 1);
    let runs = 0;
    const startProgram: StartProgram = async (command) => {
      const running = await homeParts.startProgram!(command);
      if (command.args.includes("pack-objects") && ++runs === 1) running.kill();
      return running;
    };
    const { failed } = await bucket.publish(home, {}, { ...homeParts, startProgram });
    assert.equal(failed, 1);
    assert.deepEqual(readdirSync(join(bucket.cachePath, "publisher")), []);
    assert.equal((await bucket.publish(home)).failed, 0);
    await bucket.checkClone(RID, git, isHiddenRef);
  });

  it("needs a git that is new enough", async () => {
    const { bucket, home } = make("git-old");
    const old: StartProgram = (command) =>
      homeParts.startProgram!({ ...command, program: "echo", args: ["git version 2.29.9"] });
    await assert.rejects(bucket.publish(home, {}, { ...homeParts, startProgram: old }), /git 2\.30 or newer/);
    const { startProgram: _, ...without } = homeParts;
    await assert.rejects(bucket.publish(home, {}, without), /cannot run programs/);
    await assert.rejects(
      bucket.publish(home, {}, {
        ...homeParts,
        startProgram: (command) => homeParts.startProgram!({ ...command, program: "no-such-git" }),
      }),
      /git 2\.30 or newer/,
    );
  });

  it("makes the same packs again, so that large ones are sent once", async () => {
    const { bucket, home, git } = make("git-again");
    importHistory(git, 400);
    const random = crypto.getRandomValues(new Uint8Array(60_000));
    for (let i = 0; i < 8; i++) commit(git, "large", Array.from(random, (byte) => byte ^ i).join());
    await bucket.publish(home);
    const { packs } = await readManifest(bucket);
    await bucket.bucket.delete([manifestKey(RID)]);
    const { sentBytes } = await bucket.publish(home);
    assert.deepEqual((await readManifest(bucket)).packs[0]!.name, packs[0]!.name);
    const bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
    assert.ok(bytes > 2 ** 18 && sentBytes < bytes, `${sentBytes} of ${bytes} bytes`);
  });
});

/** A git that ends when the test wants it to. Its output is empty. */
class ScriptedGit {
  /** Runs that have not ended, by the path of their repository. */
  readonly running = new Map<string, (status: number | undefined) => void>();
  runs = 0;

  readonly start: StartProgram = ({ args, environment }) => {
    const isVersion = args.includes("version");
    const path = environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] ?? "";
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    if (isVersion) resolve(0);
    else {
      this.runs++;
      this.running.set(path, resolve);
    }
    const ended = promise.then((status) => ({ status, errors: "" }));
    const output = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async start(controller) {
        await promise;
        if (isVersion) controller.enqueue(new TextEncoder().encode("git version 2.40.1"));
        controller.close();
      },
    });
    return Promise.resolve({ output, ended, kill: () => this.end(path, undefined) });
  };

  end(path: string, status: number | undefined): void {
    const end = this.running.get(path);
    this.running.delete(path);
    end?.(status);
  }
}

describe("large work of git", () => {
  after(() => Promise.all(buckets.map((bucket) => bucket.remove())));

  it("runs alone: other large work is ended and begins again, and small work passes", async () => {
    const bucket = new GitBucket("git-large");
    buckets.push(bucket);
    const git = new ScriptedGit();
    const { fileSystem } = homeParts;
    assert.ok(isWritableFileSystem(fileSystem));
    const maker = new GitPackMaker({
      root: "/storage",
      folder: { path: join(bucket.folder, "packs"), isShared: false },
      fileSystem,
      startProgram: git.start,
      smallMs: 20,
    });
    const large: RepoId[] = [];
    const make = (rid: RepoId, signal?: AbortSignal) => {
      const onLarge = () => void large.push(rid);
      const request = { rid, tips: [], published: [], shallow: [], onLarge, signal };
      return maker.make(request, () => Promise.resolve());
    };
    const pathOf = (rid: RepoId) => `"/storage/${rid.slice("rad:".length)}/objects"`;
    const until = async (isReached: () => boolean) => {
      while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    const first = make(RID);
    await until(() => large.length === 1);
    const second = make(OTHER);
    await until(() => large.length === 2);
    assert.deepEqual([[...git.running.keys()], git.runs], [[pathOf(RID)], 2]);
    const small = make(OTHER);
    await until(() => git.running.has(pathOf(OTHER)));
    git.end(pathOf(OTHER), 0);
    assert.deepEqual(await small, { isComplete: true });
    git.end(pathOf(RID), 0);
    await first;
    await until(() => git.running.has(pathOf(OTHER)));
    const ending = new AbortController();
    const third = make(RID, ending.signal);
    await until(() => large.length === 3);
    ending.abort(new Error("over"));
    await assert.rejects(third, /over/);
    git.end(pathOf(OTHER), 0);
    await second;
    assert.deepEqual(readdirSync(join(bucket.folder, "packs")), []);
  });
});
