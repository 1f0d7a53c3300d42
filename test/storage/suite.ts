/** What every storage must do, whoever implements the port: the test of a storage is this suite run over it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TooLargeError } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { ObjectKind, Ref, Repository, Storage } from "../../src/ports/storage.ts";

/** An object that the storage has to hold, with the id that git gives it. */
export interface GivenObject {
  readonly oid: string;
  readonly kind: ObjectKind;
  readonly content: string;
}

/** What the storage has to hold: these objects and references in the repository {@link RID}, nothing in {@link EMPTY_RID}. */
export interface Given {
  readonly objects: readonly GivenObject[];
  /** References by name: an object id, or `ref: ` and a name. */
  readonly refs: Readonly<Record<string, string>>;
}

/** A storage that holds what was given. */
export interface Made {
  readonly storage: Storage;
  /** Gives up what the storage uses. */
  remove?(): void;
}

export const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
export const EMPTY_RID: RepoId = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
const ABSENT_RID: RepoId = "rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG";
const ABSENT = "0123456789012345678901234567890123456789" as Oid;

const PERSON = "Alice <alice@example.org> 1700000000 +0000";
const OBJECTS = {
  empty: { oid: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", kind: "blob", content: "" },
  hello: { oid: "ce013625030ba8dba906f756967f9e9ca394464a", kind: "blob", content: "hello\n" },
  numbers: { oid: "d23c99036c2ca1fdc4bca1280b735993b7268efe", kind: "blob", content: numbers(300_000) },
  tree: { oid: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", kind: "tree", content: "" },
  commit: {
    oid: "ca70db6246739bad54767073da1d5dd268ef72e2",
    kind: "commit",
    content:
      `tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor ${PERSON}\ncommitter ${PERSON}\n\nFirst\n`,
  },
  tag: {
    oid: "4334f27e263ee2eb2220bcbdb7d788f8e3767837",
    kind: "tag",
    content: `object ce013625030ba8dba906f756967f9e9ca394464a\ntype blob\ntag v1\ntagger ${PERSON}\n\nOne\n`,
  },
} satisfies Record<string, GivenObject>;

const ALICE = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";
const BOB = "z6Mkk7oqY4pPxhMmGEotDYsFo97vhCj85BLY1H256HrJmjN8";
const HELLO_BYTES = OBJECTS.hello.content.length;
const { commit: { oid: COMMIT }, tag: { oid: TAG }, hello: { oid: HELLO } } = OBJECTS;

const REFS: Readonly<Record<string, string>> = {
  "HEAD": "ref: refs/heads/main",
  "refs/heads/a-b": COMMIT,
  "refs/heads/a.b": COMMIT,
  "refs/heads/a/b": COMMIT,
  "refs/heads/feature/one": COMMIT,
  "refs/heads/features": COMMIT,
  "refs/heads/main": COMMIT,
  "refs/heads/@": COMMIT,
  "refs/heads/ｚ": COMMIT,
  "refs/heads/😀": COMMIT,
  "refs/heads/unborn": "ref: refs/heads/nothing",
  [`refs/namespaces/${ALICE}/refs/heads/main`]: COMMIT,
  [`refs/namespaces/${ALICE}/refs/rad/id`]:
    `ref: refs/namespaces/${ALICE}/refs/cobs/xyz.radicle.id/${COMMIT}`,
  [`refs/namespaces/${ALICE}/refs/rad/sigrefs`]: COMMIT,
  [`refs/namespaces/${BOB}/refs/rad/sigrefs`]: HELLO,
  "refs/tags/v1": TAG,
};

/** Runs the suite over the storage that `make` brings. */
export function testStorage(name: string, make: (given: Given) => Made | Promise<Made>): void {
  describe(name, () => {
    let made: Made;
    let storage: Storage;
    let repository: Repository;

    before(async () => {
      made = await make({ objects: Object.values(OBJECTS), refs: REFS });
      storage = made.storage;
      repository = (await storage.repository(RID))!;
    });
    after(() => made.remove?.());

    describe("a set of repositories", () => {
      it("lists their ids", async () => {
        assert.deepEqual([...await storage.repositoryIds()].sort(), [RID, EMPTY_RID].sort());
      });

      it("opens a repository under its id", () => assert.equal(repository.rid, RID));

      it("has no repository under another id", async () => {
        assert.equal(await storage.repository(ABSENT_RID), undefined);
        assert.equal(await storage.repository("rad:z../../etc"), undefined);
      });

      it("keeps repositories apart", async () => {
        const empty = (await storage.repository(EMPTY_RID))!;
        assert.deepEqual(await empty.refs("refs/"), []);
        assert.equal(await empty.object(COMMIT as Oid), undefined);
      });
    });

    describe("a set of objects", () => {
      for (const [what, { oid, kind, content }] of Object.entries(OBJECTS)) {
        it(`returns kind and size of the object "${what}"`, async () => {
          assert.deepEqual(await repository.header(oid as Oid), { kind, size: content.length });
        });

        it(`reads the object "${what}"`, async () => {
          const object = await repository.object(oid as Oid);
          assert.equal(object?.kind, kind);
          assert.deepEqual(plain(object?.bytes), new TextEncoder().encode(content));
        });
      }

      it("has the tree without entries in every repository", async () => {
        const empty = (await storage.repository(EMPTY_RID))!;
        assert.deepEqual(await empty.header(OBJECTS.tree.oid as Oid), { kind: "tree", size: 0 });
        const objects = [
          await empty.object(OBJECTS.tree.oid as Oid),
          ...await empty.objects([OBJECTS.tree.oid as Oid]),
        ];
        for (const object of objects) assert.deepEqual([object?.kind, object?.bytes.length], ["tree", 0]);
      });

      it("has no other object", async () => {
        assert.equal(await repository.header(ABSENT), undefined);
        assert.equal(await repository.object(ABSENT), undefined);
      });

      it("reads several objects in the order of their ids", async () => {
        const objects = await repository.objects([TAG, ABSENT, COMMIT, TAG] as Oid[]);
        assert.deepEqual(objects.map((object) => object?.kind), ["tag", undefined, "commit", "tag"]);
      });

      it("refuses an object that is longer than the limit, and reports its size", async () => {
        const { oid, content } = OBJECTS.numbers;
        const limitBytes = content.length - 1;
        await assert.rejects(async () => await repository.object(oid as Oid, { limitBytes }), TooLargeError);
        assert.equal((await repository.object(oid as Oid, { limitBytes: content.length }))?.kind, "blob");
        assert.equal((await repository.header(oid as Oid))?.size, content.length);
      });

      it("leaves an object out of several that is longer than the limit", async () => {
        const objects = await repository.objects([COMMIT, OBJECTS.numbers.oid, HELLO] as Oid[], {
          limitBytes: 1000,
        });
        assert.deepEqual(objects.map((object) => object?.kind), ["commit", undefined, "blob"]);
      });

      it("ends a batch with the object by which its bytes are reached", async () => {
        const oids = [HELLO, OBJECTS.numbers.oid, COMMIT, TAG] as Oid[];
        const read = async (batchBytes: number) => (await repository.objects(oids, { batchBytes })).length;
        assert.deepEqual(
          [await read(1), await read(HELLO_BYTES), await read(HELLO_BYTES + 1), await read(1e6)],
          [1, 1, 2, 4],
        );
      });
    });

    describe("a set of references", () => {
      it("returns each reference by its name, symbolic ones as such", async () => {
        for (const name of Object.keys(REFS)) assert.deepEqual(await repository.ref(name), expected(name));
      });

      it("has no reference under other names", async () => {
        const names = [
          "refs/heads/none",
          "refs/heads",
          "refs/heads/",
          "refs",
          "main",
          "config",
          "",
          "ORIG_HEAD",
        ];
        const unsafe = [
          "refs/../HEAD",
          "refs/heads/../heads/main",
          "/HEAD",
          "refs//heads/main",
          "refs/heads/main\0",
        ];
        for (const name of [...names, ...unsafe]) assert.equal(await repository.ref(name), undefined, name);
      });

      it("lists all below refs/ in the order of their names' bytes", async () => {
        assert.deepEqual(await names("refs/"), [
          "refs/heads/@",
          "refs/heads/a-b",
          "refs/heads/a.b",
          "refs/heads/a/b",
          "refs/heads/feature/one",
          "refs/heads/features",
          "refs/heads/main",
          "refs/heads/unborn",
          "refs/heads/ｚ",
          "refs/heads/😀",
          `refs/namespaces/${BOB}/refs/rad/sigrefs`,
          `refs/namespaces/${ALICE}/refs/heads/main`,
          `refs/namespaces/${ALICE}/refs/rad/id`,
          `refs/namespaces/${ALICE}/refs/rad/sigrefs`,
          "refs/tags/v1",
        ]);
      });

      it("lists whole references", async () => {
        const refs = await repository.refs("refs/");
        assert.deepEqual(refs, refs.map((ref) => expected(ref.name)));
      });

      it("lists those below a folder", async () => {
        assert.deepEqual(await names("refs/heads/feature/"), ["refs/heads/feature/one"]);
        assert.deepEqual(await names(`refs/namespaces/${BOB}/`), [`refs/namespaces/${BOB}/refs/rad/sigrefs`]);
        assert.deepEqual(await names("refs/heads/main/"), []);
        assert.deepEqual(await names("refs/none/"), []);
      });

      it("lists a single one by its name", async () => {
        assert.deepEqual(await names("refs/heads/main"), ["refs/heads/main"]);
        assert.deepEqual(await names("refs/heads/feature"), []);
        assert.deepEqual(await names("HEAD"), ["HEAD"]);
      });

      it("lists references of any folder for a component *", async () => {
        const sigrefs = [BOB, ALICE].map((nid) => `refs/namespaces/${nid}/refs/rad/sigrefs`);
        assert.deepEqual(await names("refs/namespaces/*/refs/rad/sigrefs"), sigrefs);
        assert.deepEqual(await names("refs/namespaces/*/refs/heads/"), [
          `refs/namespaces/${ALICE}/refs/heads/main`,
        ]);
        assert.deepEqual(await names("refs/heads/*/"), ["refs/heads/a/b", "refs/heads/feature/one"]);
        assert.deepEqual(await names("refs/*/v1"), ["refs/tags/v1"]);
        assert.deepEqual(await names("refs/*/*/one"), ["refs/heads/feature/one"]);
      });

      it("lists no references for what is no part of a name", async () => {
        for (
          const prefix of [
            "",
            "/",
            "*",
            "HEAD/",
            "refs/../",
            "refs//",
            "refs/heads/../../",
            "refs/a*/",
            "objects/",
          ]
        ) {
          assert.deepEqual(await names(prefix), [], prefix);
        }
      });

      const names = async (prefix: string) => (await repository.refs(prefix)).map((ref) => ref.name);
    });
  });
}

function expected(name: string): Ref {
  const value = REFS[name]!;
  return value.startsWith("ref: ")
    ? { name, target: value.slice("ref: ".length) }
    : { name, oid: value as Oid };
}

/** The bytes as a plain array: runtimes' own kinds of it would not be equal. */
function plain(bytes: Uint8Array | undefined): Uint8Array {
  return Uint8Array.from(bytes ?? []);
}

/** Lines of arbitrary numbers, which deflate neither shrinks to nothing nor leaves as they are. */
function numbers(length: number): string {
  let text = "";
  for (let number = 1; text.length < length;) {
    number = Number((BigInt(number) * 1103515245n + 12345n) & 0x7fffffffn);
    text += `${number >> 8}\n`;
  }
  return text.slice(0, length);
}
