/** What every storage must do that can be written to: the test of one is this suite run over it. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { encodeCommit, encodeTree, hashObject } from "../../src/git/encode.ts";
import { MODE } from "../../src/git/tree.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { GitObject, WritableRepository } from "../../src/ports/storage.ts";
import { isWritable } from "../../src/ports/storage.ts";
import { WriteError } from "../../src/ports/write_error.ts";

/** An empty repository, made for one test. */
export interface MadeRepository {
  readonly repository: WritableRepository;
  /** Lets a reference stand for another one. */
  setSymbolicRef(name: string, target: string): void;
  /** Checks that the repository is sound, and gives up what it uses. */
  finish?(): void;
}

const ABSENT = "0123456789012345678901234567890123456789" as Oid;

/** An object of text. */
export function blob(text: string): GitObject {
  return { kind: "blob", bytes: new TextEncoder().encode(text) };
}

/** Writes a commit that differs from others by its message; its tree is empty. */
export async function writeCommit(repository: WritableRepository, message: string): Promise<Oid> {
  const [tree] = await repository.writeObjects([{ kind: "tree", bytes: encodeTree([]) }]);
  const [commit] = await repository.writeObjects([{
    kind: "commit",
    bytes: encodeCommit({
      tree: tree!,
      parents: [],
      author: { name: "Alice", email: "alice@example.org" },
      timeSeconds: 1_700_000_000,
      message,
    }),
  }]);
  return commit!;
}

