/** A repository that does not name its identity document is still read: by evaluating the identity that its nodes signed. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createHomeApi } from "../../adapters/node/mod.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";

const GARDEN = "rad:z3ndKvLdEnaEcQCsbG9qTvp5a8uJx";
const folder = temporaryFolder("identity");
let home: string;

before(() => {
  home = unpackHome("collab.tar.gz", folder);
});
after(() => removeFolder(folder));

describe("a repository without refs/rad/id", () => {
  it("has the document that its delegates agreed on", async () => {
    const { api, storage } = await createHomeApi({ home });
    const ask = async () =>
      (await api.fetch(new Request(`http://localhost/api/v1/projects/${GARDEN}`))).json();
    const named = await ask();
    assert.equal(named.name, "garden");
    rmSync(join(home, "storage", GARDEN.slice(4), "refs/rad/id"));
    assert.deepEqual(await ask(), named);
    storage.close();
  });
});
