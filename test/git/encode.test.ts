/** Encoding of trees and commits, and the queue of changes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCommit } from "../support/commits.ts";
import { encodeCommit, encodeTree, hashObject, isEntryName, ObjectBatch } from "../../src/git/encode.ts";
import { MODE, parseTree, type TreeEntry } from "../../src/git/tree.ts";
import type { Oid } from "../../src/ids/oid.ts";

const OID = "ce013625030ba8dba906f756967f9e9ca394464a" as Oid;
const encoder = new TextEncoder();
const entry = (name: string, mode: number = MODE.blob): TreeEntry => ({
  mode,
  name: encoder.encode(name),
  oid: OID,
});
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const namesOf = (tree: Uint8Array) => parseTree(tree).map(({ name }) => textOf(name));

describe("a tree", () => {
  it("is encoded as git encodes it", () => {
    assert.equal(hashObject("tree", encodeTree([])), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    assert.equal(
      hashObject("tree", encodeTree([entry("hello")])),
      "b4d01e9b0c4a9356736dfddf8830ba9a54f5271c",
    );
  });

  it("is sorted by bytes, folders as if their names ended in a slash", () => {
    const sorted = [
      entry("a"),
      entry("a-"),
      entry("a.b"),
      entry("a0"),
      entry("b-"),
      entry("b.c"),
      entry("b", MODE.tree),
      entry("b0"),
      entry("ｚ"),
      entry("😀"),
    ];
    assert.deepEqual(namesOf(encodeTree([...sorted].reverse())), sorted.map(({ name }) => textOf(name)));
  });

  it("is read back with the modes that git knows", () => {
    const entries = Object.values(MODE).map((mode, i) => entry(`${i}`, mode));
    assert.deepEqual(parseTree(encodeTree(entries)).map(({ mode }) => mode), Object.values(MODE));
  });

  it("refuses names that git refuses", () => {
    const refused = [
      "",
      ".",
      "..",
      ".git",
      ".GIT",
      ".Git",
      "a/b",
      "/",
      "a\0",
      "git~1",
      "GIT~1",
      ".git ",
      ".git.",
      ".git . .",
    ];
    for (const name of [...refused, ".git::$INDEX", "a\\.git", ".git\\x", ".g\u200cit", "\ufeff.git"]) {
      assert.equal(isEntryName(encoder.encode(name)), false, name);
      assert.throws(() => encodeTree([entry(name)]), TypeError, name);
    }
  });

  it("takes every other name", () => {
    for (
      const name of [
        "...",
        ".gitignore",
        ".gitx",
        "git",
        "git~2",
        "a b",
        "ä",
        "x.git",
        "-",
        "a\\b",
        " .git",
        "\n",
      ]
    ) {
      assert.equal(isEntryName(encoder.encode(name)), true, name);
    }
    assert.equal(isEntryName(Uint8Array.of(0xff, 0xfe)), true);
  });

  it("refuses a name that occurs twice, if only as file and folder", () => {
    assert.throws(() => encodeTree([entry("a"), entry("a")]), TypeError);
    assert.throws(() => encodeTree([entry("a"), entry("a.b"), entry("a", MODE.tree)]), TypeError);
  });

  it("refuses modes that git does not write", () => {
    for (const mode of [0, 0o644, 0o100664, 0o100777, 1.5, Number.NaN]) {
      assert.throws(() => encodeTree([entry("a", mode)]), TypeError);
    }
  });
});

describe("a commit", () => {
  const draft = {
    tree: "fc8a67224be6088f6ace394748c6320934c946b5" as Oid,
    parents: [],
    author: { name: "alice", email: "alice@z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi" },
    timeSeconds: 1671125284,
    message: "Initialize identity",
  };
  const signature = `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgdqFZIESm5PURJlvKc6YE2QsFKd
HfYCvjChmpJXZg0fUAAAAHcmFkaWNsZQAAAAAAAAAGc2hhMjU2AAAAUwAAAAtzc2gtZWQy
NTUxOQAAAEDZoOiyx2GaJXNivzp6OB8S8GQ/7MFekBQ38dwzcLGcjxhXHONCj+/Cn1orQH
Ol6h+vzae60aOExB0IymepvuYJ
-----END SSH SIGNATURE-----
`;

  it("with a signature is what the real programs write", () => {
    const bytes = encodeCommit({ ...draft, signature });
    assert.equal(hashObject("commit", bytes), "0656c217f917c3e06234771e9ecae53aba5e173e");
  });

  it("with trailers and parents is what the real programs write", () => {
    const identity = "264a9cda82b66f746614d1a7ff76c53e72c6d2dc" as Oid;
    const bytes = encodeCommit({
      tree: "d0df43cc117b1c21b744b2d4553d18612de46a35" as Oid,
      parents: [identity],
      author: { name: "seed", email: "seed@z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi" },
      timeSeconds: 1671125284,
      signature: `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgdqFZIESm5PURJlvKc6YE2QsFKd
HfYCvjChmpJXZg0fUAAAAHcmFkaWNsZQAAAAAAAAAGc2hhMjU2AAAAUwAAAAtzc2gtZWQy
NTUxOQAAAEAqe3bIjTnWiBuLNwfs4TNLi972fODAbnaERg5lThAAHuJUVfJYs3zCTp+VBp
mSJ6AGNiLI1gOXSigv0KTVy1IC
-----END SSH SIGNATURE-----`,
      message: "Create issue",
      trailers: [{ token: "Rad-Resource", value: identity }],
    });
    assert.equal(hashObject("commit", bytes), "45d118885b6b06360ee539573f5ceb24be2979f8");
  });

  it("keeps parents and trailers in the order given", () => {
    const [a, b] = ["a".repeat(40) as Oid, "b".repeat(40) as Oid];
    const trailers = [{ token: "B", value: "1" }, { token: "A", value: "2" }];
    const bytes = encodeCommit({ ...draft, parents: [b, a], trailers });
    assert.deepEqual(parseCommit(bytes).parents, [b, a]);
    assert.match(textOf(bytes), /\n\nInitialize identity\n\nB: 1\nA: 2\n$/);
  });

  it("has its message trimmed and ended by a line feed", () => {
    assert.match(
      textOf(encodeCommit({ ...draft, message: "\n  One\n\nTwo \n\n" })),
      /\+0000\n\nOne\n\nTwo\n$/,
    );
    // White space as Rust has it: U+0085 is one, U+FEFF is none.
    assert.match(
      textOf(encodeCommit({ ...draft, message: "\u0085\u2003\ufeffOne\ufeff\u00a0\u0085" })),
      /\+0000\n\n\ufeffOne\ufeff\n$/,
    );
    assert.match(textOf(encodeCommit({ ...draft, message: "" })), /\+0000\n\n\n$/);
  });

  it("has another zone when one is given", () => {
    assert.match(textOf(encodeCommit({ ...draft, zone: "-0330" })), / 1671125284 -0330\ncommitter /);
  });

  it("refuses what would be read back as something else", () => {
    const wrong: Partial<Parameters<typeof encodeCommit>[0]>[] = [
      { author: { name: "a\nparent b", email: "e" } },
      { author: { name: "a <b>", email: "e" } },
      { author: { name: "a", email: "e>" } },
      { author: { name: "a\0", email: "e" } },
      { message: "a\0b" },
      { signature: "a\0b" },
      { trailers: [{ token: "A", value: "b\nc" }] },
      { trailers: [{ token: "A\n", value: "b" }] },
      { timeSeconds: 1.5 },
      { timeSeconds: Number.NaN },
      { zone: "UTC" },
      { zone: "+0000\n" },
    ];
    for (const part of wrong) assert.throws(() => encodeCommit({ ...draft, ...part }), TypeError);
  });
});

describe("a batch of objects", () => {
  it("knows the ids that they will have", () => {
    const batch = new ObjectBatch();
    const bytes = encoder.encode("hello\n");
    assert.equal(batch.add("blob", bytes), OID);
    assert.deepEqual(batch.objects, [{ kind: "blob", bytes }]);
  });
});
