/** A bucket in a folder, which nginx shows to everybody: read as a public bucket. */
import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { createFolderBucket } from "../../extensions/replicas/bucket/folder.ts";
import { createPublicBucket } from "../../extensions/replicas/bucket/public.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import { bytesOf, mustGet, mustPut, textOf } from "../extensions/replicas/bucket/suite.ts";
import { folderOnDisk, removeFolder, type Service } from "../support/programs.ts";
import { startNginx } from "../support/servers.ts";

const folder = folderOnDisk("public-bucket");
const root = join(folder, "objects");
let nginx: Service;
let written: Bucket;
let bucket: Bucket;
before(async () => {
  written = createFolderBucket(root, { fileSystem });
  await mustPut(written, "a/key.pack", bytesOf("0123456789"));
  utimesSync(join(root, "a/key.pack"), 1_700_000_000, 1_700_000_000);
  nginx = await startNginx(folder, root);
  bucket = createPublicBucket(nginx.url);
});
after(async () => {
  await nginx?.stop();
  removeFolder(folder);
});

describe("a public bucket behind nginx", () => {
  it("is read, whole and by range", async () => {
    const object = await mustGet(bucket, "a/key.pack");
    assert.equal(textOf(object.bytes), "0123456789");
    assert.equal(object.size, 10);
    const range = await mustGet(bucket, "a/key.pack", { range: { start: 2, end: 5 } });
    assert.equal(textOf(range.bytes), "234");
    assert.equal(range.size, 10);
    const { bytes: _, ...head } = object;
    assert.deepEqual(await bucket.head("a/key.pack"), head);
    assert.equal(await bucket.get("a/absent"), undefined);
    assert.equal(await bucket.head("a/absent"), undefined);
  });

  it("refuses ranges that are not within the object", async () => {
    for (const range of [{ start: 5, end: 11 }, { start: 10, end: 11 }, { start: 20, end: 30 }]) {
      await assert.rejects(bucket.get("a/key.pack", { range }), { name: "BucketError", obstacle: "broken" });
    }
    await assert.rejects(bucket.get("a/key.pack", { limitBytes: 9 }), { obstacle: "broken" });
  });

  it("shows by its tag whether an object has changed", async () => {
    const { etag } = await mustGet(bucket, "a/key.pack");
    assert.equal(await bucket.get("a/key.pack", { ifNoneMatch: etag }), "unchanged");
    await mustPut(written, "a/key.pack", bytesOf("other bytes"));
    const changed = await mustGet(bucket, "a/key.pack", { ifNoneMatch: etag });
    assert.equal(textOf(changed.bytes), "other bytes");
  });

  it("names no tag of a young object: nginx has the same one for all of a second", async () => {
    for (const text of ["one", "two", "six"]) {
      await mustPut(written, "young", bytesOf(text));
      const object = await mustGet(bucket, "young", { ifNoneMatch: "" });
      assert.equal(textOf(object.bytes), text);
      assert.equal(object.etag, "");
    }
  });
});
