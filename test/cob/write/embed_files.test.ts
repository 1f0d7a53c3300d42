/** Embeds of requests (2.12). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_EMBED_NAME_BYTES, MAX_EMBEDS, resolveEmbeds } from "../../../src/cob/write/embed_files.ts";
import { DamagedError, InvalidError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { createMemoryStorage } from "../../../src/storage/memory.ts";

const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
const BLOB = repository.put("blob", new TextEncoder().encode("hello"));
const TREE = repository.put("tree", new Uint8Array());
const HELLO = "data:text/plain;base64,aGVsbG8=";

const resolve = async (content: string, name = "file.txt") =>
  (await resolveEmbeds(repository, [{ name, content }], new Task())).embeds;
const isUnprocessable = (error: unknown) => error instanceof InvalidError;

describe("resolveEmbeds", () => {
  const RESOLVED: Record<string, string> = {
    "a data URI": HELLO,
    "a data URI in percent-encoding": "data:text/plain,hell%6f",
    "a blob that is there": `git:${BLOB}`,
    "a blob in upper case": `git:${BLOB.toUpperCase()}`,
  };
  for (const [what, content] of Object.entries(RESOLVED)) {
    it(`finds the content of ${what}`, async () => {
      assert.deepEqual(await resolve(content), [{ name: "file.txt", content: `git:${BLOB}` }]);
    });
  }

  const DROPPED: Record<string, string> = {
    "a data URI that is damaged": "data:text/plain;base64,aGVsbG8",
    "a blob that is not there": `git:${"f".repeat(40)}`,
    "an object of another kind": `git:${TREE}`,
    "an id that is none": "git:xyz",
    "no id": "git:",
    "another scheme": "https://example.org/x.png",
    "an empty text": "",
  };
  for (const [what, content] of Object.entries(DROPPED)) {
    it(`drops ${what}`, async () => assert.deepEqual(await resolve(content), []));
  }

  it("drops what is damaged", async () => {
    const damaged = {
      ...repository,
      header() {
        throw new DamagedError("broken");
      },
    };
    assert.deepEqual(
      (await resolveEmbeds(damaged, [{ name: "x", content: `git:${BLOB}` }], new Task())).embeds,
      [],
    );
  });

  it("lists embeds of one name all, and keeps the last as the file", async () => {
    const { embeds, files } = await resolveEmbeds(repository, [
      { name: "x", content: HELLO },
      { name: "y", content: HELLO },
      { name: "x", content: "data:,A" },
    ], new Task());
    assert.deepEqual(embeds.map(({ name }) => name), ["x", "y", "x"]);
    assert.deepEqual(files.map(({ name, bytes }) => [name, bytes?.length]), [["x", 1], ["y", 5]]);
  });

  it("has the bytes of what the repository need not have yet, and of that alone", async () => {
    const { files } = await resolveEmbeds(repository, [
      { name: "x", content: HELLO },
      { name: "y", content: `git:${BLOB}` },
    ], new Task());
    assert.deepEqual(files.map(({ oid, bytes }) => [oid, bytes !== undefined]), [[BLOB, true], [
      BLOB,
      false,
    ]]);
  });

  for (const name of ["", ".", "..", ".git", ".GIT", "a/b", "a\0b"]) {
    it(`refuses the name ${JSON.stringify(name)}`, async () => {
      await assert.rejects(() => resolve(HELLO, name), isUnprocessable);
    });

    it(`ignores the name ${JSON.stringify(name)} of what is dropped`, async () => {
      assert.deepEqual(await resolve("nothing", name), []);
    });
  }

  it("refuses names that are too long", async () => {
    assert.equal((await resolve(HELLO, "ä".repeat(MAX_EMBED_NAME_BYTES / 2))).length, 1);
    await assert.rejects(() => resolve(HELLO, "ä".repeat(MAX_EMBED_NAME_BYTES / 2) + "x"), isUnprocessable);
  });

  it("refuses too many", async () => {
    const embeds = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ name: `${i}`, content: HELLO }));
    assert.equal((await resolveEmbeds(repository, embeds(MAX_EMBEDS), new Task())).files.length, MAX_EMBEDS);
    await assert.rejects(
      () => resolveEmbeds(repository, embeds(MAX_EMBEDS + 1), new Task()),
      isUnprocessable,
    );
  });

  it("knows blobs by ids that libgit2 would complete", async () => {
    const oid = "abc".padEnd(40, "0") as Oid;
    const short = {
      ...repository,
      header: (id: Oid) => id === oid ? { kind: "blob" as const, size: 1 } : undefined,
    };
    const { embeds } = await resolveEmbeds(short, [{ name: "x", content: "git:ABC" }], new Task());
    assert.deepEqual(embeds, [{ name: "x", content: `git:${oid}` }]);
  });
});
