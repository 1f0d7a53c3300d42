/** A bucket in a folder: the contract of all buckets, links, other processes, and what killed ones leave. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileSystem } from "../../../../adapters/node/file_system.ts";
import { createFolderBucket } from "../../../../extensions/replicas/bucket/folder.ts";
import { type FileSystem, readOnlyFiles } from "../../../../src/ports/file_system.ts";
import { removeFolder, temporaryFolder } from "../../../support/programs.ts";
import { bytesOf, keysOf, mustGet, mustPut, testBucket, textOf } from "./suite.ts";

const folder = temporaryFolder("folder-bucket");
after(() => removeFolder(folder));

let count = 0;
/** Path of a bucket that does not exist yet. */
const newRoot = () => join(folder, `bucket-${count++}`);

testBucket("a bucket in a folder", () => ({ bucket: createFolderBucket(newRoot(), { fileSystem }) }));

testBucket("a bucket in a folder without file locks", () => {
  const files = { ...fileSystem, withFileLock: () => undefined };
  return { bucket: createFolderBucket(newRoot(), { fileSystem: files }) };
}, { conditional: false });

describe("a bucket in a folder", () => {
  it("has plain files, readable for a web server, and hides its own", async () => {
    const root = newRoot();
    const bucket = createFolderBucket(`${root}/`, { fileSystem });
    await mustPut(bucket, "a/b", bytesOf("text"));
    assert.equal(readFileSync(join(root, "a/b"), "utf8"), "text");
    assert.deepEqual(readdirSync(join(root, ".xylem")), ["lock"]);
    assert.deepEqual(await keysOf(bucket.list("")), ["a/b"]);
  });

  it("follows no symbolic link, for reading, writing, removing or listing", async () => {
    const root = newRoot();
    const outside = newRoot();
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, "secret"), "secret");
    const bucket = createFolderBucket(root, { fileSystem });
    await mustPut(bucket, "fine", bytesOf("fine"));
    symlinkSync(outside, join(root, "linked"));
    symlinkSync(join(outside, "secret"), join(root, "file"));
    for (const key of ["linked/secret", "file"]) {
      assert.equal(await bucket.get(key), undefined);
      assert.equal(await bucket.head(key), undefined);
      await bucket.delete([key]);
    }
    assert.deepEqual(await keysOf(bucket.list("")), ["fine"]);
    assert.deepEqual(await keysOf(bucket.list("linked/")), []);
    await assert.rejects(bucket.put("linked/new", bytesOf("x")), { obstacle: "denied" });
    // A put replaces a link itself, not the file behind it.
    await mustPut(bucket, "file", bytesOf("own"));
    assert.equal(readFileSync(join(outside, "secret"), "utf8"), "secret");
    assert.deepEqual(readdirSync(outside), ["secret"]);
    assert.equal(textOf((await mustGet(bucket, "file")).bytes), "own");
  });

  it("takes no key that is a folder, and no key below an object", async () => {
    const bucket = createFolderBucket(newRoot(), { fileSystem });
    await mustPut(bucket, "a/b", bytesOf("b"));
    await assert.rejects(bucket.put("a", bytesOf("a")), { obstacle: "denied" });
    await assert.rejects(bucket.put("a/b/c", bytesOf("c")), { obstacle: "denied" });
    assert.equal(await bucket.get("a"), undefined);
    assert.equal(await bucket.get("a/b/c"), undefined);
    assert.equal(textOf((await mustGet(bucket, "a/b")).bytes), "b");
  });

  it("removes unfinished files of killed processes, and no younger ones", async () => {
    const root = newRoot();
    mkdirSync(join(root, ".xylem"), { recursive: true });
    for (const [name, ageMs] of [["old", 24 * 3_600_000], ["young", 60_000]] as const) {
      writeFileSync(join(root, ".xylem", name), "unfinished");
      const seconds = (Date.now() - ageMs) / 1_000;
      utimesSync(join(root, ".xylem", name), seconds, seconds);
    }
    await mustPut(createFolderBucket(root, { fileSystem }), "a", bytesOf("a"));
    assert.deepEqual(readdirSync(join(root, ".xylem")).sort(), ["lock", "young"]);
  });

  it("gives each of many quick puts another tag", async () => {
    const bucket = createFolderBucket(newRoot(), { fileSystem });
    const etags = new Set<string>();
    for (let i = 0; i < 30; i++) etags.add(await mustPut(bucket, "quick", bytesOf(String(i % 10))));
    assert.equal(etags.size, 30);
  });

  it("is whole for a reader while it is replaced", async () => {
    const root = newRoot();
    const bucket = createFolderBucket(root, { fileSystem });
    const [short, long] = [bytesOf("a".repeat(1_000)), bytesOf("b".repeat(3_000))];
    await mustPut(bucket, "key", short);
    let puts = 0;
    // Another object takes its place between the metadata and the content of the first read.
    const changing: FileSystem = {
      ...fileSystem,
      open: (path) => {
        if (puts++ === 0) writeFileSync(`${path}.new`, long), fileSystem.rename(`${path}.new`, path);
        return fileSystem.open(path);
      },
    };
    const object = await mustGet(createFolderBucket(root, { fileSystem: changing }), "key");
    assert.equal(object.size, 3_000);
    assert.deepEqual(object.bytes, long);
  });

  it("is only read where the file system cannot write", async () => {
    const root = newRoot();
    await mustPut(createFolderBucket(root, { fileSystem }), "a", bytesOf("a"));
    const bucket = createFolderBucket(root, { fileSystem: readOnlyFiles(fileSystem) });
    assert.equal(textOf((await mustGet(bucket, "a")).bytes), "a");
    await assert.rejects(bucket.put("b", bytesOf("b")), { name: "BucketError", obstacle: "denied" });
    await assert.rejects(bucket.delete(["a"]), { name: "BucketError", obstacle: "denied" });
  });

  it("names neither its path nor the system's text in errors", async () => {
    const root = join(newRoot(), "no", "parent");
    const bucket = createFolderBucket(root, { fileSystem });
    await assert.rejects(bucket.put("a", bytesOf("a")), (error: Error) => {
      assert.equal(error.name, "BucketError");
      assert.ok(!error.message.includes(folder));
      return true;
    });
    assert.ok(!existsSync(dirname(root)));
  });

  it("is denied where permissions are missing", async () => {
    const refusing: FileSystem = {
      ...fileSystem,
      stat: (path) => {
        throw Object.assign(new Error(`EACCES: permission denied, lstat '${path}'`), { code: "EACCES" });
      },
    };
    await assert.rejects(createFolderBucket(folder, { fileSystem: refusing }).get("a"), {
      name: "BucketError",
      obstacle: "denied",
      message: 'Cannot use "a" in the folder of the bucket: EACCES',
    });
  });

  it("excludes another user of the same folder", async () => {
    const root = newRoot();
    const buckets = [1, 2].map(() => createFolderBucket(root, { fileSystem }));
    let etag = await mustPut(buckets[0]!, "key", bytesOf("0"));
    for (let round = 0; round < 10; round++) {
      const outcomes = await Promise.all(
        buckets.map((bucket, i) => bucket.put("key", bytesOf(String(i)), { ifMatch: etag })),
      );
      const won = outcomes.filter((outcome) => outcome !== "conflict");
      assert.equal(won.length, 1);
      etag = won[0]!.etag;
    }
  });
});
