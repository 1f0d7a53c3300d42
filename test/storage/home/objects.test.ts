/** Objects as git stores them, each compared with what git reads. */
import assert from "node:assert/strict";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../support/files.ts";
import { inflate } from "../../../adapters/node/zlib.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { GitRepository, makeFolder, removeFolder, type StoredObject } from "../../support/git.ts";
import { RID } from "../suite.ts";
import { buildPack, delta } from "./pack_builder.ts";

const COMMITS = 150;

/** How a repository of one history can be stored. */
const FORMS: Record<string, (git: GitRepository) => void> = {
  "as git fast-import leaves them": () => {},
  "loose": (git) => unpackAll(git),
  "loose and not compressed": (git) => {
    git.run(["config", "core.compression", "0"]);
    unpackAll(git);
  },
  "in a pack without deltas": (git) => repack(git, "--depth=0", "--window=0"),
  "in a pack with long chains of deltas": (git) => repack(git, "--depth=50", "--window=50"),
  "in a pack with deltas told by id": (git) => {
    git.run(["config", "repack.useDeltaBaseOffset", "false"]);
    repack(git, "--depth=50");
  },
  "in a pack with an index of 64-bit offsets": (git) => {
    repack(git);
    const [pack] = packs(git);
    rmSync(pack!.replace(/pack$/, "idx"), { force: true });
    git.run(["index-pack", "--index-version=2,0x40", pack!]);
  },
  "in several packs": (git) => {
    git.run(["config", "gc.autoPackLimit", "0"]);
    repack(git, "--max-pack-size=1m");
    const more = git.text(["commit-tree", "-m", "More", "main^{tree}"], "");
    git.run(["update-ref", "refs/heads/more", more]);
    git.run(["repack", "-d", "-q"]);
    git.put("blob", "loose and referred to by nothing");
  },
  "in a pack with index of several": (git) => {
    repack(git);
    git.put("blob", "another");
    git.run(["multi-pack-index", "write"]);
  },
  "by name in alternates, relative": (git) => borrow(git, "../../lender.git/objects\n"),
  "by name in alternates, absolute": (git) => borrow(git, `${git.path}/../lender.git/objects\n`),
};

/** A new pack of everything. */
function repack(git: GitRepository, ...options: string[]): void {
  git.run(["repack", "-a", "-d", "-F", "-k", "-q", ...options]);
}

function packs(git: GitRepository): string[] {
  const folder = join(git.path, "objects/pack");
  return readdirSync(folder).filter((name) => name.endsWith(".pack")).map((name) => join(folder, name));
}

/** Makes all objects loose. */
function unpackAll(git: GitRepository): void {
  for (const pack of packs(git)) {
    const bytes = readFileSync(pack);
    rmSync(pack);
    rmSync(pack.replace(/pack$/, "idx"));
    git.run(["unpack-objects", "-q"], bytes);
  }
}

/** Moves all objects to another repository and borrows them from there. */
function borrow(git: GitRepository, alternates: string): void {
  const lender = GitRepository.create(join(git.path, "../lender.git"));
  for (const pack of packs(git)) lender.run(["unpack-objects", "-q"], readFileSync(pack));
  lender.run(["update-ref", "refs/heads/main", git.text(["rev-parse", "main"])]);
  lender.run(["repack", "-a", "-d", "-q"]);
  rmSync(join(git.path, "objects/pack"), { recursive: true });
  mkdirSync(join(git.path, "objects/info"), { recursive: true });
  writeFileSync(join(git.path, "objects/info/alternates"), alternates);
}

for (const [form, bring] of Object.entries(FORMS)) {
  describe(`objects ${form}`, () => {
    let root: string;
    let objects: StoredObject[];
    let repository: NonNullable<ReturnType<ReturnType<typeof createHomeStorage>["repository"]>>;

    before(() => {
      root = makeFolder();
      const git = GitRepository.create(join(root, RID.slice("rad:".length)));
      git.importHistory(COMMITS);
      git.put("blob", "");
      git.put("blob", new Uint8Array(300_000).fill(65));
      bring(git);
      objects = git.objects();
      const log = (_level: string, message: string) => assert.fail(message);
      repository = createHomeStorage({ root, fileSystem, inflate, log }).repository(RID)!;
    });
    after(() => removeFolder(root));

    it("have the content, kind and size that git reports", async () => {
      assert.ok(objects.length > COMMITS * 3);
      for (const { oid, kind, bytes } of objects) {
        assert.deepEqual(repository.header(oid), { kind, size: bytes.length });
        const object = await repository.object(oid);
        assert.equal(object?.kind, kind);
        assert.deepEqual(Uint8Array.from(object?.bytes ?? []), bytes, oid);
      }
    });

    it("are read at once, too", async () => {
      const some = objects.slice(0, 50);
      const read = await repository.objects(some.map((object) => object.oid));
      assert.deepEqual(read.map((object) => object?.bytes.length), some.map((object) => object.bytes.length));
    });

    it("are no more than git has", async () => {
      assert.equal(await repository.object("0123456789012345678901234567890123456789" as Oid), undefined);
      assert.equal(repository.header("f".repeat(40) as Oid), undefined);
    });
  });
}

describe("objects in a pack of more than 4 GiB", () => {
  const SHIFT = 2 ** 32;
  const text = new TextEncoder().encode("far away");
  const ids = ["1", "2", "3"].map((digit) => digit.repeat(40)) as [Oid, Oid, Oid];
  const { pack, index } = buildPack([
    { oid: ids[0], kind: "blob", data: text },
    { oid: ids[1], base: 0, data: delta(8, 3, 0x90, 3) },
    { oid: ids[2], base: ids[0], data: delta(8, 4, 0x91, 4, 4) },
  ], SHIFT);

  it("are read", async () => {
    const root = makeFolder();
    try {
      const git = GitRepository.create(join(root, RID.slice("rad:".length)));
      const path = join(git.path, "objects/pack/pack-1");
      writeFileSync(path + ".idx", index);
      // A file with a hole: the header, nothing for a long time, entries and checksum.
      const file = openSync(path + ".pack", "w");
      writeSync(file, pack, 0, 12, 0);
      writeSync(file, pack, 12, pack.length - 12, 12 + SHIFT);
      closeSync(file);
      const storage = createHomeStorage({ root, fileSystem });
      const contents = (await storage.repository(RID)!.objects(ids)).map((object) =>
        new TextDecoder().decode(object?.bytes)
      );
      assert.deepEqual(contents, ["far away", "far", "away"]);
      storage.close();
    } finally {
      removeFolder(root);
    }
  });
});
