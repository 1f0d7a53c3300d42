/** Archives of very many entries: what leaves at once, and the records of zip. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unzipSync } from "fflate";
import { unpackTar } from "modern-tar";

import type { ArchiveEntry } from "../../../extensions/archives/entries.ts";
import { tarPieces } from "../../../extensions/archives/tar.ts";
import { zipPieces } from "../../../extensions/archives/zip.ts";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { Task } from "../../../src/scheduling/task.ts";

const ORIGIN = { commit: undefined, timeSeconds: 1_700_000_000 };
const OID = "1".repeat(40) as Oid;
const COUNT = 5000;
const encoder = new TextEncoder();

async function* entriesOf(entries: Iterable<ArchiveEntry>): AsyncGenerator<ArchiveEntry> {
  yield* entries;
}

function* manyFiles(): Generator<ArchiveEntry> {
  for (let i = 0; i < COUNT; i++) {
    const path = encoder.encode(`${"n".repeat(150)}${i}`);
    yield { path, oid: OID, kind: "blob", bytes: encoder.encode(`${i}`) };
  }
}

describe("archives of many small files", () => {
  const forms = {
    tar: {
      pieces: tarPieces,
      count: async (bytes: Uint8Array<ArrayBuffer>) => (await unpackTar(bytes, { strict: true })).length,
    },
    zip: { pieces: zipPieces, count: (bytes: Uint8Array) => Object.keys(unzipSync(bytes)).length },
  };
  for (const [form, { pieces, count }] of Object.entries(forms)) {
    it(`leave in pieces that are neither tiny nor large: ${form}`, async () => {
      const made = await Array.fromAsync(pieces(entriesOf(manyFiles()), ORIGIN, new Task()));
      assert.equal(await count(joinBytes(made)), COUNT);
      const sizes = made.map(({ length }) => length);
      assert.ok(Math.max(...sizes) <= 2 ** 17, String(Math.max(...sizes)));
      assert.ok(made.length < COUNT / 20, String(made.length));
    });
  }
});

describe("a zip archive", () => {
  it("has the checksum, the sizes and the mode of a file in both of its records", async () => {
    const bytes = encoder.encode("123456789");
    const path = "é";
    const zip = joinBytes(
      await Array.fromAsync(
        zipPieces(
          entriesOf([{ path: encoder.encode(path), oid: OID, kind: "blobExecutable", bytes }]),
          { ...ORIGIN, commit: undefined },
          new Task(),
        ),
      ),
    );
    const view = new DataView(zip.buffer);
    const end = zip.length - 22;
    assert.equal(view.getUint32(end, true), 0x06054b50);
    const central = view.getUint32(end + 16, true);
    assert.equal(view.getUint32(central, true), 0x02014b50);
    // The check value of CRC-32.
    assert.equal(view.getUint32(14, true), 0xcbf43926);
    assert.deepEqual(zip.subarray(4, 4 + 26), zip.subarray(central + 6, central + 6 + 26));
    assert.deepEqual([view.getUint32(18, true), view.getUint32(22, true)], [9, 9]);
    assert.equal(view.getUint32(central + 38, true) >>> 16, 0o100755);
    assert.deepEqual(unzipSync(zip)[path], bytes);
  });

  it("packs what becomes smaller, in this thread or by the runtime's stream", async () => {
    const contents = { none: "", small: "abc".repeat(4000), large: "abc".repeat(40_000), odd: "x" };
    const entries = Object.entries(contents).map(([path, content]): ArchiveEntry => {
      return { path: encoder.encode(path), oid: OID, kind: "blob", bytes: encoder.encode(content) };
    });
    const zip = joinBytes(await Array.fromAsync(zipPieces(entriesOf(entries), ORIGIN, new Task())));
    assert.ok(zip.length < 2000, String(zip.length));
    const unpacked = Object.entries(unzipSync(zip)).map((
      [path, bytes],
    ) => [path, new TextDecoder().decode(bytes)]);
    assert.deepEqual(Object.fromEntries(unpacked), contents);
  });
});
