/** The memory of all caches: shares, smallest sizes, and that the list has every cache of the sources. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { withCaches } from "../../build/carry_caches.ts";
import { FIXED_CACHES, SHARED_CACHES, type SharedCache } from "../../src/cache/caches.ts";
import { cachesInUse, DEFAULT_MEMORY_BYTES, leastMemoryBytes, Memory } from "../../src/cache/memory.ts";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
const MIB = 2 ** 20;
const NAMES = Object.keys(SHARED_CACHES) as (keyof typeof SHARED_CACHES)[];
const CACHES: Readonly<Record<string, SharedCache>> = SHARED_CACHES;

describe("Memory", () => {
  const sumOf = (memory: Memory) =>
    NAMES.filter((name) => CACHES[name]!.within === undefined && CACHES[name]!.storage !== "bucket")
      .reduce((sum, name) => sum + (CACHES[name]!.count ?? 1) * memory.share(name), 0);

  it("gives every cache its usual size by default", () => {
    const memory = new Memory();
    for (const name of NAMES) assert.equal(memory.share(name), CACHES[name]!.bytes, name);
    assert.equal(memory.bytes, DEFAULT_MEMORY_BYTES);
  });

  for (
    const totalBytes of [leastMemoryBytes(), 64 * MIB, 256 * MIB + 12_345, DEFAULT_MEMORY_BYTES, 2 ** 33]
  ) {
    it(`divides ${totalBytes} bytes, and no more, among all caches`, () => {
      const memory = new Memory({ totalBytes });
      const caches = NAMES.reduce((sum, name) => sum + (CACHES[name]!.count ?? 1), 0);
      assert.equal(memory.bytes, sumOf(memory));
      assert.ok(memory.bytes <= totalBytes && memory.bytes > totalBytes - caches);
    });
  }

  it("counts the caches of the storage that there is", () => {
    const totalBytes = leastMemoryBytes(0, "bucket");
    const memory = new Memory({ totalBytes, storageKind: "bucket" });
    assert.equal(memory.bytes, totalBytes);
    assert.equal(memory.share("bucketContents"), CACHES.bucketContents!.leastBytes);
    assert.throws(() => new Memory({ totalBytes: totalBytes - 1, storageKind: "bucket" }), TypeError);
    assert.ok(new Memory({ storageKind: "bucket" }).bytes > totalBytes);
  });

  it("gives no cache less than it needs, and more to all when there is more", () => {
    const [small, large] = [leastMemoryBytes(), 100 * MIB].map((totalBytes) => new Memory({ totalBytes }));
    for (const name of NAMES) {
      assert.equal(small!.share(name), CACHES[name]!.leastBytes, name);
      assert.ok(large!.share(name) > small!.share(name), name);
    }
  });

  it("gives answers the size that is asked for, as a part of the whole", () => {
    assert.equal(new Memory({ answersBytes: 5 }).share("answers"), 5);
    assert.equal(new Memory({ answersBytes: 5 }).share("signedRefs"), CACHES.signedRefs!.bytes);
    const [totalBytes, answersBytes] = [300 * MIB, 200 * MIB];
    const memory = new Memory({ totalBytes, answersBytes });
    assert.equal(memory.share("answers"), answersBytes);
    assert.ok(memory.bytes <= totalBytes);
    assert.equal(new Memory({ totalBytes, answersBytes: 0 }).share("answers"), 0);
  });

  it("is refused when it is less than all caches need", () => {
    const totalBytes = leastMemoryBytes() - 1;
    assert.throws(() => new Memory({ totalBytes }), {
      name: "TypeError",
      message: `Cannot use ${totalBytes} bytes of memory: all caches need ${totalBytes + 1} together`,
    });
    assert.throws(() => new Memory({ totalBytes: leastMemoryBytes() + 1, answersBytes: 2 }), TypeError);
    assert.throws(() => new Memory({ totalBytes: NaN }), TypeError);
    assert.throws(() => new Memory({ answersBytes: -1 }), TypeError);
  });

  it("keeps a value that is larger than the cache, where that is asked for, and small ones next to it", () => {
    const memory = new Memory({ totalBytes: leastMemoryBytes() });
    const [plain, large] = [
      memory.map<number, number>("views", (bytes) => bytes),
      memory.mapOfLarge<number, number>("packIndexes", (bytes) => bytes),
    ];
    for (const map of [plain, large]) {
      map.set(1, 1);
      map.set(2, 2 ** 40);
    }
    assert.deepEqual([...plain.values()], []);
    assert.deepEqual([...large.values()], [1, 2 ** 40]);
    large.set(3, 2 ** 41);
    assert.deepEqual([...large.values()], [2 ** 41]);
  });

  it("gives all maps of one cache one room, in one order of use", () => {
    const memory = new Memory({ totalBytes: leastMemoryBytes() });
    const third = memory.share("views") / 3;
    const evicted: string[] = [];
    const note = (value: string) => void evicted.push(value);
    const [texts, numbers] = [
      memory.map<string, string>("views", () => third, note),
      memory.map<number, string>("views", () => third, note),
    ];
    texts.set("1", "first");
    numbers.set(1, "second");
    texts.set("2", "third");
    assert.equal(texts.get("1"), "first");
    numbers.set(2, "fourth");
    assert.deepEqual(evicted, ["second"]);
    assert.deepEqual([[...texts.values()], [...numbers.values()]], [["third", "first"], ["fourth"]]);
    texts.clear();
    assert.deepEqual([texts.size, texts.weight, numbers.size], [0, 0, 1]);
    numbers.set(3, "fifth");
    assert.deepEqual([...numbers.values()], ["fourth", "fifth"]);
  });
});

describe("a cache", () => {
  it("counts its entries, their bytes and its uses", () => {
    const memory = new Memory({ totalBytes: leastMemoryBytes() });
    const fourth = memory.share("signedRefs") / 4;
    const map = memory.map<number, string>("signedRefs", () => fourth);
    const figures = () => {
      const { size, weight, hits, misses } = cachesInUse().get("signedRefs")!;
      return [size, weight, hits, misses];
    };
    const before = figures();
    for (let i = 0; i < 4; i++) map.set(i, "blob");
    assert.deepEqual([map.get(0), map.get(9), map.size, map.weight], ["blob", undefined, 4, 4 * fourth]);
    map.set(4, "tree");
    assert.deepEqual([map.get(1), map.get(4), map.size], [undefined, "tree", 4]);
    assert.deepEqual(figures().map((now, i) => now - before[i]!), [4, 4 * fourth, 2, 2]);
  });
});

/** Uses of a pattern in the sources: what the pattern finds, and where. */
const usesOf = (() => {
  const sources = ["src", "extensions", "adapters"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
  )
    .filter((name) => name.endsWith(".ts") && !name.startsWith("src/cache/"))
    .map((name) => ({ name, text: readFileSync(join(ROOT, name), "utf8") }));
  return (pattern: RegExp) =>
    sources.flatMap(({ name, text }) =>
      [...text.matchAll(pattern)].map(([, what]) => [what!, name] as const)
    );
})();

