/** Tags on the way to commits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { followTags, MAX_TAG_CHAIN, parseTag } from "../../src/git/tags.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { runSync } from "../../src/scheduling/task.ts";
import { toJsonInteger } from "../../src/text/integers.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";

const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji" as RepoId);
const put = (kind: "blob" | "tag", text: string) => repository.put(kind, new TextEncoder().encode(text));
const blob = put("blob", "x");

/** A chain of so many tags that ends at a blob. */
function chain(length: number): Oid {
  let oid = blob;
  for (let i = 0; i < length; i++) oid = put("tag", `object ${oid}\ntype tag\ntag ${i}\n\nx\n`);
  return oid;
}

describe("followTags", () => {
  it("leads to what is tagged, and leaves all else", async () => {
    const missing = "f".repeat(40) as Oid;
    assert.deepEqual(await followTags(repository, [blob, chain(1), chain(3), missing]), [
      blob,
      blob,
      blob,
      missing,
    ]);
  });

  it("gives up beyond a long chain, and at a tag of nothing", async () => {
    const [far, broken] = [chain(MAX_TAG_CHAIN + 1), put("tag", "object abc\ntype commit\n\nx\n")];
    assert.deepEqual(await followTags(repository, [chain(MAX_TAG_CHAIN), far, broken]), [
      blob,
      far,
      broken,
    ]);
  });

  it("reads ids in capital letters", async () => {
    const tag = put("tag", `object ${blob.toUpperCase()}\ntype blob\ntag x\n\nx\n`);
    assert.deepEqual(await followTags(repository, [tag]), [blob]);
  });
});

describe("parseTag", () => {
  it("has the exact time of its tagger, and JSON has it, too", () => {
    const text = `object ${blob}\ntype blob\ntag x\ntagger A <a@b> 9007199254740993 +0000\n\nx\n`;
    const { tagger } = runSync(parseTag(new TextEncoder().encode(text)));
    assert.equal(tagger?.timeSeconds, 9007199254740993n);
    assert.equal(JSON.stringify([toJsonInteger(tagger.timeSeconds)]), "[9007199254740993]");
  });
});
