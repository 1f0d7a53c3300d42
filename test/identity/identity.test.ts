/** Identity documents of every generation, signatures over references. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base16 } from "@scure/base";
import { DamagedError } from "../../src/errors.ts";
import { parseDoc } from "../../src/identity/doc.ts";
import { MAX_DOC_BYTES, MAX_DOC_VALUES } from "../../src/identity/doc_json.ts";
import { readDocAt } from "../../src/identity/identity.ts";
import { verifyEd25519 } from "../../src/keys/ed25519.ts";
import { createSigrefsCache, SigrefsReader } from "../../src/identity/sigrefs.ts";
import { SIGREFS_RULES } from "../../src/identity/sigrefs_rules.ts";
import { formatSigrefs, parseSigrefs } from "../../src/identity/sigrefs_text.ts";
import { nidToPublicKey, parseNid } from "../../src/ids/nid.ts";
import { parseOid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { Task } from "../../src/scheduling/task.ts";
import { compareUtf8 } from "../../src/text/utf8.ts";
import {
  ALICE,
  ALICE_SEED,
  BOB,
  BOB_SEED,
  createWorld,
  publish,
  putCommit,
  putTree,
} from "../support/world.ts";

const DID = `did:key:${ALICE}`;
const PROJECT = { name: "n", description: "", defaultBranch: "main" };
const parse = (doc: unknown) =>
  parseDoc(new TextEncoder().encode(typeof doc === "string" ? doc : JSON.stringify(doc)));
/** The generations that accept a document. */
const readers = (doc: unknown) => {
  try {
    const { readings } = parse(doc);
    return (["0.10", "1.1", "2024", "newest"] as const).filter((generation) =>
      readings[generation] !== undefined
    );
  } catch (error) {
    assert.ok(error instanceof DamagedError);
    return [];
  }
};
const good = { delegates: [DID], payload: { "xyz.radicle.project": PROJECT }, threshold: 1 };

