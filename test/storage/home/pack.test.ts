/** Packs: chains of deltas, and packs that are wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError, isUnreadable } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { oidFromBytes } from "../../../src/ids/oid.ts";
import { MAX_DELTA_CHAIN } from "../../../src/git/pack/pack.ts";
import { MAX_BLOB_BYTES } from "../../../src/git/objects.ts";
import { FakeHome } from "./fake_home.ts";
import { RID } from "../suite.ts";
import { blobId, buildIndex, buildPack, delta, type PackEntry } from "./pack_builder.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

const BASE = "the base";
const [A, B, C] = ["a", "b", "c"].map(blobId) as [Oid, Oid, Oid];
const WHOLE: PackEntry = { oid: A, kind: "blob", data: encode(BASE) };

/** A delta that adds one letter to a base of `baseSize` bytes. */
const append = (baseSize: number, letter: string) =>
  delta(baseSize, baseSize + 1, 0xb0, baseSize & 255, baseSize >> 8, 1, letter.charCodeAt(0));

/** A chain of that many deltas, each one letter longer. */
function chain(length: number, oid: (position: number) => Oid): PackEntry[] {
  const entries: PackEntry[] = [{ oid: oid(0), kind: "tree", data: encode(BASE) }];
  for (let i = 1; i <= length; i++) {
    entries.push({ oid: oid(i), base: i - 1, data: append(BASE.length + i - 1, "x") });
  }
  return entries;
}

const numbered = (position: number) => position.toString(16).padStart(40, "0") as Oid;

/** The repository with a pack of these entries. */
function packed(...entries: PackEntry[]) {
  const home = new FakeHome();
  home.pack("pack-1", entries);
  return home.repository;
}

describe("a pack", () => {
  it("holds whole objects of every kind", async () => {
    for (const kind of ["commit", "tree", "blob", "tag"] as const) {
      const repository = packed({ ...WHOLE, kind });
      assert.deepEqual(repository.header(A), { kind, size: BASE.length });
      assert.equal(decode((await repository.object(A))?.bytes), BASE);
    }
  });

  it("holds deltas of earlier entries, given by distance", async () => {
    const repository = packed(WHOLE, { oid: B, base: 0, data: append(8, "!") }, {
      oid: C,
      base: 1,
      data: append(9, "?"),
    });
    assert.deepEqual(repository.header(C), { kind: "blob", size: 10 });
    assert.equal(decode((await repository.object(C))?.bytes), "the base!?");
    assert.equal(decode((await repository.object(B))?.bytes), "the base!");
  });

  it("holds deltas of other entries, given by id, also of later ones", async () => {
    const repository = packed({ oid: C, base: B, data: append(9, "?") }, {
      oid: B,
      base: A,
      data: append(8, "!"),
    }, WHOLE);
    assert.deepEqual(repository.header(C), { kind: "blob", size: 10 });
    assert.equal(decode((await repository.object(C))?.bytes), "the base!?");
  });

  it("holds chains of deltas of any honest length", async () => {
    const repository = packed(...chain(MAX_DELTA_CHAIN, numbered));
    assert.deepEqual(repository.header(numbered(MAX_DELTA_CHAIN)), {
      kind: "tree",
      size: BASE.length + MAX_DELTA_CHAIN,
    });
    assert.equal(
      decode((await repository.object(numbered(MAX_DELTA_CHAIN)))?.bytes),
      BASE + "x".repeat(MAX_DELTA_CHAIN),
    );
  });

  it("is read across the borders of its windows", async () => {
    const texts = Array.from({ length: 3000 }, (_, i) => `${blobId(`${i}`)}${blobId(`${i} again`)}`);
    const long = texts.join("");
    const entries = [...texts, long].map((text): PackEntry => ({
      oid: blobId(text),
      kind: "blob",
      data: encode(text),
    }));
    const built = buildPack(entries);
    assert.ok(built.pack.length > 200_000);
    const repository = packed(...entries);
    for (const text of [...texts, long]) {
      assert.equal(decode((await repository.object(blobId(text)))?.bytes), text);
    }
  });

  it("is not written to by those who read", async () => {
    const repository = packed(WHOLE, { oid: B, base: 0, data: append(8, "!") });
    assert.equal(decode((await repository.object(B))?.bytes), "the base!");
    assert.equal(decode((await repository.object(A))?.bytes), BASE);
  });
});

