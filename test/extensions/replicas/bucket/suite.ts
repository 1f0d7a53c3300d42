/** What every bucket must do, whoever implements the port: the test of a bucket is this suite run over it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { GET_LIMIT_BYTES, KEY_LIMIT } from "../../../../extensions/replicas/bucket/key.ts";
import type { Bucket, BucketEntry, BucketObject } from "../../../../extensions/replicas/bucket/bucket.ts";

/** An empty bucket, made for the suite. */
export interface MadeBucket {
  readonly bucket: Bucket;
  /** Gives up what the bucket uses. */
  close?(): Promise<void> | void;
}

/** Differences that a test of a bucket states. */
export interface SuiteOptions {
  /** Whether the bucket honours conditions of puts; true by default. */
  readonly conditional?: boolean;
  /** Number of objects in a long list: more than fit on a page of the server. */
  readonly longList?: number;
}

/** Bytes of a text. */
export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
/** Text of bytes. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Keys that are refused: not of the form, or leading out of the bucket. */
const WRONG_KEYS = [
  "",
  "/",
  "/a",
  "a/",
  "a//b",
  ".",
  "..",
  "../a",
  "a/../b",
  "a/./b",
  ".hidden",
  "a/.hidden",
  "a\\b",
  "a b",
  "a%2e",
  "a?b",
  "a#b",
  "a:b",
  "ä",
  "a\0",
  "a\nb",
  "x".repeat(KEY_LIMIT + 1),
  `${"a/".repeat(KEY_LIMIT / 2)}b`,
  "x".repeat(201),
];

/** The object under a key, which must be there. */
export async function mustGet(bucket: Bucket, ...args: Parameters<Bucket["get"]>): Promise<BucketObject> {
  const object = await bucket.get(...args);
  assert.ok(typeof object === "object", `${args[0]} is there`);
  return object;
}

/** Stores an object, which must succeed; returns its tag. */
export async function mustPut(bucket: Bucket, ...args: Parameters<Bucket["put"]>): Promise<string> {
  const outcome = await bucket.put(...args);
  assert.ok(outcome !== "conflict", `${args[0]} is put`);
  return outcome.etag;
}

/** Keys of a list. */
export async function keysOf(entries: AsyncIterable<BucketEntry>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of entries) keys.push(key);
  return keys;
}