describe("parseDoc", () => {
  it("reads a document, whatever else it holds", () => {
    const { readings, ...doc } = parse({
      ...good,
      extra: 1,
      version: 1,
      payload: { ...good.payload, other: [1.5] },
    });
    assert.deepEqual(doc, {
      delegates: [DID],
      threshold: 1,
      visibility: { type: "public" },
      project: PROJECT,
      // As JSON, in order of their ids.
      payloads: new Map([
        ["other", "[1.5]"],
        ["xyz.radicle.project", '{"defaultBranch":"main","description":"","name":"n"}'],
      ]),
    });
    const early = { delegates: [DID], defaultBranch: "refs/heads/main", canonicalRefs: undefined };
    const rules = [{ pattern: "refs/heads/main", allowed: [DID], threshold: 1 }];
    assert.deepEqual(readings, {
      newest: { ...early, canonicalRefs: { head: "refs/heads/main", rules } },
      "1.1": early,
      "0.10": early,
      "2024": early,
    });
  });

  it("skips unknown members, whatever they contain, as serde_json does", () => {
    const all = ["0.10", "1.1", "2024", "newest"];
    const early = ["0.10", "2024"];
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    const cases: [members: string, generations: string[]][] = [
      ['"x":"\\ud800"', all],
      ['"x":{"\\ud800":[1e999,1e999]}', all],
      [`"x":${deep(500)}`, all],
      ['"\\ud800":1', []],
      ['"x":tru', []],
      ['"version":1e999', early],
      [`"version":${deep(500)}`, early],
      ['"visibility":{"type":"public","x":"\\ud800"}', []],
      [`"visibility":{"type":"public","x":${deep(125)}}`, all],
      [`"visibility":{"type":"public","x":${deep(126)}}`, []],
    ];
    for (const [members, generations] of cases) {
      assert.deepEqual(
        readers(`${JSON.stringify(good).slice(0, -1)},${members}}`),
        generations,
        members.slice(0, 60),
      );
    }
    const twice = JSON.stringify(good).replace('"n"', '"\\ud800","name":"n"');
    assert.deepEqual(readers(twice), []);
  });

  it("keeps repeated delegates, and counts them once", () => {
    assert.deepEqual(parse({ ...good, delegates: [DID, DID] }).delegates, [DID, DID]);
    assert.deepEqual(readers({ ...good, delegates: [DID, DID], threshold: 2 }), ["0.10", "2024"]);
    assert.deepEqual(readers({ ...good, delegates: Array(256).fill(DID) }), ["1.1", "newest"]);
  });

  it("knows which programs ignore the version", () => {
    for (const version of [0, 2, null, "1", [1]]) {
      assert.deepEqual(readers({ ...good, version }), ["0.10", "2024"]);
    }
  });

  // As serde derives it: a structure may be spelled as an array of its members; a known member must not be there twice.
  it("reads documents that are spelled as the real programs read them", () => {
    const { payload, delegates, threshold } = good;
    assert.deepEqual(readers([1, payload, delegates, threshold]), ["1.1", "newest"]);
    assert.deepEqual(readers([payload, delegates, threshold, ["private", [DID]]]), ["0.10", "2024"]);
    assert.deepEqual(readers([1, payload, delegates, threshold, ["public"]]), ["1.1", "newest"]);
    const text = JSON.stringify(good);
    assert.deepEqual(readers(text.replace("{", '{"threshold":1,')), []);
    assert.deepEqual(readers(text.replace("{", '{"version":1,"version":2,')), ["0.10", "2024"]);
    assert.deepEqual(readers(text.replace("{", '{"other":1,"other":2,')), ["0.10", "1.1", "2024", "newest"]);
    assert.deepEqual(readers(text.replace('"threshold":1', '"threshold":1.0')), []);
    assert.deepEqual(readers(text.replace('"threshold":1', '"threshold":1e0')), []);
    const hidden = '{"visibility":{"type":"private"},"visibility":{"type":"public"},';
    assert.deepEqual(readers(text.replace("{", hidden)), []);
    assert.deepEqual(readers(text.replace("{", '{"visibility":{"type":"private","type":"public"},')), []);
    assert.deepEqual(readers({ ...good, visibility: ["public", []] }), []);
    assert.deepEqual(readers(text.replace('"description":""', '"description":"\\ud800"')), []);
  });

  it("takes the last of equal payloads", () => {
    const twice = (first: string, second: string) =>
      parse(JSON.stringify(good).replace(/"payload":.*?}}/, `"payload":{${first},${second}}`)).project?.name;
    const of = (name: string) => `"xyz.radicle.project":${JSON.stringify({ ...PROJECT, name })}`;
    assert.equal(twice(of("a"), of("b")), "b");
    assert.equal(twice(of("b"), '"xyz.radicle.project":1'), undefined);
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
    "a delegate that is none": { ...good, delegates: ["did:key:x"] },
    "threshold 0": { ...good, threshold: 0 },
    "threshold above the delegates": { ...good, threshold: 2 },
    "a broken threshold": { ...good, threshold: 1.5 },
    "no payload": { ...good, payload: undefined },
    "another visibility": { ...good, visibility: { type: "hidden" } },
  };
  it("reads documents up to its limits", () => {
    const empty = JSON.stringify({ ...good, more: "" }).length;
    const long = (length: number) => ({ ...good, more: "x".repeat(length) });
    assert.ok(parse(long(MAX_DOC_BYTES - empty)));
    assert.throws(() => parse(long(MAX_DOC_BYTES - empty + 1)), DamagedError);
    const many = (count: number) => ({ ...good, more: Array(count).fill(1) });
    assert.ok(parse(many(MAX_DOC_VALUES - 20)));
    assert.throws(() => parse(many(MAX_DOC_VALUES)), DamagedError);
    const deep = (levels: number) =>
      JSON.stringify(good).replace(
        '"payload":{',
        `"payload":{"more":${"[".repeat(levels)}${"]".repeat(levels)},`,
      );
    assert.ok(parse(deep(125)));
    assert.throws(() => parse(deep(126)), DamagedError);
  });

  for (const [name, doc] of Object.entries(bad)) {
    it(`refuses ${name}`, () => assert.throws(() => parse(doc), DamagedError));
  }
});