describe("a damaged pack", () => {
  const damaged: Record<string, readonly PackEntry[]> = {
    "a delta of itself": [{ oid: A, base: A, data: append(8, "!") }],
    "a cycle of deltas": [{ oid: A, base: B, data: append(8, "!") }, {
      oid: B,
      base: A,
      data: append(8, "!"),
    }],
    "a chain of deltas beyond the limit": chain(
      MAX_DELTA_CHAIN + 1,
      (i) => i === MAX_DELTA_CHAIN + 1 ? A : numbered(i),
    ),
    "a delta of an object that is not there": [{ oid: A, base: C, data: append(8, "!") }],
    "a delta from before the pack": [{ oid: A, type: 6, kind: "blob", data: append(8, "!") }],
    "an unknown type": [{ ...WHOLE, type: 5 }],
    "type 0": [{ ...WHOLE, type: 0 }],
    "a size too small": [{ ...WHOLE, size: 7 }],
    "a size too large": [{ ...WHOLE, size: 9 }],
    "a huge size": [{ ...WHOLE, size: MAX_BLOB_BYTES }],
    "a size beyond the limit": [{ ...WHOLE, size: MAX_BLOB_BYTES + 1 }],
    "a size beyond all bounds": [{ ...WHOLE, size: 2 ** 53 }],
  };
  for (const [what, entries] of Object.entries(damaged)) {
    it(`refuses ${what}`, async () => {
      const repository = packed(...entries);
      await assert.rejects(async () => await repository.object(A), isUnreadable);
    });
  }

  it("refuses a delta that claims a huge size", async () => {
    for (const size of [MAX_BLOB_BYTES, MAX_BLOB_BYTES + 1, 2 ** 52]) {
      const repository = packed(WHOLE, { oid: B, base: 0, data: delta(8, size, 0x90, 8) });
      assert.deepEqual(repository.header(B), { kind: "blob", size });
      await assert.rejects(async () => await repository.object(B), isUnreadable);
    }
  });

  it("has no size for a delta without one, or without an end", () => {
    for (const base of [0, B]) {
      const repository = packed(WHOLE, { oid: B, base, data: new Uint8Array(30).fill(0xff) });
      assert.throws(() => repository.header(B), DamagedError);
    }
  });

  it("refuses offsets at which no entry begins, and spares the other objects", async () => {
    const entries = [WHOLE, { ...WHOLE, oid: B }, { ...WHOLE, oid: C }];
    const { pack, offsets } = buildPack(entries);
    for (const offset of [0, offsets[0]! + 1, pack.length - 20, pack.length, 2 ** 31, 2 ** 40]) {
      const home = new FakeHome();
      home.putPack("pack-1", {
        pack,
        index: buildIndex([[A, offset], [B, offsets[1]!], [C, offsets[2]!]], pack),
      });
      assert.throws(() => home.repository.object(A), DamagedError, `offset ${offset}`);
      assert.throws(() => home.repository.header(A), DamagedError, `offset ${offset}`);
      assert.equal(decode((await home.repository.object(C))?.bytes), BASE);
    }
  });

  it("is not used when pack or index is cut off, and others are", async () => {
    const { pack, index } = buildPack([WHOLE]);
    for (const part of ["pack", "index"] as const) {
      for (let length = 0; length < { pack, index }[part].length; length += 5) {
        const home = new FakeHome();
        home.putPack("pack-1", { pack, index, [part]: { pack, index }[part].subarray(0, length) });
        home.pack("pack-2", [{ ...WHOLE, oid: B }]);
        assert.equal(await home.repository.object(A), undefined, `${part} of ${length}`);
        assert.equal(decode((await home.repository.object(B))?.bytes), BASE);
        assert.deepEqual(home.warnings, ["Pack pack-1 is not used"]);
      }
    }
  });

  it("is not used with the index of another pack", async () => {
    const home = new FakeHome();
    const other = buildPack([{ ...WHOLE, data: encode("another") }]);
    home.putPack("pack-1", { pack: buildPack([WHOLE]).pack, index: other.index });
    assert.equal(await home.repository.object(A), undefined);
    assert.deepEqual(home.warnings, ["Pack pack-1 is not used"]);
  });

  it("never gives another content, whichever byte is wrong", async () => {
    const { pack, index } = buildPack([WHOLE, { oid: B, base: 0, data: append(8, "!") }]);
    for (let at = 0; at < pack.length; at++) {
      const home = new FakeHome();
      home.putPack("pack-1", { pack: pack.map((byte, i) => i === at ? byte ^ 0x24 : byte), index });
      try {
        const content = decode((await home.repository.object(B))?.bytes);
        assert.ok(content === "the base!" || content === undefined, `byte ${at}: ${content}`);
      } catch (error) {
        assert.ok(error instanceof DamagedError, `byte ${at}: ${error}`);
      }
    }
  });

  it("gives way to a sound copy in another pack", async () => {
    for (const names of [["pack-1", "pack-2"], ["pack-2", "pack-1"]] as const) {
      const home = new FakeHome();
      home.pack(names[0], [{ ...WHOLE, size: 9 }]);
      home.pack(names[1], [WHOLE]);
      assert.equal(decode((await home.repository.object(A))?.bytes), BASE);
    }
  });
});

