/** The number that tells when objects may have come. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { FakeHome } from "./fake_home.ts";
import { blobId } from "./pack_builder.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** A home with one loose object, and a clock that is set by hand. */
function settledHome() {
  let nowMs = 2_000_000_000_000;
  const home = new FakeHome(() => nowMs);
  const put = (text: string) => home.putLoose(blobId(text), zlibSync(encode(`blob ${text.length}\0${text}`)));
  put("hello");
  const version = () => home.repository.objectsVersion();
  const wait = (ms: number) => nowMs += ms;
  version();
  return { home, put, version, wait, stamp: () => home.files.nowMs = nowMs };
}

describe("the version of a repository's objects", () => {
  it("stays the same without new objects, however often missing ones are looked up", () => {
    const { home, version, wait } = settledHome();
    const before = version();
    for (let i = 0; i < 5; i++) {
      assert.equal(home.repository.object(blobId(`absent ${i}`)), undefined);
      wait(1000);
      assert.equal(version(), before);
    }
  });

  it("is another one at once when a pack has come", () => {
    const { home, version } = settledHome();
    const before = version();
    home.pack("pack-1", [{ oid: blobId("packed"), data: encode("packed") }]);
    assert.notEqual(version(), before);
  });

  it("is another one within a moment when a loose object has come", () => {
    const { put, version, wait } = settledHome();
    const before = version();
    put("later");
    wait(1000);
    assert.notEqual(version(), before);
  });

  it("is another one as long as a folder's stamp could hide that something has come", () => {
    const { home, put, version, wait, stamp } = settledHome();
    home.files.tickMs = 0;
    stamp();
    put("later");
    wait(1000);
    const first = version();
    put("later still");
    wait(1000);
    const second = version();
    assert.notEqual(second, first);
    wait(60_000);
    const third = version();
    wait(60_000);
    version();
    wait(1000);
    const settled = version();
    wait(1000);
    assert.equal(version(), settled);
    assert.ok(third >= second);
  });

  it("does not read the folders of loose objects between two moments", () => {
    const { home, version } = settledHome();
    version();
    const before = home.files.calls.stat;
    for (let i = 0; i < 10; i++) version();
    assert.ok(home.files.calls.stat - before < 100, `${home.files.calls.stat - before} calls`);
  });
});