describe("readDocAt", () => {
  const doc = JSON.stringify(good);
  const people = "author a <b> 1 +0000\ncommitter a <b> 1 +0000\n";
  const read = (header: (tree: string) => string) => {
    const { hello } = createWorld();
    const tree = putTree(hello, { embeds: { "radicle.json": doc } });
    return readDocAt(hello, hello.put("commit", new TextEncoder().encode(header(tree))));
  };

  // As libgit2 reads commits: what it takes for none holds no document for the real programs.
  it("reads commits as git does", async () => {
    for (
      const header of [
        (tree: string) => `tree ${tree}\n${people}\nx\n`,
        (tree: string) => `tree ${tree.toUpperCase()}\n${people}`,
        (tree: string) => `tree ${tree}\nauthor a <b>\n${people}`,
      ]
    ) {
      assert.deepEqual((await read(header)).delegates, [DID]);
    }
    for (
      const header of [
        (tree: string) => `tree ${tree}\ncommitter a <b> 1 +0000\n\nx\n`,
        (tree: string) => `tree ${tree}\nauthor a\ncommitter a <b> 1 +0000\n\nx\n`,
        (tree: string) => `tree ${tree}\nauthor a <b> x\ncommitter a <b> 1 +0000\n\nx\n`,
        (tree: string) => `tree ${tree}\n${people.trimEnd()}`,
      ]
    ) {
      await assert.rejects(read(header), DamagedError);
    }
  });

  it("refuses a folder beyond its limit", async () => {
    const { hello } = createWorld();
    const folder = Object.fromEntries(
      Array.from({ length: 2 ** 15 }, (_, i) => [`${i}`, "x"]),
    );
    const commit = putCommit(hello, { folder: { ...folder, embeds: { "radicle.json": doc } }, message: "x" });
    await assert.rejects(readDocAt(hello, commit), DamagedError);
  });
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
    const right = { publicKey: key, message, signature };
    const verifies = (change: Partial<typeof right>) => verifyEd25519("both", { ...right, ...change });
    assert.ok(await verifies({}));
    assert.ok(!await verifies({ message: message.with(0, 0) }));
    assert.ok(!await verifies({ signature: signature.with(0, 0) }));
    assert.ok(!await verifies({ publicKey: nidToPublicKey(BOB) }));
    assert.ok(!await verifies({ signature: signature.slice(1) }));
  });
});

/** The references of a text, as the newest programs read it. */
const refsOf = async (text: string) =>
  (await parseSigrefs(new TextEncoder().encode(text), SIGREFS_RULES.newest, new Task())).refs;

describe("signed references", () => {
  const [a, b] = [parseOid("a".repeat(40)), parseOid("b".repeat(40))];

  it("are written in the order of their names' bytes", () => {
    assert.equal(
      formatSigrefs([["refs/heads/b", b], ["refs/heads/a", a]]),
      `${a} refs/heads/a\n${b} refs/heads/b\n`,
    );
    assert.equal(formatSigrefs([]), "");
  });

  it("are read with either line end, later lines replacing earlier ones, zero ids dropped", async () => {
    const text = `${b} refs/heads/x\r\n${a} refs/heads/x\n${"0".repeat(40)} refs/heads/gone\n`;
    assert.deepEqual([...await refsOf(text)], [["refs/heads/x", a]]);
  });

  it("are in the order of their names, however many were unordered", async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `refs/heads/${(i * 7919) % 20_000}`);
    const text = names.map((name) => `${a} ${name}\n`).join("");
    assert.deepEqual([...(await refsOf(text)).keys()], names.toSorted(compareUtf8));
  });

  it("that are wrong are remembered as such", async () => {
    const { hello } = createWorld();
    let reads = 0;
    const counted: Repository = { ...hello, object: (oid) => (reads++, hello.object(oid)) };
    publish(hello, BOB_SEED, {});
    hello.setRef(
      `refs/namespaces/${ALICE}/refs/rad/sigrefs`,
      hello.ref(`refs/namespaces/${BOB}/refs/rad/sigrefs`)!.oid!,
    );
    const cache = createSigrefsCache();
    await assert.rejects(new SigrefsReader(counted, cache, new Task()).read(ALICE), DamagedError);
    reads = 0;
    await assert.rejects(new SigrefsReader(counted, cache, new Task()).read(ALICE), DamagedError);
    assert.equal(reads, 0);
  });

  for (const line of ["x refs/heads/a", `${a}refs/heads/a`, `${a} refs/heads/a b`, `${a} ../../x`, `${a} `]) {
    it(`refuse the line "${line.slice(0, 20)}"`, () => assert.rejects(refsOf(line), DamagedError));
  }

  it("of another repository's identity are refused", async () => {
    const world = createWorld();
    const root = putCommit(world.hello, { folder: { embeds: { "radicle.json": "{}" } }, message: "Root\n" });
    publish(world.hello, ALICE_SEED, {}, { "refs/rad/root": root });
    await assert.rejects(
      new SigrefsReader(world.hello, createSigrefsCache(), new Task()).read(ALICE),
      DamagedError,
    );
  });
});
