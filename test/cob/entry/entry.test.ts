/** Commits and trees that are entries, and such that are none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isManifest, parseEntryCommit, parseEntryTree } from "../../../src/cob/entry/entry_commit.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { DamagedError } from "../../../src/errors.ts";
import { verifyEd25519 } from "../../../src/keys/ed25519.ts";
import { formatNid } from "../../../src/ids/nid.ts";
import { type Oid, oidToBytes } from "../../../src/ids/oid.ts";
import { createMemoryStorage } from "../../../src/storage/memory.ts";
import { type Folder, putTree } from "../../support/world.ts";
import { createWriter, putEntry, signatureLines } from "../entries.ts";
import { runSync } from "../../../src/scheduling/task.ts";

/** The issue that radicle-httpd's own tests open. */
const COMMIT = `tree d0df43cc117b1c21b744b2d4553d18612de46a35
parent 264a9cda82b66f746614d1a7ff76c53e72c6d2dc
author seed <seed@z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi> 1671125284 +0000
committer seed <seed@z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi> 1671125284 +0000
gpgsig -----BEGIN SSH SIGNATURE-----
 U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgdqFZIESm5PURJlvKc6YE2QsFKd
 HfYCvjChmpJXZg0fUAAAAHcmFkaWNsZQAAAAAAAAAGc2hhMjU2AAAAUwAAAAtzc2gtZWQy
 NTUxOQAAAEAqe3bIjTnWiBuLNwfs4TNLi972fODAbnaERg5lThAAHuJUVfJYs3zCTp+VBp
 mSJ6AGNiLI1gOXSigv0KTVy1IC
 -----END SSH SIGNATURE-----

Create issue

Rad-Resource: 264a9cda82b66f746614d1a7ff76c53e72c6d2dc
`;
const IDENTITY = "264a9cda82b66f746614d1a7ff76c53e72c6d2dc";
const A = "a".repeat(40) as Oid;
const B = "b".repeat(40) as Oid;
const C = "c".repeat(40) as Oid;

const encode = (text: string) => new TextEncoder().encode(text);
const alice = createWriter(1);
const bob = createWriter(2);
const other = signatureLines(bob.publicKey, bob.sign(new Uint8Array(20)));
const pgp = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";

