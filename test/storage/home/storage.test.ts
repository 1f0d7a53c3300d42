/** The storage of a home: which folders are repositories, and what of them is kept. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileSystem } from "../../support/files.ts";
import { inflate } from "../../../adapters/node/zlib.ts";
import { formatRid, type RepoId } from "../../../src/ids/rid.ts";
import type { CacheName } from "../../../src/cache/caches.ts";
import { Memory } from "../../../src/cache/memory.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { GitRepository, makeFolder, removeFolder } from "../../support/git.ts";
import { EMPTY_RID, type Given, type Made, RID, testStorage } from "../suite.ts";
import { FakeFiles } from "./fake_files.ts";
import { FakeHome } from "./fake_home.ts";
import { blobId, buildPack } from "./pack_builder.ts";

/** A home made by git, changed by the given commands. */
function gitHome(
  { objects, refs }: Given,
  options: Partial<Parameters<typeof createHomeStorage>[0]>,
  ...commands: string[][]
): Made {
  const root = makeFolder();
  const git = GitRepository.create(join(root, folder(RID)));
  GitRepository.create(join(root, folder(EMPTY_RID)));
  for (const { oid, kind, content } of objects) assert.equal(git.put(kind, content), oid);
  for (const [name, value] of Object.entries(refs)) {
    if (value.startsWith("ref: ")) git.setSymbolicRef(name, value.slice("ref: ".length));
    else git.run(["update-ref", name, value]);
  }
  for (const command of commands) git.run(command);
  const storage = createHomeStorage({ root, fileSystem, ...options });
  return {
    storage,
    remove() {
      storage.close();
      removeFolder(root);
    },
  };
}

const folder = (rid: RepoId) => rid.slice("rad:".length);

const PACK_ALL = [["repack", "-a", "-d", "-k", "-q"], ["pack-refs", "--all", "--prune"]];
testStorage("createHomeStorage on loose objects and references", (given) => gitHome(given, { inflate }));
testStorage(
  "createHomeStorage on packed objects and references",
  (given) => gitHome(given, { inflate }, ...PACK_ALL),
);
testStorage("createHomeStorage with its own inflater", (given) => gitHome(given, {}, ...PACK_ALL));

const ROOT = "/home/storage";
const CONTENT = {
  "HEAD": "ref: refs/heads/main\n",
  "objects/info/packs": "",
  "refs/heads/main": `${"1".repeat(40)}\n`,
};

function putRepository(files: FakeFiles, name: string): void {
  for (const [path, content] of Object.entries(CONTENT)) files.put(`${ROOT}/${name}/${path}`, content);
}

describe("folders of a home's storage", () => {
  /** Ids and warnings of a storage with an empty repository in each of the folders. */
  function listed(...names: string[]) {
    const files = new FakeFiles();
    const warnings: string[] = [];
    const log = (_level: string, message: string) => void warnings.push(message);
    for (const name of names) putRepository(files, name);
    const storage = createHomeStorage({ root: ROOT, fileSystem: files, log });
    storage.repositoryIds();
    return { ids: storage.repositoryIds(), warnings, files, storage };
  }

  it("are repositories when named by an id", () => {
    const { ids, warnings } = listed(folder(RID), folder(EMPTY_RID));
    assert.deepEqual([ids, warnings], [[RID, EMPTY_RID], []]);
  });

  it("are ignored in silence when hidden or temporary", () => {
    const { ids, warnings } = listed(
      ".hidden",
      `${folder(RID)}.lock`,
      `${folder(RID)}.tmp`,
      `.${folder(RID)}`,
      "abc.lock",
    );
    assert.deepEqual([ids, warnings], [[], []]);
  });

  it("are ignored with one warning each under other names", () => {
    const hexadecimal = "fd96f425412c9f8ad5d9a9a05c9831d0728e2338d";
    const names = [hexadecimal, RID, "lost+found", "zzz", "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi"];
    const { ids, warnings } = listed(...names);
    assert.deepEqual(ids, []);
    assert.deepEqual(
      warnings,
      names.map((name) => `Folder "${name}" of the storage is not named by a repository id`),
    );
  });

  it("are ignored in silence when they are no folders", () => {
    const { files, storage, warnings } = listed(folder(RID));
    files.put(`${ROOT}/stray-file`, "");
    files.put(`${ROOT}/${folder(EMPTY_RID)}`, "/elsewhere", "link");
    assert.deepEqual([storage.repositoryIds(), storage.repository(EMPTY_RID), warnings], [
      [RID],
      undefined,
      [],
    ]);
  });

  for (const missing of ["HEAD", "objects", "refs"]) {
    it(`are no repositories without ${missing}`, () => {
      const { files, storage } = listed(folder(RID));
      files.remove(`${ROOT}/${folder(RID)}/${missing}`);
      assert.deepEqual([storage.repositoryIds(), storage.repository(RID)], [[], undefined]);
    });
  }

  it("may all be missing", () => {
    const storage = createHomeStorage({ root: ROOT, fileSystem: new FakeFiles() });
    assert.deepEqual([storage.repositoryIds(), storage.repository(RID)], [[], undefined]);
  });

  it("are opened by canonical ids only", () => {
    const { storage } = listed(folder(RID));
    for (const id of [`rad:${RID}`, `rad:z../${folder(RID)}`, "rad:z", "rad:z0OIl", folder(RID)]) {
      assert.equal(storage.repository(id as RepoId), undefined, id);
    }
  });

  it("may take the place of others", async () => {
    const home = new FakeHome();
    const oid = blobId("one");
    home.pack("pack-1", [{ oid, kind: "blob", data: new TextEncoder().encode("one") }]);
    assert.equal((await home.repository.object(oid))?.kind, "blob");
    home.files.remove(home.path);
    assert.equal(home.storage.repository(RID), undefined);
    assert.equal(home.files.openCount, 0);
  });
});

