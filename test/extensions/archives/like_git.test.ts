/** Archives, compared byte by byte with those of the real `git archive`, and zip with what it unpacks to. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { unzipSync } from "fflate";
import type { Oid } from "../../../src/ids/oid.ts";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { oidToBytes } from "../../../src/ids/oid.ts";
import { GitHome, type MadeRepository } from "../../support/git_home.ts";

const encoder = new TextEncoder();

/** A name in bytes that are not UTF-8. */
const LATIN1 = Uint8Array.of(0x63, 0x61, 0x66, 0xe9);

/** Times of commits: the first that a header cannot hold is in the year 2242. */
const TIMES = ["0", "1700000000", "8589934591", "8589934592", "9007199254740991"];

describe("an archive", () => {
  let home: GitHome;
  let made: MadeRepository;
  let blob: Oid;
  before(() => {
    home = new GitHome("archives-like-git");
    made = home.create("archives");
    blob = made.git.put("blob", "x\n");
  });
  after(() => home.remove());

  /** Puts a tree of entries in the order that is given, which git requires to be that of names. */
  function putTree(
    ...entries: readonly (readonly [mode: string, name: string | Uint8Array, oid: string])[]
  ): Oid {
    return made.git.put(
      "tree",
      joinBytes(entries.flatMap(([mode, name, oid]) => [
        encoder.encode(`${mode} `),
        typeof name === "string" ? encoder.encode(name) : name,
        Uint8Array.of(0),
        oidToBytes(oid as Oid),
      ])),
    );
  }

  async function compare(oid: Oid): Promise<void> {
    const ours = await home.get(`//raw/${made.rid}/${oid}.tar`);
    assert.equal(ours.status, 200, ours.text.slice(0, 200));
    const theirs = made.git.run(["archive", "--format=tar", `--prefix=archives-${oid}/`, oid]);
    assert.deepEqual(ours.bytes, new Uint8Array(theirs));
  }

  /** Names of the entries of a zip archive as bytes, in Latin-1, without the folder around all. */
  async function zipOf(oid: Oid) {
    const { status, bytes, text } = await home.get(`//raw/${made.rid}/${oid}.zip?prefix=false`);
    assert.equal(status, 200, text.slice(0, 200));
    return bytes;
  }

  for (const time of TIMES) {
    it(`of a commit of second ${time} equals git's`, async () => {
      const person = `Alice <alice@example.org> ${time} +0000`;
      const lines = [
        `tree ${made.tree(`100644 blob ${blob}\ta`)}`,
        `author ${person}`,
        `committer ${person}`,
      ];
      const commit = made.git.put("commit", `${lines.join("\n")}\n\nAt a time\n`);
      await compare(commit);
      assert.deepEqual(Object.keys(unzipSync(await zipOf(commit))), ["a"]);
    });
  }

  it("of all kinds of entries equals git's", async () => {
    const folder = putTree(["100644", "b", blob], ["100755", "c", blob]);
    const large = made.git.put("blob", "large\n".repeat(30_000));
    await compare(made.commit(putTree(
      ["100664", "a", blob],
      ["40000", "folder", folder],
      ["100755", "large", large],
      ["120000", "link", made.git.put("blob", "folder/b")],
      ["160000", "module", made.head],
    )));
  });

  it("of long names, folders and targets equals git's", async () => {
    for (const length of [80, 99, 100, 101, 154, 155, 156, 255, 256, 300, 1000]) {
      const name = "n".repeat(length);
      const folder = putTree(["100644", "f", blob], ["40000", name, putTree(["100644", name, blob])]);
      await compare(made.commit(putTree(
        ["40000", "d", folder],
        ["120000", "link", made.git.put("blob", `${name}é`)],
        ["100644", name, blob],
      )));
    }
  });

  it("keeps the bytes of targets and names, whatever they are", async () => {
    const link = made.git.put("blob", LATIN1);
    const longLink = made.git.put("blob", joinBytes([LATIN1, encoder.encode("x".repeat(200))]));
    const commit = made.commit(putTree(
      ["120000", "a", link],
      ["120000", "b", longLink],
      ["40000", LATIN1, putTree(["100644", LATIN1, blob])],
      ["100644", joinBytes([LATIN1, encoder.encode("n".repeat(200))]), blob],
      ["100644", "é", blob],
    ));
    await compare(commit);
    const unpacked = unzipSync(await zipOf(commit));
    assert.deepEqual(unpacked["a"], LATIN1);
    // fflate reads names without the flag of UTF-8 as Latin-1.
    assert.deepEqual(new TextDecoder().decode(unpacked["caf\u00e9/caf\u00e9"]), "x\n");
  });

  it("has every name that git takes with `core.protectNTFS` and `core.protectHFS`", async () => {
    const names = [
      "...",
      "....",
      ". ",
      ".. ",
      " ",
      "a\\b",
      "a\nb",
      "\x1b[31m",
      "\x85",
      "xy:z",
      "é:",
      "nul",
      "a.",
    ];
    for (const name of names) {
      made.git.run([
        ...["-c", "core.protectNTFS=true", "-c", "core.protectHFS=true", "update-index", "--add"],
        ...["--cacheinfo", `100644,${blob},${name}`],
      ]);
    }
    const tree = made.git.text(["write-tree"]) as Oid;
    await compare(made.commit(tree));
    assert.deepEqual(Object.keys(unzipSync(await zipOf(tree))).length, names.length);
  });
});