describe("parseEntryCommit", () => {
  it("reads an entry of the real programs", async () => {
    const { publicKey, signature, ...commit } = parseEntryCommit(encode(COMMIT), RULES.newest);
    assert.deepEqual(commit, {
      tree: "d0df43cc117b1c21b744b2d4553d18612de46a35",
      parents: [],
      resource: IDENTITY,
      timeSeconds: 1671125284,
    });
    assert.equal(formatNid(publicKey), "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi");
    assert.ok(await verifyEd25519("both", { publicKey, message: oidToBytes(commit.tree), signature }));
  });

  it("makes the same entry bit for bit, as the writer of these tests", () => {
    const repository = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
    const id = putEntry(repository, {
      writer: createWriter(0xff),
      actions: [
        { type: "comment", body: "Change 'hello world' to 'hello everyone'" },
        { type: "assign", assignees: [] },
        { type: "edit", title: "Issue #1" },
        { type: "label", labels: [] },
      ],
      resource: IDENTITY as Oid,
    });
    const text = new TextDecoder().decode(repository.object(id)?.bytes);
    assert.equal(text.replace(/someone/g, "seed").replace("\nChange\n", "\nCreate issue\n"), COMMIT);
  });

  it("distinguishes parents, related commits and resource", () => {
    const repository = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
    const id = putEntry(repository, { writer: alice, actions: [1], parents: [A], related: [B], resource: C });
    const { parents, resource } = parseEntryCommit(repository.object(id)!.bytes, RULES.newest);
    assert.deepEqual({ parents, resource }, { parents: [A], resource: C });
  });

  const good: Record<string, string> = {
    "without trailers": COMMIT.replace(/\nRad-Resource.*\n/, ""),
    "with a trailer of another name that holds an id": COMMIT.replace(
      /(Rad-Resource)/,
      `Reviewed-by: ${A}\n$1`,
    ),
    "with a PGP signature besides": COMMIT.replace("gpgsig", `${pgp}gpgsig`),
    "with two signatures by one key": COMMIT.replace(/(gpgsig[^]*END SSH SIGNATURE-----\n)/, "$1$1"),
    "with further headers": COMMIT.replace("gpgsig", "encoding x\nmergetag a\n b\ngpgsig"),
  };
  for (const [what, text] of Object.entries(good)) {
    it(`reads one ${what}`, () => {
      assert.ok(parseEntryCommit(encode(text), RULES.newest));
    });
  }

  const bad: Record<string, string> = {
    "without a signature": COMMIT.replace(/gpgsig[^]*END SSH SIGNATURE-----\n/, ""),
    "with a PGP signature alone": COMMIT.replace(/gpgsig[^]*END SSH SIGNATURE-----\n/, pgp),
    "with signatures by two keys": COMMIT.replace("gpgsig", `${other}gpgsig`),
    "with a broken signature besides": COMMIT.replace(
      "gpgsig",
      "gpgsig -----BEGIN SSH SIGNATURE-----\n x\ngpgsig",
    ),
    "with two resources": `${COMMIT}Rad-Resource: ${A}\n`,
    "with a trailer that is no id": `${COMMIT}Signed-off-by: Alice\n`,
    "with an empty trailer": `${COMMIT}Rad-Related:\n`,
    "with a trailer that is too long": `${COMMIT}Rad-Related: ${A}0\n`,
    "without a message": COMMIT.replace(/\n\n[^]*/, "\n"),
    "without a tree": COMMIT.replace(/^tree .*\n/, ""),
    "without a committer": COMMIT.replace(/committer .*\n/, ""),
    "that is too large": COMMIT + "x".repeat(2 ** 20),
  };
  for (const [what, text] of Object.entries(bad)) {
    it(`refuses one ${what}`, () => {
      assert.throws(() => parseEntryCommit(encode(text), RULES.newest), DamagedError);
    });
  }

  it("refuses one that is not UTF-8", () => {
    assert.throws(() => parseEntryCommit(Uint8Array.of(...encode(COMMIT), 0xff), RULES.newest), DamagedError);
  });

  it("refuses trailers named like members of every object", () => {
    assert.throws(
      () => parseEntryCommit(encode(`${COMMIT}constructor: no id\n`), RULES.newest),
      DamagedError,
    );
    assert.ok(parseEntryCommit(encode(`${COMMIT}constructor: ${A}\n`), RULES.newest));
  });
});

describe("parseEntryTree", () => {
  const names = (folder: Folder) => {
    const repository = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
    const tree = parseEntryTree(repository.object(putTree(repository, folder))!.bytes);
    return tree.actions.map((oid) => new TextDecoder().decode(repository.object(oid)!.bytes));
  };

  it("orders actions by their numbers, which have eight bits", () => {
    assert.deepEqual(
      names({ manifest: "m", 10: "10", 2: "2", 0: "0", 127: "127", 128: "no", "-1": "-1", "-129": "no" }),
      ["-1", "0", "2", "10", "127"],
    );
  });

  it("passes over what is no action", () => {
    assert.deepEqual(
      names({ manifest: "m", 0: "0", "1x": "no", 3: { a: "b" }, embeds: { 1: "no" } }),
      ["0"],
    );
  });

  it("reads numbers as the real programs do: with zeros, with a sign, the last of equal ones", () => {
    assert.deepEqual(names({ manifest: "m", "+1": "plus", "01": "zero", 1: "one" }), ["one"]);
  });

  it("refuses a tree without manifest, or without action", () => {
    assert.throws(() => names({ 0: "0" }), DamagedError);
    assert.throws(() => names({ manifest: "m" }), DamagedError);
  });

  it("refuses a tree that is too large", () => {
    assert.throws(() => parseEntryTree(new Uint8Array(2 ** 20)), DamagedError);
  });
});

describe("isManifest", () => {
  for (
    const text of [
      '{"typeName":"x","version":1}',
      '{"typename":"x"}',
      '{"typeName":"","version":99,"more":[]}',
      ' {"typeName":"x"}\n',
    ]
  ) {
    it(`takes ${text.trim()}`, () => assert.ok(runSync(isManifest(encode(text)))));
  }
  for (
    const text of [
      "",
      "{}",
      "[]",
      "null",
      '{"typeName":1}',
      '{"typeName":"x","version":0}',
      '{"typeName":"x","version":1.5}',
      '{"typeName":"x","version":"1"}',
    ]
  ) {
    it(`refuses ${text || "nothing"}`, () => assert.ok(!runSync(isManifest(encode(text)))));
  }
});
