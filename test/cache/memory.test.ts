/** The memory of all caches: shares, the smallest sizes, and that every cache of the sources is in the list. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { PUBLISHER_CACHES, SHARED_CACHES, type SharedCache, SMALL_TABLES } from "../../src/cache/caches.ts";
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
    const memoryBytes of [leastMemoryBytes(), 64 * MIB, 256 * MIB + 12_345, DEFAULT_MEMORY_BYTES, 2 ** 33]
  ) {
    it(`divides ${memoryBytes} bytes, and no more, among all caches`, () => {
      const memory = new Memory({ memoryBytes });
      const caches = NAMES.reduce((sum, name) => sum + (CACHES[name]!.count ?? 1), 0);
      assert.equal(memory.bytes, sumOf(memory));
      assert.ok(memory.bytes <= memoryBytes && memory.bytes > memoryBytes - caches);
    });
  }

  it("counts the caches of the storage that there is", () => {
    const memoryBytes = leastMemoryBytes(0, "bucket");
    const memory = new Memory({ memoryBytes, storageKind: "bucket" });
    assert.equal(memory.bytes, memoryBytes);
    assert.equal(memory.share("bucketBlocks"), CACHES.bucketBlocks!.leastBytes);
    assert.throws(() => new Memory({ memoryBytes: memoryBytes - 1, storageKind: "bucket" }), TypeError);
    assert.ok(new Memory({ storageKind: "bucket" }).bytes > memoryBytes);
  });

  it("gives no cache less than it needs, and more to all when there is more", () => {
    const [small, large] = [leastMemoryBytes(), 100 * MIB].map((memoryBytes) => new Memory({ memoryBytes }));
    for (const name of NAMES) {
      assert.equal(small!.share(name), CACHES[name]!.leastBytes, name);
      assert.ok(large!.share(name) > small!.share(name), name);
    }
  });

  it("gives answers the size that is asked for, as a part of the whole", () => {
    assert.equal(new Memory({ cacheBytes: 5 }).share("answers"), 5);
    assert.equal(new Memory({ cacheBytes: 5 }).share("signedRefs"), CACHES.signedRefs!.bytes);
    const [memoryBytes, cacheBytes] = [300 * MIB, 200 * MIB];
    const memory = new Memory({ memoryBytes, cacheBytes });
    assert.equal(memory.share("answers"), cacheBytes);
    assert.ok(memory.bytes <= memoryBytes);
    assert.equal(new Memory({ memoryBytes, cacheBytes: 0 }).share("answers"), 0);
  });

  it("is refused when it is less than all caches need", () => {
    const memoryBytes = leastMemoryBytes() - 1;
    assert.throws(() => new Memory({ memoryBytes }), {
      name: "TypeError",
      message: `Cannot use ${memoryBytes} bytes of memory: all caches need ${memoryBytes + 1} together`,
    });
    assert.throws(() => new Memory({ memoryBytes: leastMemoryBytes() + 1, cacheBytes: 2 }), TypeError);
    assert.throws(() => new Memory({ memoryBytes: NaN }), TypeError);
    assert.throws(() => new Memory({ cacheBytes: -1 }), TypeError);
  });

  it("caches a value alone that is larger than its share, where that is asked for", () => {
    const memory = new Memory({ memoryBytes: leastMemoryBytes() });
    const [plain, large] = [
      memory.map<number, number>("packWindows", (bytes) => bytes),
      memory.mapOfLarge<number, number>("packIndexes", (bytes) => bytes),
    ];
    for (const map of [plain, large]) {
      map.set(1, 1);
      map.set(2, 2 ** 40);
    }
    assert.deepEqual([...plain.values()], []);
    assert.deepEqual([...large.values()], [2 ** 40]);
    large.set(3, 1);
    assert.deepEqual([...large.values()], [1]);
  });
});

describe("a cache that is made with a name", () => {
  it("counts its entries, their bytes and its uses", () => {
    const map = new Memory({ memoryBytes: leastMemoryBytes() }).map<number, string>(
      "packedKinds",
      () => 2 ** 14,
    );
    for (let i = 0; i < 4; i++) map.set(i, "blob");
    assert.deepEqual([map.get(0), map.get(9), map.size, map.weight], ["blob", undefined, 4, 2 ** 16]);
    map.set(4, "tree");
    assert.deepEqual([map.get(1), map.get(4), map.size], [undefined, "tree", 4]);
    assert.deepEqual([map.hits, map.misses], [2, 2]);
    assert.ok(cachesInUse().get("packedKinds")!.hits >= 2);
  });
});

/** Uses of a pattern in the sources: what the pattern finds, and where. */
const usesOf = (() => {
  const sources = ["src", "adapters"].flatMap((folder) =>
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

/** Names of caches and tables, and the module that makes each. */
const MAKERS = [
  ...usesOf(/\bmemory\.(?:map|mapOfLarge)(?:<[^(]*>)?\(\s*"(\w+)"/g),
  ...usesOf(/\bmemory\.share\("(\w+)"\)/g),
  ...usesOf(/\bsmallTable(?:<[^(]*>)?\(\s*"(\w+)"/g),
  ...usesOf(/\bSMALL_TABLES\.(\w+)\.entries\b/g),
  ...usesOf(/\bPUBLISHER_CACHES\.(\w+)\.bytes\b/g),
];
const moduleOf = new Map(MAKERS);
/** Names of memoized functions. */
const MEMOIZED = usesOf(/\bconst (\w+)(?:: [^\n]+)? = memoize\(/g).map(([name]) => name).sort();

describe("the list of caches", () => {
  it("tells instruments of each cache that is in no other", () => {
    const told = new Set([
      ...usesOf(/\bmemory\.(?:map|mapOfLarge)(?:<[^(]*>)?\(\s*"(\w+)"/g),
      ...usesOf(/\bwatchCache\("(\w+)"/g),
    ].map(([name]) => name));
    const own = Object.entries(CACHES).filter(([, { within }]) => within === undefined);
    for (const [name] of own) assert.ok(told.has(name), name);
  });

  it("has each cache of the sources, which one module makes", () => {
    const listed = [SHARED_CACHES, SMALL_TABLES, PUBLISHER_CACHES].flatMap((list) => Object.keys(list));
    const places = new Set(MAKERS.map((maker) => maker.join(" in ")));
    assert.deepEqual([...places].map((place) => place.split(" ")[0]).sort(), listed.sort());
  });

  it("is the only place that says how large caches are", () => {
    assert.deepEqual(usesOf(/\b(new LruMap)\b/g), []);
  });

  it("counts small tables that are small", () => {
    for (const [name, { entries, entryBytes }] of Object.entries(SMALL_TABLES)) {
      assert.ok(entries * entryBytes <= 1.5 * MIB, name);
    }
  });
});

/** The comment of each cache and table in the list: its content, when it is dropped, and what has one. */
const COMMENTS = new Map(
  [
    ...readFileSync(join(ROOT, "src/cache/caches.ts"), "utf8")
      .matchAll(/^ {2}\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(\w+): \{ /gm),
  ].map(([, comment, name]) => {
    const text = comment!.replace(/\s+\*?\s*/g, " ").trim();
    const [, content, until, each = "process"] =
      /^(.*?)\.(?: Dropped: (.*?)\.)?(?: One for each (.*?)\.)?$/.exec(text) ?? [];
    return [name!, { content: content!, until, each }] as const;
  }),
);

describe("docs/caches.md", () => {
  const lines = readFileSync(join(ROOT, "docs/caches.md"), "utf8").split("\n");
  const sizeOf = (bytes: number) =>
    bytes % MIB === 0 || bytes > MIB ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`;
  const shareOf = (bytes: number) => `${(100 * bytes / DEFAULT_MEMORY_BYTES).toFixed(1)} %`;
  /** Cells of the table whose first column is called `name`. */
  const rowsOf = (name: string) => {
    const start = lines.findIndex((line) => line.startsWith("|") && cellsOf(line)[0] === name);
    const rows = lines.slice(start + 2);
    return rows.slice(0, rows.findIndex((line) => !line.startsWith("|"))).map(cellsOf);
  };
  const cellsOf = (line: string) => line.split("|").slice(1, -1).map((cell) => cell.trim());
  /** The cell of a cache in the column of contents: its comment begins with a capital, the cell does not. */
  const contentOf = (name: string) => {
    const { content } = COMMENTS.get(name)!;
    return content[0]!.toLowerCase() + content.slice(1);
  };

  it("shows each cache with its bounds and what invalidates it", () => {
    assert.deepEqual(
      rowsOf("Cache"),
      Object.entries(CACHES).map((
        [name, { count = 1, bytes, leastBytes, within, storage }],
      ) => [
        `\`${name}\``,
        `\`${moduleOf.get(name)}\``,
        contentOf(name),
        within === undefined
          ? `${count === 1 ? "" : `${count} × `}${sizeOf(bytes)}`
          : `each ${sizeOf(bytes)}`,
        within !== undefined
          ? `in \`${within}\``
          : storage === "bucket"
          ? "replicas"
          : shareOf(count * bytes),
        sizeOf(leastBytes),
        COMMENTS.get(name)!.until,
      ]),
    );
  });

  it("shows each small table", () => {
    assert.deepEqual(
      rowsOf("Table"),
      Object.entries(SMALL_TABLES).map(([name, { entries, entryBytes }]) => [
        `\`${name}\``,
        `\`${moduleOf.get(name)}\``,
        contentOf(name),
        `${entries} of ${entryBytes} bytes`,
        COMMENTS.get(name)!.each,
      ]),
    );
  });

  it("shows each cache of a publisher", () => {
    assert.deepEqual(
      rowsOf("Cache of a publisher"),
      Object.entries(PUBLISHER_CACHES).map(([name, { bytes }]) => [
        `\`${name}\``,
        `\`${moduleOf.get(name)}\``,
        contentOf(name),
        sizeOf(bytes),
        COMMENTS.get(name)!.until,
      ]),
    );
  });

  it("shows each memoized function", () => {
    const rows = rowsOf("Function").map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
    assert.deepEqual(rows.map(([name]) => name).sort(), MEMOIZED);
    for (const [, cache = ""] of rows) assert.ok(Object.hasOwn(CACHES, cache), cache);
  });

  it("names the sum of all caches, and of their smallest sizes, as docs/command.md does", () => {
    const text = lines.join(" ");
    const command = readFileSync(join(ROOT, "docs", "command.md"), "utf8");
    assert.ok(command.includes(`Default \`${DEFAULT_MEMORY_BYTES / MIB}M\``));
    assert.ok(command.includes(`at least ${(leastMemoryBytes() / MIB).toFixed(1)} MiB`));
    for (const bytes of [DEFAULT_MEMORY_BYTES, leastMemoryBytes()]) {
      assert.ok(text.includes(sizeOf(bytes)), sizeOf(bytes));
    }
  });
});