describe("the cache of repositories", () => {
  const text = new TextEncoder().encode("one");
  const oid = blobId("one");
  const built = buildPack([{ oid, kind: "blob", data: text }]);

  /** Memory for few repositories. */
  class SmallMemory extends Memory {
    override share(name: CacheName): number {
      return name === "packIndexes" ? 2 ** 17 : super.share(name);
    }
  }

  /** Many repositories of several packs each. */
  function large(repositories: number, packs: number, memory = new Memory()) {
    const files = new FakeFiles();
    const rids = Array.from({ length: repositories }, (_, i) => formatRid(new Uint8Array(20).fill(i + 1)));
    for (const rid of rids) {
      putRepository(files, folder(rid));
      for (let i = 0; i < packs; i++) {
        files.put(`${ROOT}/${folder(rid)}/objects/pack/pack-${i}.pack`, built.pack);
        files.put(`${ROOT}/${folder(rid)}/objects/pack/pack-${i}.idx`, built.index);
      }
    }
    return { files, rids, storage: createHomeStorage({ root: ROOT, fileSystem: files, memory }) };
  }

  it("is the same repository from one request to the next", () => {
    const { storage, rids: [rid] } = large(1, 1);
    assert.equal(storage.repository(rid!), storage.repository(rid!));
  });

  it("is looked up with one file call while the folder is unchanged", () => {
    const home = new FakeHome();
    const { repository } = home;
    const { stat } = home.files.calls;
    assert.equal(home.repository, repository);
    assert.equal(home.files.calls.stat, stat + 1);
    home.files.remove(`${home.path}/HEAD`);
    assert.equal(home.repository, undefined);
    home.put("HEAD", "ref: refs/heads/main\n");
    assert.notEqual(home.repository, undefined);
  });

  it("is bounded in bytes, whatever the number of repositories; files are closed when they are dropped", async () => {
    const repositories = 200;
    const { files, rids, storage } = large(repositories, 1, new SmallMemory());
    const first = storage.repository(rids[0]!)!;
    assert.equal((await first.object(oid))?.kind, "blob");
    assert.equal(storage.repository(rids[0]!), first);
    for (const rid of rids) assert.equal((await storage.repository(rid)?.object(oid))?.kind, "blob");
    assert.ok(files.openCount < repositories);
    assert.notEqual(storage.repository(rids[0]!), first);
    assert.equal((await first.object(oid))?.kind, "blob", "a repository still in use can be read");
  });

  it("holds at least one repository, however large", () => {
    const { rids: [large1, large2], storage } = large(2, 50, new SmallMemory());
    const first = storage.repository(large1!)!;
    first.object(oid);
    assert.equal(storage.repository(large1!), first);
    storage.repository(large2!)!.object(oid);
    storage.repository(large2!);
    assert.notEqual(storage.repository(large1!), first);
  });

  it("is a bounded number of open files", () => {
    const { files, rids, storage } = large(20, 20);
    for (const rid of rids) storage.repository(rid)?.object(oid);
    assert.ok(files.openCount < 200);
  });

  it("is given up when closed, and found again", async () => {
    const { files, rids, storage } = large(5, 5);
    const repositories = rids.map((rid) => storage.repository(rid)!);
    for (const repository of repositories) repository.object(oid);
    storage.close();
    assert.equal(files.openCount, 0);
    for (const repository of repositories) assert.equal((await repository.object(oid))?.kind, "blob");
  });
});
