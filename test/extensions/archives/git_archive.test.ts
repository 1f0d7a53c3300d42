/** The archive of a recorded repository, against that of the real `git archive`; the replays compare it with a recorded one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { HomeApi } from "../../../adapters/home/home.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { GitRepository } from "../../support/git.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";

/** A repository with all kinds of names, links and a submodule. */
const SHAPES = "z2fTg3eDnQ94SdBqNeaGGcYD9BYdt";

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

  it("have the bytes that git archive gives", async () => {
    const git = new GitRepository(join(home.home, "storage", SHAPES));
    const commit = git.text(["rev-parse", "HEAD"]);
    const ours = await home.api.fetch(new Request(`http://localhost/raw/${SHAPES}/${commit}.tar`));
    const theirs = git.run(["archive", "--format=tar", `--prefix=shapes-${commit}/`, commit]);
    assert.deepEqual(new Uint8Array(await ours.arrayBuffer()), new Uint8Array(theirs));
  });
});