/** Runs the suite over the repositories that `make` brings. */
export function testWriting(name: string, make: () => MadeRepository): void {
  describe(name, () => {
    let made: MadeRepository;
    let repository: WritableRepository;
    let first: Oid;
    let second: Oid;

    beforeEach(async () => {
      made = make();
      repository = made.repository;
      first = await writeCommit(repository, "First");
      second = await writeCommit(repository, "Second");
    });
    afterEach(() => made.finish?.());

    const target = async (name: string) => (await repository.ref(name))?.oid;
    const conflict = (error: unknown) => error instanceof WriteError && error.obstacle === "conflict";

    it("says that it can be written to", () => assert.equal(isWritable(repository), true));

    describe("a set of objects", () => {
      it("takes objects of every kind and names them as git does", async () => {
        const hello = "ce013625030ba8dba906f756967f9e9ca394464a" as Oid;
        const person = "Alice <alice@example.org> 1700000000 +0000";
        const objects: GitObject[] = [
          blob(""),
          blob("hello\n"),
          { kind: "tree", bytes: encodeTree([{ mode: MODE.blob, name: bytesOf("hello"), oid: hello }]) },
          { kind: "tree", bytes: new Uint8Array() },
          { kind: "tag", bytes: bytesOf(`object ${hello}\ntype blob\ntag v1\ntagger ${person}\n\nOne\n`) },
        ];
        const oids = await repository.writeObjects(objects);
        assert.deepEqual(oids, [
          "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
          hello,
          "b4d01e9b0c4a9356736dfddf8830ba9a54f5271c",
          "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
          "4334f27e263ee2eb2220bcbdb7d788f8e3767837",
        ]);
        for (const [i, { kind, bytes }] of objects.entries()) {
          assert.deepEqual(await repository.header(oids[i]!), { kind, size: bytes.length });
          const read = await repository.object(oids[i]!);
          assert.deepEqual([read?.kind, Uint8Array.from(read?.bytes ?? [])], [kind, bytes]);
        }
      });

      it("takes an object of a megabyte", async () => {
        const bytes = Uint8Array.from({ length: 2 ** 20 }, (_, i) => (i * 7919 + (i >> 8) * 31) & 0xff);
        const [oid] = await repository.writeObjects([{ kind: "blob", bytes }]);
        assert.deepEqual(Uint8Array.from((await repository.object(oid!))?.bytes ?? []), bytes);
      });

      it("takes an object twice, at once or later", async () => {
        const oid = "ce013625030ba8dba906f756967f9e9ca394464a";
        assert.deepEqual(await repository.writeObjects([blob("hello\n"), blob("hello\n")]), [oid, oid]);
        assert.deepEqual(await repository.writeObjects([blob("hello\n")]), [oid]);
      });

      it("takes many objects at once", async () => {
        const objects = Array.from({ length: 200 }, (_, i) => blob(`number ${i}`));
        const oids = await repository.writeObjects(objects);
        assert.equal(new Set(oids).size, objects.length);
        const read = await repository.objects(oids);
        assert.deepEqual(
          read.map((object) => Uint8Array.from(object!.bytes)),
          objects.map(({ bytes }) => bytes),
        );
      });

      it("takes no objects", async () => assert.deepEqual(await repository.writeObjects([]), []));

      it("does not share memory with who writes", async () => {
        const bytes = bytesOf("hello\n");
        const [oid] = await repository.writeObjects([{ kind: "blob", bytes }]);
        bytes.fill(0);
        assert.equal(new TextDecoder().decode((await repository.object(oid!))?.bytes), "hello\n");
      });
    });

    describe("a set of references", () => {
      const main = "refs/heads/main";

      it("takes a new one", async () => {
        assert.equal(await repository.updateRef(main, { from: undefined, to: first }), true);
        assert.deepEqual(await repository.ref(main), { name: main, oid: first });
        assert.deepEqual(await repository.refs("refs/"), [{ name: main, oid: first }]);
      });

      it("takes one to an object that comes with the change", async () => {
        const tag = "refs/tags/one";
        const object = blob("comes along\n");
        const to = hashObject(object.kind, object.bytes);
        const missing = async () => await repository.updateRef(tag, { from: undefined, to });
        await assert.rejects(missing, TypeError);
        assert.equal(await repository.updateRef(tag, { from: undefined, to, objects: [object] }), true);
        assert.equal(await target(tag), to);
        assert.equal(new TextDecoder().decode((await repository.object(to))?.bytes), "comes along\n");
      });

      it("takes one deep in folders that are not there", async () => {
        const name =
          `refs/namespaces/z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi/refs/cobs/xyz.radicle.issue/${first}`;
        assert.equal(await repository.updateRef(name, { from: undefined, to: first }), true);
        assert.equal(await target(name), first);
      });

      it("takes another value for one", async () => {
        await repository.updateRef(main, { from: undefined, to: first });
        assert.equal(await repository.updateRef(main, { from: first, to: second }), true);
        assert.equal(await target(main), second);
      });

      it("takes the value that it has already", async () => {
        await repository.updateRef(main, { from: undefined, to: first });
        assert.equal(await repository.updateRef(main, { from: first, to: first }), true);
        assert.equal(await target(main), first);
      });

      it("leaves one that is not what it was believed to be", async () => {
        assert.equal(await repository.updateRef(main, { from: first, to: second }), false);
        assert.equal(await target(main), undefined);
        await repository.updateRef(main, { from: undefined, to: first });
        assert.equal(await repository.updateRef(main, { from: undefined, to: second }), false);
        assert.equal(await repository.updateRef(main, { from: second, to: first }), false);
        assert.equal(await target(main), first);
      });

      it("leaves one that stands for another", async () => {
        const name = "refs/heads/symbolic";
        made.setSymbolicRef(name, main);
        await repository.updateRef(main, { from: undefined, to: first });
        assert.equal(await repository.updateRef(name, { from: first, to: second }), false);
        assert.equal(await repository.updateRef(name, { from: undefined, to: second }), false);
        assert.deepEqual(await repository.ref(name), { name, target: main });
        assert.equal(await target(main), first);
      });

      it("refuses one that is a folder of another, and the other way round", async () => {
        await repository.updateRef("refs/heads/a/b", { from: undefined, to: first });
        for (const name of ["refs/heads/a", "refs/heads/a/b/c", "refs/heads/a/b/c/d"]) {
          await assert.rejects(
            async () => await repository.updateRef(name, { from: undefined, to: first }),
            conflict,
          );
          assert.equal(await target(name), undefined);
        }
        assert.deepEqual(await repository.refs("refs/"), [{ name: "refs/heads/a/b", oid: first }]);
      });

      it("refuses names that it cannot have", async () => {
        const names = [
          "",
          "HEAD",
          "main",
          "refs",
          "refs/",
          "refs/heads/",
          "refs/heads/a b",
          "refs/heads/x.lock",
        ];
        const unsafe = [
          "refs/../HEAD",
          "refs/heads/../x",
          "/refs/heads/x",
          "refs//x",
          "objects/x",
          "refs/x\0",
          "refs/*",
        ];
        for (const name of [...names, ...unsafe]) {
          await assert.rejects(
            async () => await repository.updateRef(name, { from: undefined, to: first }),
            TypeError,
            name,
          );
        }
        assert.deepEqual(await repository.refs("refs/"), []);
      });

      it("refuses objects that are not there", async () => {
        for (const to of [ABSENT, "" as Oid, "abc" as Oid, "../../../HEAD" as Oid]) {
          await assert.rejects(
            async () => await repository.updateRef(main, { from: undefined, to }),
            TypeError,
          );
        }
        assert.equal(await target(main), undefined);
      });

      it("lets one of several win that start from the same value", async () => {
        const commits = await Promise.all(
          Array.from({ length: 10 }, (_, i) => writeCommit(repository, `Racer ${i}`)),
        );
        await repository.updateRef(main, { from: undefined, to: first });
        const won = await Promise.all(commits.map((to) => repository.updateRef(main, { from: first, to })));
        assert.equal(won.filter((isWon) => isWon).length, 1);
        assert.equal(await target(main), commits[won.indexOf(true)]);
      });

      it("loses no change of those who read again and try again", async () => {
        const racers = 8;
        await repository.updateRef(main, { from: undefined, to: first });
        const seen: (Oid | undefined)[] = [];
        const race = async (racer: number) => {
          for (let isWon = false; !isWon;) {
            const from = await target(main);
            const to = await writeCommit(repository, `Racer ${racer} after ${from}`);
            isWon = await repository.updateRef(main, { from, to });
            if (isWon) seen.push(from);
          }
        };
        await Promise.all(Array.from({ length: racers }, (_, racer) => race(racer)));
        assert.equal(new Set(seen).size, racers);
      });
    });
  });
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
