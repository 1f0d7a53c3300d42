/** Which programs work on a home, by what they have left in it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  detectGeneration,
  generationOf,
  type HomeGeneration,
  readHomeSigns,
} from "../../src/identity/generation.ts";
import { fileSystem } from "../support/files.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";
import { FakeFiles } from "../storage/home/fake_files.ts";

describe("the generation of a home", () => {
  const none = { nodeVersion: undefined, cacheVersion: undefined, repositories: "none" } as const;
  const known: [Partial<Parameters<typeof detectGeneration>[0]>, HomeGeneration][] = [
    [{}, "newest"],
    [{ repositories: "bare" }, "newest"],
    [{ repositories: "with samples" }, "2024"],
    [{ nodeVersion: 2, repositories: "with samples" }, "2024"],
    [{ nodeVersion: 2, cacheVersion: 1 }, "0.10"],
    [{ nodeVersion: 5 }, "0.10"],
    [{ nodeVersion: 6, cacheVersion: 1 }, "0.10"],
    [{ nodeVersion: 8, cacheVersion: 2 }, "1.1"],
    [{ cacheVersion: 2 }, "1.1"],
    [{ nodeVersion: 9, cacheVersion: 3, repositories: "bare" }, "newest"],
    [{ nodeVersion: 9, repositories: "with samples" }, "newest"],
    [{ nodeVersion: 10, cacheVersion: 4 }, "newest"],
    // Migrated by the newest command line, while the node has not started yet.
    [{ nodeVersion: 6, cacheVersion: 3, repositories: "with samples" }, "newest"],
    [{ nodeVersion: 2, cacheVersion: 3 }, "newest"],
  ];
  for (const [signs, generation] of known) {
    it(`is ${generation} where there is ${JSON.stringify(signs)}`, () => {
      assert.equal(detectGeneration({ ...none, ...signs }), generation);
    });
  }
});

describe("the signs in a home", () => {
  const HOME = "/home";

  function database(version: number, magic = "SQLite format 3\0"): Uint8Array {
    const header = new Uint8Array(4096);
    header.set(new TextEncoder().encode(magic));
    new DataView(header.buffer).setUint32(60, version);
    return header;
  }

  function signsOf(content: Readonly<Record<string, string | Uint8Array>>) {
    const files = new FakeFiles();
    for (const [path, bytes] of Object.entries(content)) files.put(`${HOME}/${path}`, bytes);
    const signs = readHomeSigns(files, HOME);
    assert.equal(files.openCount, 0);
    return signs;
  }

  it("are the versions of its databases", () => {
    const signs = signsOf({ "node/node.db": database(6), "cobs/cache.db": database(1) });
    assert.deepEqual(signs, { nodeVersion: 6, cacheVersion: 1, repositories: "none" });
  });

  it("are missing in a file that is no database, or an empty one", () => {
    const odd = [
      new Uint8Array(),
      database(9).subarray(0, 99),
      database(9, "SQLite format 2\0"),
      database(0),
    ];
    for (const bytes of odd) assert.equal(signsOf({ "node/node.db": bytes }).nodeVersion, undefined);
  });

  it("are git's sample files in its repositories", () => {
    const bare = { "storage/z1/HEAD": "", "storage/z1/objects/info/packs": "", "storage/z1/refs/x": "" };
    assert.equal(signsOf({ "storage/stray": "" }).repositories, "none");
    assert.equal(signsOf(bare).repositories, "bare");
    const sampled = { ...bare, "storage/z2/objects/info/packs": "", "storage/z2/description": "" };
    assert.equal(signsOf(sampled).repositories, "with samples");
  });

  it("are searched in a limited number of repositories", () => {
    const bare = Array.from(
      { length: 1000 },
      (_, i) => [`storage/z${i}/objects/info/packs`, ""],
    );
    const sampled = { "storage/last/objects/info/packs": "", "storage/last/description": "" };
    assert.equal(signsOf({ ...Object.fromEntries(bare), ...sampled }).repositories, "bare");
    assert.equal(
      signsOf({ ...Object.fromEntries(bare.slice(-10)), ...sampled }).repositories,
      "with samples",
    );
  });

  it("are checked at most once a second", () => {
    const files = new FakeFiles();
    files.put(`${HOME}/node/node.db`, database(5));
    let nowMs = 1_000_000;
    const generation = generationOf(files, HOME, () => nowMs);
    assert.equal(generation(), "0.10");
    files.put(`${HOME}/node/node.db`, database(9));
    nowMs += 999;
    assert.equal(generation(), "0.10");
    nowMs += 1;
    assert.equal(generation(), "newest");
  });

  describe("that the real programs made", () => {
    const homes: Readonly<Record<string, HomeGeneration>> = {
      "desk": "2024",
      "edges/edge-nodatabases": "2024",
      "today/ten-collab": "0.10",
      "today/ten-then-today": "newest",
      "today/edge-nocache": "newest",
    };
    let folder: string;
    before(() => {
      folder = temporaryFolder("generation");
    });
    after(() => removeFolder(folder));

    for (const [name, generation] of Object.entries(homes)) {
      it(`show that ${name} is of ${generation}`, () => {
        const home = unpackHome(`${name}.tar.gz`, folder);
        assert.equal(detectGeneration(readHomeSigns(fileSystem, home)), generation);
      });
    }
  });
});
