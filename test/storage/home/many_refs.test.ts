/** Very many references: read in turns, shared between those who ask meanwhile, and bounded. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HomeRepository } from "../../../src/storage/home/repository.ts";
import { RID } from "../suite.ts";
import { FakeHome } from "./fake_home.ts";

const OID = "1".repeat(40);

function repositoryOf(home: FakeHome): HomeRepository {
  return home.storage.repository(RID)!;
}

describe("very many packed references", () => {
  it("are read once for all who ask meanwhile, and not again while the file is the same", async () => {
    const home = new FakeHome();
    const count = 40_000;
    const lines = Array.from({ length: count }, (_, i) => `${OID} refs/tags/${String(i).padStart(6, "0")}\n`);
    home.put("packed-refs", lines.join(""));
    const repository = repositoryOf(home);
    const reads = home.files.calls.read;
    const [all, one] = await Promise.all([repository.refs("refs/tags/"), repository.ref("refs/tags/000007")]);
    assert.equal(all.length, count);
    assert.equal(one?.oid, OID);
    assert.equal(await repository.ref("refs/tags/none"), undefined);
    assert.equal(home.files.calls.read - reads, 1);
    home.put("packed-refs", `${OID} refs/tags/other\n`);
    assert.deepEqual((await repository.refs("refs/tags/")).map(({ name }) => name), ["refs/tags/other"]);
  });

  it("are decoded in parts that end with lines", async (test) => {
    const home = new FakeHome();
    const names = Array.from(
      { length: 20_000 },
      (_, i) => `refs/tags/${String(i).padStart(6, "0")}${"é".repeat(i % 7)}`,
    );
    home.put("packed-refs", names.map((name) => `${OID} ${name}\n`).join(""));
    const lengths: number[] = [];
    const { decode } = TextDecoder.prototype;
    test.mock.method(
      TextDecoder.prototype,
      "decode",
      function (this: TextDecoder, ...args: Parameters<typeof decode>) {
        lengths.push(args[0]?.byteLength ?? 0);
        return decode.apply(this, args);
      },
    );
    const found = await repositoryOf(home).refs("refs/tags/");
    assert.deepEqual(found.map(({ name }) => name), names);
    assert.ok(Math.max(...lengths) <= 300_000, `${Math.max(...lengths)} bytes at once`);
    assert.ok(lengths.length > 4);
  });

  it("are refused when their file is too large", async () => {
    const home = new FakeHome();
    home.put("packed-refs", new Uint8Array(2 ** 26));
    await assert.rejects(async () => await repositoryOf(home).refs("refs/tags/"), { name: "TooLargeError" });
  });
});

describe("a folder of too many references", () => {
  it("shows only requested ones, with a warning, and hides no others", async () => {
    const home = new FakeHome();
    const list = home.files.list.bind(home.files);
    const names = Array.from(
      { length: 100_000 },
      (_, i) => ({ name: `${i}`, kind: "file" as const }),
    );
    home.put("refs/many/7", `${OID}\n`);
    home.files.list = (path) => path.endsWith("/refs/many") ? names : list(path);
    const repository = repositoryOf(home);
    assert.deepEqual((await repository.refs("refs/")).map(({ name }) => name), ["refs/heads/main"]);
    assert.equal((await repository.ref("refs/many/7"))?.oid, OID);
    assert.equal(home.warnings.length, 1);
  });
});
