/** In whose name commits are made. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readCommitter } from "../../../src/storage/home/writable_repository.ts";
import { FakeFiles } from "./fake_files.ts";

const CONFIG = "[core]\n\tbare = true\n[user]\n\tname = hana\n\temail = hana@z6Mk\n";

function read(config: string | undefined): unknown {
  const files = new FakeFiles();
  files.put("/r/HEAD", "ref: refs/heads/main\n");
  if (config !== undefined) files.put("/r/config", config);
  return readCommitter(files, "/r");
}

describe("readCommitter", () => {
  it("finds what the configuration says", () => {
    assert.deepEqual(read(CONFIG), { name: "hana", email: "hana@z6Mk" });
  });

  for (
    const [what, config] of [
      ["there is no configuration", undefined],
      ["it names nobody", "[core]\n\tbare = true\n"],
      ["the address is missing", "[user]\n\tname = hana\n"],
      ["the name is empty", "[user]\n\tname =\n\temail = hana@z6Mk\n"],
    ] as const
  ) {
    it(`finds no committer when ${what}`, () => assert.equal(read(config), undefined));
  }

  it("does not read huge files", () => {
    assert.ok(read(CONFIG.padEnd(10_000, "#")));
    assert.equal(read(CONFIG.padEnd(2 ** 24, "#")), undefined);
  });
});
