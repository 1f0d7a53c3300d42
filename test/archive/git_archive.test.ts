/** Archives of a recorded home, against those of the real `git archive`; the replays compare them with recorded ones. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { unpackTar } from "modern-tar";
import type { HomeApi } from "../../adapters/home/home.ts";
import { adapter } from "../adapters/this_runtime.ts";
import { GitRepository } from "../support/git.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";

/** A repository with all kinds of names, links and a submodule. */
const SHAPES = "z2fTg3eDnQ94SdBqNeaGGcYD9BYdt";

/** Whatever a tar archive says of its entries, and their content. */
async function contentOf(bytes: Uint8Array) {
  const unpacked = await unpackTar(new Uint8Array(bytes), { strict: true });
  return unpacked.map(({ header: { name, mode, mtime, type, linkname, uid, uname }, data }) => ({
    ...{ name, mode, mtime, type, linkname, uid, uname },
    data: data && [...data],
  }));
}

describe("archives", () => {
  const folder = temporaryFolder("archives");
  let home: HomeApi;
  before(async () => {
    home = await adapter.createHomeApi({ home: unpackHome("today/today-browse.tar.gz", folder) });
  });
  after(async () => {
    await home?.close();
    removeFolder(folder);
  });

  it("have the entries and the content that git archive gives", async () => {
    const git = new GitRepository(join(home.home, "storage", SHAPES));
    // Without the files whose names have a backslash, a tabulator or a line feed.
    git.run(["read-tree", "HEAD"]);
    const bad = git.text(["ls-files", "-z"]).split("\0").filter((path) => /[\\\t\n]/.test(path));
    assert.equal(bad.length, 4);
    git.run(
      ["update-index", "-z", "--index-info"],
      bad.map((path) => `0 ${"0".repeat(40)}\t${path}\0`).join(""),
    );
    const commit = git.text(["commit-tree", "-m", "x", git.text(["write-tree"])]);
    const ours = await home.api.fetch(new Request(`http://localhost/raw/${SHAPES}/${commit}.tar`));
    const theirs = git.run(["archive", "--format=tar", `--prefix=shapes-${commit}/`, commit]);
    assert.deepEqual(await contentOf(new Uint8Array(await ours.arrayBuffer())), await contentOf(theirs));
  });
});
