/** Repositories that borrow objects from others, compared with what git finds. */
import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { createHomeStorage, type HomeStorage } from "../../src/storage/home/storage.ts";
import { fileSystem } from "../support/files.ts";
import { GitRepository } from "../support/git.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

/** Lists of alternates; `AT` stands for the folder in which `a b`, `\\c` and `d"ü` are repositories. */
const LISTS = [
  ...["AT/a b/objects\n", '"AT/a b/objects"\n', '"AT/a\\040b/objects"', '# x\n\n"AT/a b/objects"\n'],
  ...[
    '"AT/a b/objects',
    '"AT/a\\xb/objects"\n',
    '"AT/a b/objects"xAT/d"ü/objects\n',
    '"AT/d\\"\\303\\274/objects"\n',
  ],
  ...['AT/d"ü/objects\n', "\\c/objects\n", "AT/\\c/objects\n", '"\\\\c/objects"\n', "AT/a b/objects\r\n"],
  ...["../../other/a b/objects\n", "AT/a b/objects/\n", "AT/a b\n", "C:/objects\n", " AT/a b/objects\n"],
];

describe("borrowed objects", () => {
  let home: GitHome;
  let made: MadeRepository;
  let storage: HomeStorage;
  let oids: readonly Oid[];
  before(() => {
    home = new GitHome("alternates");
    made = home.create("alternates");
    const other = join(made.git.path, "other");
    const lenders = ["a b", "c", 'd"ü'].map((name) => GitRepository.create(join(other, name)));
    oids = lenders.map((git, i) => git.put("blob", `lent by ${i}`));
    // Below the folder of objects, to which relative paths are relative.
    renameSync(join(other, "c"), join(made.git.path, "objects", "\\c"));
    storage = createHomeStorage({ root: join(made.git.path, ".."), fileSystem });
  });
  after(async () => {
    storage.close();
    await home.remove();
  });

  for (const list of LISTS) {
    it(`are found as git finds them by ${JSON.stringify(list)}`, () => {
      const text = list.replaceAll("AT", join(made.git.path, "other"));
      writeFileSync(join(made.git.path, "objects/info/alternates"), text);
      const found = oids.map((oid) => storage.repository(made.rid)!.header(oid) !== undefined);
      const checked = made.git.text(["cat-file", "--batch-check"], oids.map((oid) => `${oid}\n`).join(""));
      assert.deepEqual(found, checked.split("\n").map((line) => !line.endsWith("missing")));
    });
  }
});
