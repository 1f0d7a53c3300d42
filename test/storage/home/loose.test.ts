/** Loose objects that are odd or wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { DamagedError, TooLargeError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { MAX_BLOB_BYTES } from "../../../src/git/objects.ts";
import { FakeHome } from "./fake_home.ts";
import { blobId } from "./pack_builder.ts";

const OID = blobId("hello");
const encode = (text: string) => new TextEncoder().encode(text);

/** The repository with a loose object of this content, header included. */
function loose(content: string, level: 0 | 6 = 6) {
  const home = new FakeHome();
  home.putLoose(OID, zlibSync(encode(content), { level }));
  return home;
}

describe("a loose object", () => {
  for (const level of [0, 6] as const) {
    it(`is read when packed at level ${level}`, async () => {
      for (const text of ["", "hello", "hello ".repeat(100_000)]) {
        const { repository } = loose(`blob ${text.length}\0${text}`, level);
        assert.deepEqual(repository.header(OID), { kind: "blob", size: text.length });
        const { kind, bytes } = (await repository.object(OID))!;
        assert.deepEqual({ kind, bytes }, { kind: "blob", bytes: encode(text) });
      }
    });
  }

  it("has a known size even if it is too large to be read", () => {
    const { repository } = loose(`blob ${MAX_BLOB_BYTES + 1}\0hello`);
    assert.deepEqual(repository.header(OID), { kind: "blob", size: MAX_BLOB_BYTES + 1 });
    assert.throws(() => repository.object(OID), TooLargeError);
  });

  it("leaves no file open", () => {
    const home = loose("blob 5\0hello");
    home.repository.header(OID);
    home.repository.object(OID);
    assert.equal(home.files.openCount, 0);
  });
});

describe("a damaged loose object", () => {
  const headers = [
    "",
    "hello",
    "blob\0hello",
    "blob \0hello",
    "blob 5hello",
    "blob 05\0hello",
    "blob -5\0hello",
    "Blob 5\0hello",
  ];
  const more = [
    "bottle 5\0hello",
    " blob 5\0hello",
    "blob  5\0hello",
    "blob 0x5\0hello",
    "blob 12345678901234567890\0",
  ];
  for (const content of [...headers, ...more]) {
    it(`can have the header ${JSON.stringify(content)}`, () => {
      const home = loose(content);
      assert.throws(() => home.repository.header(OID), DamagedError);
      assert.throws(() => home.repository.object(OID), DamagedError);
      assert.equal(home.files.openCount, 0);
    });
  }

  for (
    const content of [
      "blob 4\0hello",
      "blob 6\0hello",
      "blob 1000000\0hello",
      `blob ${MAX_BLOB_BYTES}\0hello`,
    ]
  ) {
    it(`can have a wrong header such as ${JSON.stringify(content)}`, () => {
      assert.throws(() => loose(content).repository.object(OID), DamagedError);
    });
  }

  it("can be cut off anywhere", () => {
    const whole = zlibSync(encode("blob 5\0hello"));
    for (let length = 0; length < whole.length; length++) {
      const home = new FakeHome();
      home.putLoose(OID, whole.subarray(0, length));
      assert.throws(() => home.repository.object(OID), DamagedError, `length ${length}`);
    }
  });

  it("can be followed by other bytes", () => {
    const home = new FakeHome();
    home.putLoose(OID, Uint8Array.of(...zlibSync(encode("blob 5\0hello")), 1));
    assert.throws(() => home.repository.object(OID), DamagedError);
  });

  it("can be unpacked bytes", () => {
    const home = new FakeHome();
    home.putLoose(OID, encode("blob 5\0hello"));
    assert.throws(() => home.repository.object(OID), DamagedError);
  });

  it("gives way to a sound copy in a pack", async () => {
    const home = loose("blob 4\0hello");
    home.pack("pack-1", [{ oid: OID, kind: "blob", data: encode("hello") }]);
    assert.deepEqual(await home.repository.object(OID), { kind: "blob", bytes: encode("hello") });
  });

  it("takes the place of a damaged one in a pack", async () => {
    const home = loose("blob 5\0hello");
    home.pack("pack-1", [{ oid: OID, kind: "blob", data: encode("hello"), size: 4 }]);
    assert.deepEqual(await home.repository.object(OID), { kind: "blob", bytes: encode("hello") });
  });

  it("is absent when it is no file", async () => {
    const home = new FakeHome();
    home.files.put(`${home.path}/objects/${OID.slice(0, 2)}/${OID.slice(2)}`, "", "other");
    assert.equal(await home.repository.object(OID as Oid), undefined);
  });
});
