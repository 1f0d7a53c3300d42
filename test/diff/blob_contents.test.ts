import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  MAX_BLOB_BYTES,
  MAX_BLOB_LINES,
  MAX_DIFF_BYTES,
  MAX_DIFF_LINES,
  readBlobContents,
} from "../../src/diff/blob_contents.ts";
import type { Change } from "../../src/diff/tree_comparison.ts";
import { DamagedError } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { blob, ELSEWHERE, emptyRepository, slowly, tree } from "./trees.ts";

/** Added files of these blobs. */
function adding(...oids: Oid[]): Change[] {
  return oids.map((oid, i) => ({ path: Uint8Array.of(0x61 + i), new: { oid, mode: "blob" } }));
}

/** Which blobs of a repository full of blobs of one size are read. */
async function readOf(size: number, count: number): Promise<boolean[]> {
  const empty = emptyRepository();
  const repository: Repository = {
    ...empty,
    header: () => ({ kind: "blob", size }),
    objects: (oids) => oids.map(() => ({ kind: "blob", bytes: new Uint8Array() })),
  };
  const oids = Array.from({ length: count }, (_, i) => String(i).padStart(40, "0") as Oid);
  const contents = await readBlobContents(repository, adding(...oids));
  return oids.map((oid) => contents.get(oid) !== undefined);
}

/** A text of so many lines, the last one without newline. */
const lines = (count: number, seed: string): string => seed + "\n".repeat(count - 1) + "end";

describe("readBlobContents", () => {
  it("reads both sides of the changes, each blob once", async () => {
    const repository = emptyRepository();
    const [one, two] = [blob(repository, "1"), blob(repository, "2")];
    const changes: Change[] = [
      {
        path: Uint8Array.of(0x61),
        old: { oid: one, mode: "blob" },
        new: { oid: two, mode: "blobExecutable" },
      },
      { path: Uint8Array.of(0x62), old: { oid: two, mode: "link" } },
    ];
    for (const source of [repository, slowly(repository)]) {
      const contents = await readBlobContents(source, changes);
      assert.deepEqual([...contents], [[one, Uint8Array.of(0x31)], [two, Uint8Array.of(0x32)]]);
    }
  });

  it("asks for nothing where a submodule is", async () => {
    const change: Change = { path: Uint8Array.of(0x61), new: { oid: ELSEWHERE, mode: "commit" } };
    assert.equal((await readBlobContents(emptyRepository(), [change])).size, 0);
  });

  it("leaves out a blob above the limit", async () => {
    assert.deepEqual(await readOf(MAX_BLOB_BYTES, 1), [true]);
    assert.deepEqual(await readOf(MAX_BLOB_BYTES + 1, 1), [false]);
  });

  it("leaves out what exceeds the limit of a diff", async () => {
    const fitting = MAX_DIFF_BYTES / MAX_BLOB_BYTES;
    const read = await readOf(MAX_BLOB_BYTES, fitting + 2);
    assert.deepEqual(read, [...Array(fitting).fill(true), false, false]);
  });

  it("leaves out a text of more lines than the limit", async () => {
    const repository = emptyRepository();
    const [most, more] = [
      blob(repository, lines(MAX_BLOB_LINES, "")),
      blob(repository, lines(MAX_BLOB_LINES + 1, "")),
    ];
    const contents = await readBlobContents(repository, adding(most, more));
    assert.deepEqual([contents.get(most) === undefined, contents.get(more) === undefined], [false, true]);
  });

  it("leaves out texts beyond the lines of a diff", async () => {
    const repository = emptyRepository();
    const count = MAX_DIFF_LINES / MAX_BLOB_LINES;
    const full = Array.from({ length: count }, (_, i) => blob(repository, lines(MAX_BLOB_LINES, `${i}`)));
    const late = blob(repository, "one line");
    const contents = await readBlobContents(repository, adding(...full, late));
    assert.deepEqual(full.map((oid) => contents.get(oid) === undefined), Array(count).fill(false));
    assert.equal(contents.get(late), undefined);
  });

  it("counts no lines of binary blobs", async () => {
    const repository = emptyRepository();
    const binary = blob(repository, "\0" + lines(MAX_BLOB_LINES + 1, ""));
    const contents = await readBlobContents(repository, adding(binary));
    assert.notEqual(contents.get(binary), undefined);
  });

  it("rejects a blob that is missing, no blob, or gone when it is read", async () => {
    const repository = emptyRepository();
    const present = blob(repository, "1");
    const forgetful: Repository = { ...repository, objects: (oids) => oids.map(() => undefined) };
    await assert.rejects(readBlobContents(repository, adding(ELSEWHERE)), DamagedError);
    await assert.rejects(readBlobContents(repository, adding(tree(repository))), DamagedError);
    await assert.rejects(readBlobContents(forgetful, adding(present)), DamagedError);
  });
});