describe("packs that come and go", () => {
  it("are noticed when an object is not found", async () => {
    const home = new FakeHome();
    const { repository } = home;
    assert.equal(await repository.object(A), undefined);
    home.pack("pack-1", [WHOLE]);
    assert.equal(decode((await repository.object(A))?.bytes), BASE);
  });

  it("are read as long as they are open", async () => {
    const home = new FakeHome();
    home.pack("pack-1", [WHOLE, { ...WHOLE, oid: B }]);
    const { repository } = home;
    repository.object(A);
    home.removePack("pack-1");
    assert.equal(decode((await repository.object(B))?.bytes), BASE);
  });

  it("are closed when the repository is next opened", async () => {
    const home = new FakeHome();
    home.pack("pack-1", [WHOLE]);
    home.repository.object(A);
    assert.equal(home.files.openCount, 1);
    home.removePack("pack-1");
    assert.equal(await home.repository.object(A), undefined);
    assert.equal(home.files.openCount, 0);
  });

  it("are not mixed up when another takes the name", async () => {
    const home = new FakeHome();
    home.pack("pack-1", [WHOLE, { ...WHOLE, oid: B }]);
    const { repository } = home;
    assert.equal(decode((await repository.object(A))?.bytes), BASE);
    repository.close();
    home.pack("pack-1", [{ ...WHOLE, data: encode("Another base.") }, { ...WHOLE, oid: B }]);
    assert.equal(decode((await repository.object(A))?.bytes), "Another base.");
  });

  it("are not listed again for each absent object", () => {
    const home = new FakeHome();
    home.pack("pack-1", [WHOLE]);
    const { repository } = home;
    repository.object(B);
    const { list, open } = home.files.calls;
    for (let i = 0; i < 100; i++) repository.object(numbered(i));
    assert.deepEqual([home.files.calls.list, home.files.calls.open], [list, open]);
  });

  it("are listed again for each absent object while the directory is fresh", () => {
    const home = new FakeHome();
    home.files.nowMs = Date.now();
    home.put("objects/pack/pack-1.keep", "");
    const { repository } = home;
    repository.object(A);
    const { list } = home.files.calls;
    repository.object(A);
    assert.equal(home.files.calls.list, list + 1);
  });

  it("end the search for an absent object at some time, even if they never stop", async () => {
    const home = new FakeHome();
    const { repository } = home;
    home.files.beforeCall = () => home.put("objects/pack/pack-1.keep", "");
    assert.equal(await repository.object(A), undefined);
    const { list } = home.files.calls;
    assert.ok(list > 2 && list < 100, `${list} looks`);
  });

  it("are ignored when an index is too large to be held in memory", async () => {
    const home = new FakeHome();
    home.pack("pack-1", [WHOLE]);
    const original = home.files.open.bind(home.files);
    home.files.open = (path) => {
      const file = original(path);
      return file && path.endsWith(".idx") ? { ...file, size: 2 ** 40 } : file;
    };
    assert.equal(await home.repository.object(A), undefined);
    assert.deepEqual(home.warnings, ["Pack pack-1 is not used"]);
  });

  it("are ignored without an index or a pack", async () => {
    const home = new FakeHome();
    const { pack, index } = buildPack([WHOLE]);
    home.put("objects/pack/pack-1.pack", pack);
    home.put("objects/pack/pack-2.idx", index);
    home.put("objects/pack/multi-pack-index", "MIDX");
    assert.equal(await home.repository.object(A), undefined);
    assert.deepEqual(home.warnings, []);
  });
});

describe("the commits of a pack", () => {
  const commit = (position: number): PackEntry => ({
    oid: numbered(position),
    kind: "commit",
    data: encode(`commit ${position}`),
  });
  const others = (count: number): PackEntry[] =>
    Array.from({ length: count }, (_, i) => ({ oid: numbered(10_000 + i), kind: "tree", data: encode("") }));

  /** Ids and contents in the order of the pack. */
  function stored(...entries: PackEntry[]) {
    const home = new FakeHome();
    home.pack("pack-1", entries);
    const repository = home.storage.repository(RID)!;
    return Array.from(repository.storedCommits!(), ({ oid, start }) => [oidFromBytes(oid), decode(start)]);
  }
  const shown = (...positions: number[]) =>
    positions.map((position) => [numbered(position), `commit ${position}`]);

  it("come in the order of the file", () => {
    assert.deepEqual(stored(commit(7), commit(2), WHOLE, commit(9)), shown(7, 2, 9));
    assert.deepEqual(stored(WHOLE), []);
  });

  it("are looked up before other objects only", () => {
    const few = [commit(1), ...others(500), commit(2)];
    assert.deepEqual(stored(...few), shown(1, 2));
    assert.deepEqual(stored(commit(1), ...others(5000), commit(2)), shown(1));
  });

  it("are left out where they are deltas, or damaged where they begin", () => {
    const entries = [
      commit(1),
      { oid: B, base: 0, data: append(8, "!") },
      { ...commit(3), size: 3 },
      { ...commit(4), size: 2 ** 16 },
      commit(5),
    ];
    assert.deepEqual(stored(...entries), shown(1, 5));
  });

  it("are read as far as their headers are usually long", () => {
    const text = Array.from({ length: 5000 }, (_, i) => `${i}`).join(" ");
    assert.deepEqual(stored({ ...commit(1), data: encode(text) }), [[numbered(1), text.slice(0, 320)]]);
  });
});
