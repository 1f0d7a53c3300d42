/** Forms in which git stores objects, all of which it reads. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { fileSystem } from "../support/files.ts";
import type { GitRepository } from "../support/git.ts";
import { GitHome } from "../support/git_home.ts";

const COMMITS = 300;

/** What makes another form of a repository's packs. */
const FORMS: Readonly<Record<string, (git: GitRepository) => void>> = {
  "a pack index of version 1": (git) => git.run(["-c", "pack.indexVersion=1", "repack", "-adf", "--quiet"]),
  "a multi-pack-index": (git) => {
    git.run(["repack", "-d", "--quiet"]);
    git.run(["multi-pack-index", "write"]);
    git.run(["multi-pack-index", "repack"]);
    git.run(["multi-pack-index", "expire"]);
  },
  "reverse indexes, bitmaps and a kept pack": (git) => {
    git.run(["-c", "pack.writeReverseIndex=true", "repack", "-adb", "--quiet"]);
    for (const name of packsOf(git)) writeFileSync(join(git.path, "objects/pack", `${name}.keep`), "");
  },
  "a pack of version 3": (git) => {
    git.run(["repack", "-ad", "--quiet"]);
    const [name] = packsOf(git);
    const path = join(git.path, "objects/pack", `${name}.pack`);
    const bytes = readFileSync(path);
    bytes.writeUInt32BE(3, 4);
    const body = bytes.subarray(0, -20);
    rmSync(path);
    writeFileSync(path, new Uint8Array([...body, ...createHash("sha1").update(body).digest()]));
    rmSync(path.replace(/pack$/, "idx"));
    git.run(["index-pack", path]);
  },
  "deltas that name their bases": (git) => {
    git.run(["-c", "repack.useDeltaBaseOffset=false", "repack", "-adf", "--quiet"]);
  },
  "loose objects without compression": (git) => {
    const [name] = packsOf(git);
    const pack = join(git.path, "objects/pack", `${name}.pack`);
    const aside = join(git.path, "aside.pack");
    renameSync(pack, aside);
    rmSync(pack.replace(/pack$/, "idx"));
    git.run(["-c", "core.looseCompression=0", "unpack-objects", "-q"], readFileSync(aside));
    rmSync(aside);
  },
};

function packsOf(git: GitRepository): string[] {
  return readdirSync(join(git.path, "objects/pack")).filter((name) => name.endsWith(".pack"))
    .map((name) => name.slice(0, -".pack".length));
}

describe("objects of a repository", () => {
  for (const [what, change] of Object.entries(FORMS)) {
    it(`are read from ${what}`, async () => {
      const home = new GitHome("formats");
      try {
        const { git, rid, get } = home.create("formats");
        git.importHistory(COMMITS);
        git.run(["repack", "-ad", "--quiet"]);
        change(git);
        git.run(["fsck", "--full"]);
        const storage = createHomeStorage({ root: join(git.path, ".."), fileSystem });
        const repository = storage.repository(rid)!;
        for (const { oid, kind, bytes } of git.objects()) {
          assert.equal(repository.header(oid)?.kind, kind, oid);
          assert.deepEqual(new Uint8Array((await repository.object(oid))!.bytes), bytes, oid);
        }
        storage.close();
        const tip = git.text(["rev-parse", "main"]) as Oid;
        const { status, body } = await get(`/tree/${tip}/`);
        assert.equal(status, 200);
        assert.equal(body.stats.commits, COMMITS);
      } finally {
        await home.remove();
      }
    });
  }
});