/** Runs the suite over the bucket that `make` brings. */
export function testBucket(
  name: string,
  make: () => Promise<MadeBucket> | MadeBucket,
  { conditional = true, longList = 40 }: SuiteOptions = {},
): void {
  describe(name, () => {
    let made: MadeBucket;
    let bucket: Bucket;
    before(async () => {
      made = await make();
      bucket = made.bucket;
    });
    after(() => made?.close?.());

    it("has neither an object nor metadata nor a list where nothing was put", async () => {
      assert.equal(await bucket.get("none"), undefined);
      assert.equal(await bucket.get("none/below", { range: { start: 0, end: 1 } }), undefined);
      assert.equal(await bucket.get("none", { ifNoneMatch: '"tag"' }), undefined);
      assert.equal(await bucket.head("none"), undefined);
      assert.deepEqual(await keysOf(bucket.list("none/")), []);
    });

    it("gives back the bytes that were put, and their metadata", async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i * 7 + (i >> 8));
      const before = Date.now();
      const etag = await mustPut(bucket, "given/back/bytes.pack", bytes, {
        contentType: "application/octet-stream",
        cacheControl: "public, max-age=31536000, immutable",
      });
      const object = await mustGet(bucket, "given/back/bytes.pack");
      assert.deepEqual(object.bytes, bytes);
      assert.equal(object.etag, etag);
      assert.equal(object.size, bytes.length);
      // A server may tell whole seconds.
      assert.ok(object.modifiedMs >= before - 2_000 && object.modifiedMs <= Date.now() + 2_000);
      const { bytes: _, ...head } = object;
      assert.deepEqual(await bucket.head("given/back/bytes.pack"), head);
    });

    it("takes an empty object", async () => {
      await mustPut(bucket, "empty", bytesOf(""));
      assert.equal((await mustGet(bucket, "empty")).bytes.length, 0);
      assert.equal((await bucket.head("empty"))?.size, 0);
    });

    it("takes keys with all characters that are allowed, and the longest", async () => {
      const keys = [
        "keys/AZaz09._-",
        "keys/-begins-with-a-minus",
        "keys/_",
        "keys/a..b",
        `keys/${"x".repeat(200)}/${"y".repeat(200)}`,
      ];
      for (const key of keys) await mustPut(bucket, key, bytesOf(key));
      for (const key of keys) assert.equal(textOf((await mustGet(bucket, key)).bytes), key);
      assert.deepEqual(await keysOf(bucket.list("keys/")), keys.toSorted());
    });

    it("refuses keys of another form in all calls", async () => {
      for (const key of WRONG_KEYS) {
        await assert.rejects(bucket.get(key), RangeError, `get ${key}`);
        await assert.rejects(bucket.head(key), RangeError, `head ${key}`);
        await assert.rejects(bucket.put(key, bytesOf("")), RangeError, `put ${key}`);
        await assert.rejects(bucket.delete(["fine", key]), RangeError, `delete ${key}`);
      }
      await assert.rejects(keysOf(bucket.list("../")), RangeError);
      await assert.rejects(keysOf(bucket.list("/")), RangeError);
    });

    it("reads ranges", async () => {
      await mustPut(bucket, "range", bytesOf("0123456789"));
      const read = async (start: number, end: number) => {
        const object = await mustGet(bucket, "range", { range: { start, end } });
        assert.equal(object.size, 10);
        return textOf(object.bytes);
      };
      assert.equal(await read(0, 1), "0");
      assert.equal(await read(3, 7), "3456");
      assert.equal(await read(9, 10), "9");
      assert.equal(await read(0, 10), "0123456789");
    });

    it("refuses ranges that are not within the object", async () => {
      await mustPut(bucket, "short", bytesOf("0123"));
      for (const range of [{ start: 0, end: 5 }, { start: 4, end: 5 }, { start: 100, end: 200 }]) {
        await assert.rejects(bucket.get("short", { range }), { name: "BucketError", obstacle: "broken" });
      }
      for (
        const range of [{ start: 1, end: 1 }, { start: 2, end: 1 }, { start: -1, end: 1 }, {
          start: 0.5,
          end: 2,
        }]
      ) {
        await assert.rejects(bucket.get("short", { range }), RangeError);
      }
    });

    it("refuses more bytes than the limit of a read", async () => {
      await mustPut(bucket, "limited", bytesOf("0123456789"));
      assert.equal((await mustGet(bucket, "limited", { limitBytes: 10 })).bytes.length, 10);
      await assert.rejects(bucket.get("limited", { limitBytes: 9 }), {
        name: "BucketError",
        obstacle: "broken",
      });
      const range = { start: 2, end: 5 };
      assert.equal(textOf((await mustGet(bucket, "limited", { range, limitBytes: 3 })).bytes), "234");
      await assert.rejects(bucket.get("limited", { range, limitBytes: 2 }), RangeError);
      const whole = { start: 0, end: GET_LIMIT_BYTES + 1 };
      await assert.rejects(bucket.get("limited", { range: whole }), RangeError);
    });

    it("answers unchanged until another object is put", async () => {
      const first = await mustPut(bucket, "changing", bytesOf("one"));
      assert.equal(await bucket.get("changing", { ifNoneMatch: first }), "unchanged");
      assert.equal(
        await bucket.get("changing", { ifNoneMatch: first, range: { start: 0, end: 1 } }),
        "unchanged",
      );
      const second = await mustPut(bucket, "changing", bytesOf("two"));
      assert.notEqual(second, first);
      const object = await mustGet(bucket, "changing", { ifNoneMatch: first });
      assert.equal(textOf(object.bytes), "two");
      assert.equal(object.etag, second);
      assert.equal(await bucket.get("changing", { ifNoneMatch: second }), "unchanged");
    });

    it("removes objects, and takes absent ones for removed", async () => {
      await mustPut(bucket, "gone/a", bytesOf("a"));
      await mustPut(bucket, "gone/b", bytesOf("b"));
      await mustPut(bucket, "gone/c/d", bytesOf("d"));
      await bucket.delete(["gone/a", "gone/absent", "gone/c/d", "gone/none/at/all"]);
      assert.deepEqual(await keysOf(bucket.list("gone/")), ["gone/b"]);
      assert.equal(await bucket.get("gone/a"), undefined);
      assert.equal(await bucket.head("gone/c/d"), undefined);
      await bucket.delete([]);
      // The name of a folder that became empty is free.
      await mustPut(bucket, "gone/c/e", bytesOf("e"));
      assert.deepEqual(await keysOf(bucket.list("gone/")), ["gone/b", "gone/c/e"]);
    });

    it("lists by prefix in the order of keys, with metadata", async () => {
      const keys = [
        "list/a",
        "list/a-b",
        "list/a.b",
        "list/b/c",
        "list/b/d/e",
        "list/b-c",
        "list/B",
        "lists",
      ];
      await Promise.all(keys.map((key) => bucket.put(key, bytesOf(key))));
      const below = keys.filter((key) => key.startsWith("list/")).sort();
      assert.deepEqual(await keysOf(bucket.list("list/")), below);
      assert.deepEqual(await keysOf(bucket.list("list/b")), ["list/b-c", "list/b/c", "list/b/d/e"]);
      assert.deepEqual(await keysOf(bucket.list("list/b/d/")), ["list/b/d/e"]);
      assert.deepEqual(await keysOf(bucket.list("list")), [...below, "lists"]);
      for await (const { key, ...head } of bucket.list("list/b/")) {
        assert.deepEqual({ ...head, modifiedMs: 0 }, { ...await bucket.head(key), modifiedMs: 0 });
      }
    });

    it(`lists ${longList} objects, and stops when no more are requested`, async () => {
      const keys = Array.from({ length: longList }, (_, i) => `long/${String(i).padStart(5, "0")}`);
      for (let at = 0; at < keys.length; at += 20) {
        await Promise.all(keys.slice(at, at + 20).map((key) => bucket.put(key, bytesOf("x"))));
      }
      assert.deepEqual(await keysOf(bucket.list("long/")), keys);
      for await (const { key } of bucket.list("long/")) {
        assert.equal(key, keys[0]);
        break;
      }
    });

    it("does not begin what was ended before", async () => {
      await mustPut(bucket, "ended", bytesOf("before"));
      const reason = new Error("Ended");
      const signal = AbortSignal.abort(reason);
      await assert.rejects(bucket.get("ended", { signal }), reason);
      await assert.rejects(bucket.head("ended", { signal }), reason);
      await assert.rejects(bucket.put("ended", bytesOf("after"), { signal }), reason);
      await assert.rejects(bucket.delete(["ended"], { signal }), reason);
      await assert.rejects(keysOf(bucket.list("ended", { signal })), reason);
      assert.equal(textOf((await mustGet(bucket, "ended")).bytes), "before");
    });

    it("refuses two conditions at once", async () => {
      const both = { ifNoneMatch: "*", ifMatch: '"tag"' } as const;
      await assert.rejects(bucket.put("both", bytesOf(""), both), RangeError);
      await assert.rejects(bucket.put("both", bytesOf(""), { ifMatch: "" }), RangeError);
    });

    it(`says that it ${conditional ? "honours" : "ignores"} conditions of puts`, async () => {
      assert.equal(await bucket.conditionalPuts(), conditional);
      assert.equal(await bucket.conditionalPuts(), conditional);
    });

    if (!conditional) return;

    it("puts a new object only where no object is", async () => {
      const etag = await mustPut(bucket, "new", bytesOf("first"), { ifNoneMatch: "*" });
      assert.equal(await bucket.put("new", bytesOf("second"), { ifNoneMatch: "*" }), "conflict");
      const object = await mustGet(bucket, "new");
      assert.equal(textOf(object.bytes), "first");
      assert.equal(object.etag, etag);
      await bucket.delete(["new"]);
      await mustPut(bucket, "new", bytesOf("third"), { ifNoneMatch: "*" });
    });

    it("replaces an object only while it has the tag", async () => {
      const first = await mustPut(bucket, "replaced", bytesOf("first"));
      const second = await mustPut(bucket, "replaced", bytesOf("second"), { ifMatch: first });
      assert.equal(await bucket.put("replaced", bytesOf("third"), { ifMatch: first }), "conflict");
      assert.equal(textOf((await mustGet(bucket, "replaced")).bytes), "second");
      await mustPut(bucket, "replaced", bytesOf("third"), { ifMatch: second });
      await bucket.delete(["replaced"]);
      assert.equal(await bucket.put("replaced", bytesOf("fourth"), { ifMatch: second }), "conflict");
      assert.equal(await bucket.get("replaced"), undefined);
    });

    it("lets one of several writers win each round", async () => {
      let etag = await mustPut(bucket, "contended", bytesOf("0"));
      for (let round = 0; round < 5; round++) {
        const outcomes = await Promise.all(
          Array.from(
            { length: 4 },
            (_, i) => bucket.put("contended", bytesOf(`${round} ${i}`), { ifMatch: etag }),
          ),
        );
        const won = outcomes.flatMap((outcome, i) => outcome === "conflict" ? [] : [{ ...outcome, i }]);
        assert.equal(won.length, 1, `one writer in round ${round}`);
        const object = await mustGet(bucket, "contended");
        assert.equal(textOf(object.bytes), `${round} ${won[0]!.i}`);
        assert.equal(object.etag, won[0]!.etag);
        etag = object.etag;
      }
      const firsts = await Promise.all(
        Array.from({ length: 4 }, () => bucket.put("contended-new", bytesOf("new"), { ifNoneMatch: "*" })),
      );
      assert.equal(firsts.filter((outcome) => outcome !== "conflict").length, 1);
    });
  });
}
