/** The demo home is small, reaches for no network, and is a home like any other for the real programs. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import {
  GENERATIONS,
  openRadHome,
  removeFolder,
  ROOT,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";

const ARCHIVE = "../../adapters/cli/demo_home.tar.gz";
const SIZE_LIMIT_BYTES = 150_000;

const folder = temporaryFolder("demo-home");
const home = unpackHome(ARCHIVE, folder).replace("demo_home", "demo");
after(() => removeFolder(folder));

describe("the demo home", () => {
  it("is small enough to be shipped", () => {
    assert.ok(statSync(join(ROOT, "test", "fixtures", ARCHIVE)).size < SIZE_LIMIT_BYTES);
  });

  it("has a key that only its owner may read", () => {
    assert.equal(statSync(join(home, "keys", "radicle")).mode & 0o777, 0o600);
  });

  it("neither listens on nor connects to anything when a node is started on it", () => {
    const { preferredSeeds, node } = JSON.parse(readFileSync(join(home, "config.json"), "utf8"));
    assert.deepEqual(preferredSeeds, []);
    assert.deepEqual([node.listen, node.connect, node.externalAddresses], [[], [], []]);
    assert.deepEqual([node.network, node.peers], ["test", { type: "static" }]);
  });

  for (const generation of GENERATIONS) {
    it(`is opened by rad ${generation}`, () => {
      const copy = join(folder, generation);
      cpSync(home, copy, { recursive: true, verbatimSymlinks: true });
      const rad = openRadHome(generation, copy, "demo");
      const listed = rad.rad(folder, "ls");
      for (const name of ["xylem-demo", "seed-catalogue", "winter-notes"]) {
        assert.match(listed, new RegExp(name));
      }
    });
  }

  it("has issues and patches in every state", () => {
    const rad = openRadHome("0.10", home, "demo");
    const rid = JSON.parse(readFileSync(join(home, "config.json"), "utf8")).web.pinned
      .repositories[0] as string;
    const titles = {
      "issue list --open": ["Trees are never watered", "Print the rings", "Which licence"],
      "issue list --solved": ["Leaves fall up"],
      "patch list --open": ["Water the trees"],
      "patch list --draft": ["Sleep in winter"],
      "patch list --merged": ["Spell chlorophyll"],
      "patch list --archived": ["Offer plastic trees"],
    };
    for (const [command, expected] of Object.entries(titles)) {
      const listed = rad.rad(folder, ...command.split(" "), "--repo", rid);
      for (const title of expected) assert.match(listed, new RegExp(title), command);
    }
  });
});
