/** Identity documents of every generation, signatures over references. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base16 } from "@scure/base";
import { DamagedError } from "../../src/errors.ts";
import { parseDoc } from "../../src/identity/doc.ts";
import { verifyEd25519 } from "../../src/identity/ed25519.ts";
import { createSigrefsCache, formatSigrefs, parseSigrefs, readSigrefs } from "../../src/identity/sigrefs.ts";
import { nidToPublicKey, parseNid } from "../../src/ids/nid.ts";
import { parseOid } from "../../src/ids/oid.ts";
import { ALICE, ALICE_SEED, BOB, createWorld, publish, putCommit } from "../support/world.ts";

const DID = `did:key:${ALICE}`;
const PROJECT = { name: "n", description: "", defaultBranch: "main" };
const parse = (doc: unknown) =>
  parseDoc(new TextEncoder().encode(typeof doc === "string" ? doc : JSON.stringify(doc)));
const good = { delegates: [DID], payload: { "xyz.radicle.project": PROJECT }, threshold: 1 };

describe("parseDoc", () => {
  it("reads a document, whatever else it holds", () => {
    assert.deepEqual(parse({ ...good, extra: 1, version: 1, payload: { ...good.payload, other: [1.5] } }), {
      delegates: [DID],
      threshold: 1,
      visibility: { type: "public" },
      project: PROJECT,
    });
  });

  it("keeps repeated delegates, and counts them once", () => {
    assert.deepEqual(parse({ ...good, delegates: [DID, DID] }).delegates, [DID, DID]);
    assert.throws(() => parse({ ...good, delegates: [DID, DID], threshold: 2 }), DamagedError);
  });

  it("reads readers of a private repository", () => {
    assert.deepEqual(parse({ ...good, visibility: { type: "private" } }).visibility, { type: "private" });
    assert.deepEqual(parse({ ...good, visibility: { type: "private", allow: [] } }).visibility, {
      type: "private",
    });
    assert.deepEqual(parse({ ...good, visibility: { type: "private", allow: [DID] } }).visibility, {
      type: "private",
      allow: [DID],
    });
  });

  for (
    const project of [undefined, null, {}, { ...PROJECT, name: "" }, { ...PROJECT, name: "ü".repeat(128) }, {
      ...PROJECT,
      defaultBranch: "a..b",
    }, { ...PROJECT, description: 1 }]
  ) {
    it(`has no project where the payload is ${JSON.stringify(project)?.slice(0, 40)}`, () => {
      assert.equal(parse({ ...good, payload: { "xyz.radicle.project": project } }).project, undefined);
    });
  }

  const bad: Record<string, unknown> = {
    "no JSON": "{",
    "a list": [],
    "no delegates": { ...good, delegates: [] },
    "too many delegates": { ...good, delegates: Array(256).fill(DID) },
    "a delegate that is none": { ...good, delegates: ["did:key:x"] },
    "threshold 0": { ...good, threshold: 0 },
    "threshold above the delegates": { ...good, threshold: 2 },
    "a broken threshold": { ...good, threshold: 1.5 },
    "another version": { ...good, version: 2 },
    "no payload": { ...good, payload: undefined },
    "another visibility": { ...good, visibility: { type: "hidden" } },
  };
  for (const [name, doc] of Object.entries(bad)) {
    it(`refuses ${name}`, () => assert.throws(() => parse(doc), DamagedError));
  }
});

describe("verifyEd25519", () => {
  // The signature of a document that the real programs made.
  const key = nidToPublicKey(parseNid("z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi"));
  const message = new Uint8Array(base16.decode("D96F425412C9F8AD5D9A9A05C9831D0728E2338D"));
  const signature = new Uint8Array(
    base16.decode(
      "EF1C17CF244E1FF39A0A1FDBA08DCE9DD160EF98DC1C08D09AF6040B61A279CD131BF28493BFA3BED2A8C93B58EB46F2B67CDD4EE1AF13A329DF2E7B5947C20E",
    ),
  );

  it("takes a right signature and nothing else", async () => {
    assert.ok(await verifyEd25519(key, message, signature));
    assert.ok(!await verifyEd25519(key, message.with(0, 0), signature));
    assert.ok(!await verifyEd25519(key, message, signature.with(0, 0)));
    assert.ok(!await verifyEd25519(nidToPublicKey(BOB), message, signature));
    assert.ok(!await verifyEd25519(key, message, signature.slice(1)));
  });
});

describe("signed references", () => {
  const [a, b] = [parseOid("a".repeat(40)), parseOid("b".repeat(40))];

  it("are written in the order of their names' bytes", () => {
    assert.equal(
      formatSigrefs([["refs/heads/b", b], ["refs/heads/a", a]]),
      `${a} refs/heads/a\n${b} refs/heads/b\n`,
    );
    assert.equal(formatSigrefs([]), "");
  });

  it("are read with either line end, later lines replacing earlier ones, zero ids dropped", () => {
    const text = `${b} refs/heads/x\r\n${a} refs/heads/x\n${"0".repeat(40)} refs/heads/gone\n`;
    assert.deepEqual([...parseSigrefs(text)], [["refs/heads/x", a]]);
  });

  for (const line of ["x refs/heads/a", `${a}refs/heads/a`, `${a} refs/heads/a b`, `${a} ../../x`, `${a} `]) {
    it(`refuse the line "${line.slice(0, 20)}"`, () => assert.throws(() => parseSigrefs(line), DamagedError));
  }

  it("of another repository's identity are refused", async () => {
    const world = createWorld();
    const root = putCommit(world.hello, { folder: { embeds: { "radicle.json": "{}" } }, message: "Root\n" });
    publish(world.hello, ALICE_SEED, {}, { "refs/rad/root": root });
    await assert.rejects(readSigrefs(world.hello, ALICE, createSigrefsCache()), DamagedError);
  });
});