/** Names of caches, and the modules that make each. */
const MAKERS = [
  ...usesOf(/\bmemory\.(?:map|mapOfLarge)(?:<[^(]*>)?\(\s*"(\w+)"/g),
  ...usesOf(/\bmemory\.roomWithin\("(\w+)"\)/g),
  ...usesOf(/\bwatchCache\("(\w+)"/g),
  ...usesOf(/\bfixedCache(?:<[^(]*>)?\(\s*"(\w+)"/g),
].map(([name]) => name);

describe("the list of caches", () => {
  it("has each cache of the sources, and no others", () => {
    const listed = [SHARED_CACHES, FIXED_CACHES].flatMap((list) => Object.keys(list));
    assert.deepEqual([...new Set(MAKERS)].sort(), listed.sort());
  });

  it("is the only place with the size of a cache, besides bounds of open files and of one search", () => {
    assert.deepEqual(usesOf(/\b(new LruMap|new LruRoom)\b/g), [
      ["new LruMap", "src/git/path_history.ts"],
      ["new LruMap", "src/storage/home/storage_context.ts"],
    ]);
  });

  it("stands in docs/caches.md (node build/carry_caches.ts writes it)", () => {
    const text = readFileSync(join(ROOT, "docs/caches.md"), "utf8");
    assert.equal(withCaches(text), text);
  });
});
