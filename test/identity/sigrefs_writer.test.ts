/** What is signed of a namespace, in homes of each generation. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import type { HomeGeneration } from "../../src/identity/generation.ts";
import { createSigrefsCache, SigrefsReader } from "../../src/identity/sigrefs.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { ALICE, BOB, putCommit } from "../support/world.ts";
import { changed, fullName, Namespace, readFile, TIME_SECONDS, ZERO } from "./namespace.ts";
import { Task } from "../../src/scheduling/task.ts";

describe("signRefs", () => {
  let namespace: Namespace;
  let repository: MemoryRepository;
  let identity: Oid;
  let one: Oid;
  let two: Oid;

  beforeEach(async () => {
    namespace = await Namespace.create();
    ({ repository, identity, one, two } = namespace);
  });

  const set = (name: string, oid: Oid) => namespace.set(name, oid);
  const sign = (...how: Parameters<Namespace["sign"]>) => namespace.sign(...how);

  describe("in a home of the newest generation", () => {
    it("signs root and parent, from the second commit on", async () => {
      const first = await sign("newest");
      assert.equal(await namespace.text(first), `${one} refs/heads/master\n${identity} refs/rad/root\n`);
      set("refs/heads/master", two);
      const second = await sign("newest");
      assert.equal(
        await namespace.text(second),
        `${two} refs/heads/master\n${identity} refs/rad/root\n${first} refs/rad/sigrefs-parent\n`,
      );
      assert.deepEqual(namespace.parents(second), [first]);
      assert.equal(namespace.tip(), second);
    });

    it("signs references of every kind, but not of patches being opened", async () => {
      const kinds = [
        "drafts/cobs/xyz.radicle.issue/b",
        "drafts/reviews/a",
        "foo/bar",
        "notes/n",
        "tags/t",
        "tmp/y/z",
      ];
      for (const kind of kinds) set(`refs/${kind}`, one);
      for (const name of ["refs/tmp/heads/x", "refs/stash", "other/x"]) set(name, one);
      assert.deepEqual(await namespace.names(await sign("newest")), [
        ...kinds.slice(0, 3).map((kind) => `refs/${kind}`),
        "refs/heads/master",
        "refs/notes/n",
        "refs/rad/root",
        "refs/tags/t",
        "refs/tmp/y/z",
      ]);
    });

    it("adds root and parent to what older programs have signed", async () => {
      const before = await sign("2024");
      const after = await sign("newest");
      assert.deepEqual(await namespace.names(after), [
        "refs/heads/master",
        "refs/rad/root",
        "refs/rad/sigrefs-parent",
      ]);
      assert.match(await namespace.text(after), new RegExp(`^${before} refs/rad/sigrefs-parent$`, "m"));
    });

    it("finds the root below later changes of the identity", async () => {
      const doc = new TextDecoder().decode(await readFile(repository, identity, "embeds/radicle.json"));
      const vote = putCommit(repository, {
        folder: { embeds: { "radicle.json": doc + " " } },
        parents: [identity],
        message: "Propose revision\n",
      });
      const merged = putCommit(repository, {
        folder: { "0": "{}" },
        parents: [
          vote,
          putCommit(repository, { folder: {}, parents: [identity], message: "Accept revision\n" }),
        ],
        message: "Accept revision\n",
      });
      repository.setRef("refs/rad/id", merged);
      await sign("newest");
      assert.equal(repository.ref(fullName(ALICE, "refs/rad/root"))?.oid, identity);
    });

    it("refuses an identity without a root, and another's root", async () => {
      const foreign = putCommit(repository, {
        folder: { embeds: { "radicle.json": "{}" } },
        message: "Initialize identity\n",
      });
      repository.setRef("refs/rad/id", foreign);
      await assert.rejects(sign("newest"), DamagedError);
      repository.deleteRef("refs/rad/id");
      await assert.rejects(sign("newest"), DamagedError);
      set("refs/rad/root", foreign);
      await assert.rejects(sign("newest"), DamagedError);
      await assert.rejects(sign("2024"), DamagedError);
      assert.equal(namespace.tip(), undefined);
    });
  });

  describe("in a home of 1.1", () => {
    it("signs a root, which it makes, and no parent", async () => {
      const first = await sign("1.1");
      set("refs/heads/master", two);
      assert.deepEqual(namespace.parents(await sign("1.1")), [first]);
      assert.deepEqual(await namespace.names(namespace.tip()!), ["refs/heads/master", "refs/rad/root"]);
    });

    it("adds a root to what older programs have signed", async () => {
      await sign("0.10");
      assert.deepEqual(await namespace.names(await sign("1.1")), ["refs/heads/master", "refs/rad/root"]);
      assert.equal(
        (await new SigrefsReader(repository, createSigrefsCache(), new Task()).read(ALICE))?.get(
          "refs/heads/master",
        ),
        one,
      );
    });
  });

  describe("the level of what is signed", () => {
    const LEVELS_SIGNED = ["none", "root", "parent"] as const;
    /** The highest level that the home's programs go on with: those before 1.1 omit both lines next time. */
    const HIGHEST = { "2024": 0, "0.10": 0, "1.1": 1, newest: 2 } as const;
    for (const [generation, highest] of Object.entries(HIGHEST) as [HomeGeneration, number][]) {
      for (const [earlier, level] of LEVELS_SIGNED.entries()) {
        const expected = Math.max(earlier, highest);
        it(`is ${LEVELS_SIGNED[expected]} in a home of ${generation} after ${level}`, async () => {
          const first = await namespace.putSigned(`${one} refs/heads/master\n`);
          const lines = [
            `${one} refs/heads/master`,
            `${identity} refs/rad/root`,
            `${first} refs/rad/sigrefs-parent`,
          ];
          await namespace.putSigned(`${lines.slice(0, earlier + 1).join("\n")}\n`, [first]);
          // Even where the last commit has a lower level than one before.
          if (earlier > 0) await namespace.putSigned(`${one} refs/heads/master\n`, [namespace.tip()!]);
          for (const at of [two, one]) {
            set("refs/heads/master", at);
            const names = await namespace.names(await sign(generation));
            const signed = names.includes("refs/rad/sigrefs-parent")
              ? 2
              : Number(names.includes("refs/rad/root"));
            assert.equal(signed, expected);
          }
        });
      }
    }
  });

  for (const generation of ["2024", "0.10"] as const) {
    describe(`in a home of ${generation}`, () => {
      it("signs what the programs of that time sign", async () => {
        for (
          const kind of ["drafts/reviews/a", "foo/bar", "notes/n", "rad/x", "tags/t", "cobs/a/b", "tmp/y/z"]
        ) {
          set(`refs/${kind}`, one);
        }
        await sign(generation);
        set("refs/heads/master", two);
        assert.deepEqual(
          await namespace.names(await sign(generation)),
          ["cobs/a/b", "heads/master", "notes/n", "rad/x", "tags/t"].map((name) => `refs/${name}`),
        );
      });

      it("signs an existing root, and creates none", async () => {
        assert.deepEqual(await namespace.names(await sign(generation)), ["refs/heads/master"]);
        assert.equal(repository.ref(fullName(ALICE, "refs/rad/root")), undefined);
        set("refs/rad/root", identity);
        assert.deepEqual(await namespace.names(await sign(generation)), [
          "refs/heads/master",
          "refs/rad/root",
        ]);
      });

      it("goes on naming the parent where it has been named, even if the last commit does not", async () => {
        const first = await sign("newest");
        set("refs/heads/master", two);
        const named = await sign("newest");
        set("refs/heads/master", one);
        assert.deepEqual((await namespace.names(await sign(generation))).at(-1), "refs/rad/sigrefs-parent");
        set("refs/heads/master", two);
        const last = await namespace.putSigned(`${two} refs/heads/master\n${identity} refs/rad/root\n`, [
          named,
        ]);
        const healed = await sign(generation);
        assert.match(await namespace.text(healed), new RegExp(`^${last} refs/rad/sigrefs-parent$`, "m"));
        assert.notEqual(first, named);
      });

      it("goes on signing drafts where they have been signed", async () => {
        set("refs/drafts/reviews/a", one);
        const first = await sign("newest");
        set("refs/heads/master", two);
        const second = await sign(generation);
        assert.equal(
          await namespace.text(second),
          `${one} refs/drafts/reviews/a\n${two} refs/heads/master\n${identity} refs/rad/root\n${first} refs/rad/sigrefs-parent\n`,
        );
      });

      it("goes on signing the root where it has been signed, without a parent", async () => {
        const first = await namespace.putSigned(`${one} refs/heads/master\n${identity} refs/rad/root\n`);
        set("refs/heads/master", two);
        const second = await sign(generation);
        assert.equal(
          await namespace.text(second),
          `${two} refs/heads/master\n${identity} refs/rad/root\n`,
        );
        assert.deepEqual(namespace.parents(second), [first]);
      });

      it("takes no reference for the line that names the parent", async () => {
        set("refs/rad/sigrefs-parent", one);
        assert.deepEqual(await namespace.names(await sign(generation)), ["refs/heads/master"]);
      });
    });
  }

  it("follows symbolic references, and leaves out those that lead nowhere", async () => {
    repository.setSymbolicRef(fullName(ALICE, "refs/heads/alias"), fullName(ALICE, "refs/heads/master"));
    repository.setSymbolicRef(fullName(ALICE, "refs/heads/nowhere"), fullName(ALICE, "refs/heads/none"));
    set("refs/heads/zero", ZERO);
    const signed = await sign("2024");
    assert.equal(await namespace.text(signed), `${one} refs/heads/alias\n${one} refs/heads/master\n`);
  });

  it("signs nothing of other namespaces", async () => {
    repository.setRef(fullName(BOB, "refs/heads/master"), two);
    repository.setRef("refs/heads/master", two);
    assert.equal(await namespace.text(await sign("2024")), `${one} refs/heads/master\n`);
  });

  it("signs a namespace without references", async () => {
    repository.deleteRef(fullName(ALICE, "refs/heads/master"));
    assert.equal(await namespace.text(await sign("2024")), "");
    assert.deepEqual([
      ...(await new SigrefsReader(repository, createSigrefsCache(), new Task()).read(ALICE))!,
    ], []);
  });

  for (const generation of ["2024", "0.10", "newest"] as const) {
    it(`writes nothing when nothing has changed (${generation})`, async () => {
      for (const master of [one, two]) {
        set("refs/heads/master", master);
        const signed = await sign(generation);
        const readOnly = changed(repository, {
          writeObjects: () => assert.fail("objects written"),
          updateRef: () => assert.fail("reference changed"),
        });
        assert.equal(await sign(generation, readOnly, TIME_SECONDS + 1), signed);
      }
    });

    it(`writes what is read back as signed (${generation})`, async () => {
      for (const master of [one, two]) {
        set("refs/heads/master", master);
        await sign(generation);
        const refs = await new SigrefsReader(repository, createSigrefsCache(), new Task()).read(ALICE);
        assert.equal(refs?.get("refs/heads/master"), master);
      }
    });
  }
});
