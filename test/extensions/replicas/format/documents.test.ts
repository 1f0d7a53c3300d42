/** Manifest, catalogue, description of the node, references and keys: the same again, or a refusal. */
import assert from "node:assert/strict";
import { runSync } from "../../../../src/scheduling/task.ts";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { DamagedError } from "../../../../src/errors.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { didOfNid, formatNid, type NodeId } from "../../../../src/ids/nid.ts";
import { formatRid, ridToOid, sortRids } from "../../../../src/ids/rid.ts";
import type { Ref } from "../../../../src/ports/storage.ts";
import { isBucketKey } from "../../../../extensions/replicas/bucket/key.ts";
import {
  CATALOGUE,
  CATALOGUE_ROWS,
  encodeCataloguePages,
  mayHaveDelegate,
} from "../../../../extensions/replicas/format/catalogue.ts";
import { encodeNodeSnapshot } from "../../../../extensions/replicas/format/node_snapshot.ts";
import {
  CATALOGUE_KEY,
  contentKey,
  gitFileKey,
  manifestKey,
  NODE_KEY,
  nodeSnapshotKey,
  packKey,
  parseKey,
  RECENT_KEY,
  repositoryPrefix,
  sha256Of,
} from "../../../../extensions/replicas/format/keys.ts";
import {
  type Manifest,
  manifestOf,
  PUBLISHED_FORMAT,
} from "../../../../extensions/replicas/format/manifest.ts";
import {
  FACTS,
  NODE,
  type NodeDescription,
} from "../../../../extensions/replicas/format/node_description.ts";
import {
  decodeReferences,
  digestOfReferences,
  encodeReferences,
} from "../../../../extensions/replicas/format/references.ts";
import {
  MAX_RECENT_CHANGES,
  RECENT,
  type RecentChange,
  type RecentChanges,
} from "../../../../extensions/replicas/format/recent_changes.ts";
import { decodePage, pageOf, type TablePage } from "../../../../extensions/replicas/format/paged_table.ts";
import { encodeSealed } from "../../../../extensions/replicas/format/sealed_json.ts";
import { inlineOf } from "../../../../extensions/replicas/format/derived.ts";
import { offsetTableBytes } from "../../../../extensions/replicas/format/offset_table.ts";
import { createUnpack } from "../../../../src/git/unpack.ts";
import { assertRefusesDamage } from "./fuzz.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const OTHER_RID = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
const NID = "z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi";
const OID = "ce013625030ba8dba906f756967f9e9ca394464a" as Oid;
const HASH = "5".repeat(64);
const DIGEST = "d".repeat(32);

const pack = {
  name: OID,
  bytes: 5000,
  idxBytes: 1500,
  objects: 12,
  madeAtMs: 1_700_000_000_000,
  offsets: { sha256: HASH },
  tips: { sha256: HASH, bytes: 40 },
  firstBlocks: [0],
} as const;
const smallPack = {
  ...pack,
  name: "d".repeat(40) as Oid,
  offsets: { inline: inlineOf(new Uint8Array(offsetTableBytes(pack.bytes, pack.objects))) },
  tips: null,
};
const manifest: Manifest = {
  format: PUBLISHED_FORMAT,
  rid: RID,
  stateNumber: 7,
  referencesDigest: DIGEST,
  publishedAtMs: 1_700_000_000_000,
  references: `@refs/heads/main HEAD\n${OID} refs/heads/main\n`,
  packs: [smallPack, pack],
  graph: { name: OID, bytes: 1500, details: { sha256: HASH, bytes: 300 } },
  derived: {
    names: [{ name: "issues-newest", digest: HASH }],
    files: [{ digest: HASH, bytes: 20 }, { digest: "6".repeat(64), bytes: 3, inline: "AAEC" }],
  },
  listing: null,
};

const node: NodeDescription = {
  format: PUBLISHED_FORMAT,
  publishedAtMs: 1_700_000_000_000,
  nodeId: NID,
  alias: "alice",
  state: "running",
  agent: "/radicle:1.5.0/",
  config: { node: { policy: "block", scope: "all" }, web: { description: "A node" } },
  pinned: [OTHER_RID, RID],
  policies: [{ rid: RID, scope: "followed", policy: "allow" }],
  aliases: { rows: [[NID, "alice"]] },
  seedCounts: { rows: [[RID, 12]] },
  inventories: { pages: [{ first: NID, sha256: HASH, bytes: 100, rawBytes: 200 }] },
};

describe("a manifest", () => {
  it("is decoded as it was encoded", () => {
    assert.deepEqual(manifestOf(RID).decode(manifestOf(RID).encode(manifest)), manifest);
    const file = { sha256: HASH, bytes: 10, rawBytes: 100 };
    const other = { ...manifest, references: file };
    assert.deepEqual(manifestOf(RID).decode(manifestOf(RID).encode(other)), other);
  });

  it("is refused when damaged, each flipped bit and each cut", () => {
    assertRefusesDamage(manifestOf(RID).encode(manifest), 100, (bytes) => void manifestOf(RID).decode(bytes));
  });

  it("is refused as the manifest of another repository", () => {
    assert.throws(() => manifestOf(OTHER_RID).decode(manifestOf(RID).encode(manifest)), DamagedError);
  });

  it("is refused with unknown versions, unknown members and numbers out of bounds", () => {
    const wrong = [
      { format: PUBLISHED_FORMAT - 1 },
      { format: PUBLISHED_FORMAT + 1 },
      { more: 1 },
      { stateNumber: 0 },
      { stateNumber: 1.5 },
      { stateNumber: 2 ** 53 },
      { referencesDigest: "D".repeat(32) },
      { references: "x".repeat(2 ** 16 + 1) },
      { packs: Array(100_000).fill(pack) },
      { packs: [pack, pack] },
      { packs: [{ ...pack, kind: "other" }] },
      { packs: [{ ...pack, name: "../../x" }] },
      { packs: [{ ...pack, bytes: 31 }] },
      { packs: [{ ...pack, bytes: 2 ** 32 }] },
      { packs: [{ ...pack, bytes: -1 }] },
      { packs: [{ ...pack, objects: 0 }] },
      { packs: [{ ...pack, firstBlocks: [1] }] },
      { packs: [{ ...pack, firstBlocks: Array(9).fill(0) }] },
      { packs: [{ ...pack, offsets: { sha256: "../../x" } }] },
      { packs: [{ ...smallPack, objects: 13 }] },
      { packs: [{ ...smallPack, bytes: 2 ** 18 + 1 }] },
      { derived: { ...manifest.derived, names: [{ name: "../x", digest: HASH }] } },
      { derived: { ...manifest.derived, files: [{ digest: HASH, bytes: 1, inline: "A" }] } },
      { derived: { ...manifest.derived, files: [{ digest: HASH, bytes: 2 ** 40 }] } },
      {
        derived: {
          ...manifest.derived,
          files: Array(100_000).fill(manifest.derived.files[0]),
        },
      },
    ];
    for (const part of wrong) {
      assert.throws(
        () => manifestOf(RID).decode(encodeSealed({ ...manifest, ...part })),
        DamagedError,
        JSON.stringify(part).slice(0, 80),
      );
    }
  });
});

describe("the latest changes", () => {
  const recent: RecentChanges = { format: PUBLISHED_FORMAT, lease: 3, told: 9, changes: [[RID, 4], null] };

  it("are decoded as they were encoded, as many as there may be, and refused when damaged", () => {
    assert.deepEqual(RECENT.decode(RECENT.encode(recent)), recent);
    const change: RecentChange = [RID, Number.MAX_SAFE_INTEGER];
    const many = { ...recent, told: 10_000, changes: Array<RecentChange>(MAX_RECENT_CHANGES).fill(change) };
    assert.deepEqual(RECENT.decode(RECENT.encode(many)), many);
    assertRefusesDamage(RECENT.encode(recent), 100, (bytes) => void RECENT.decode(bytes));
  });
});

describe("the catalogue", () => {
  const listing = {
    document: "{}",
    isProject: true,
    head: OID,
    issues: { open: 1, closed: 2 },
    patches: { open: 1, draft: 0, archived: 3, merged: 4 },
    evaluation: "newest",
  };
  const deflate = (bytes: Uint8Array) => zlibSync(bytes);

  it("is decoded as it was encoded, and refused when damaged", () => {
    const page = {
      first: "",
      sha256: HASH,
      bytes: 100,
      rawBytes: 200,
      rows: 2,
      listed: 1,
      projects: 1,
      delegates: null,
    };
    const pages = [page, { ...page, first: OID, delegates: "AAE=" }];
    const catalogue = { format: PUBLISHED_FORMAT, number: 3, pages } as const;
    assert.deepEqual(CATALOGUE.decode(CATALOGUE.encode(catalogue)), catalogue);
    assertRefusesDamage(CATALOGUE.encode(catalogue), 50, (bytes) => void CATALOGUE.decode(bytes));
    const wrong = [
      { format: 1 },
      { pages: [page, page] },
      { pages: [{ ...page, first: OID }] },
      { pages: [{ ...page, delegates: "A" }] },
      { pages: [{ ...page, delegates: "AAEA".repeat(100_000) }] },
    ];
    for (const part of wrong) {
      assert.throws(() => CATALOGUE.decode(encodeSealed({ ...catalogue, ...part })), DamagedError);
    }
  });

  it("has its rows in pages, in the order of lists, and large ones are cut", () => {
    const rids = Array.from({ length: 120 }, (_, i) => formatRid(new Uint8Array(20).fill(2 * i)));
    const rows = rids.map((rid, i) => ({
      rid,
      listing: i % 4 === 3 ? null : { ...listing, document: `${i}`.padEnd(8000), isProject: i % 2 === 0 },
    })).reverse();
    const small = encodeCataloguePages({ first: "", rows: rows.slice(0, 10) }, deflate);
    assert.equal(small.length, 1);
    const encoded = encodeCataloguePages({ first: "", rows }, deflate);
    assert.ok(encoded.length > 1);
    const decoded = encoded.flatMap(({ page, content }) =>
      decodePage(CATALOGUE_ROWS, page, content, createUnpack())
    );
    assert.deepEqual(decoded.map(({ rid }) => rid), sortRids(rids));
    const pages = encoded.map(({ page }) => page);
    for (const { rid } of rows) {
      const { page, content } = encoded[pages.indexOf(pageOf(pages, ridToOid(rid))!)]!;
      assert.ok(decodePage(CATALOGUE_ROWS, page, content, createUnpack()).some((row) => row.rid === rid));
    }
    const sum = (name: "rows" | "listed" | "projects") => pages.reduce((sum, page) => sum + page[name], 0);
    assert.deepEqual([sum("rows"), sum("listed"), sum("projects")], [120, 90, 60]);
    const [{ page, content }] = small as [typeof small[0]];
    assertRefusesDamage(
      content,
      50,
      (bytes) => void decodePage(CATALOGUE_ROWS, page, bytes, createUnpack()),
    );
  });

  it("shows in which pages a node is no delegate", () => {
    const nodes = Array.from({ length: 40 }, (_, i) => formatNid(new Uint8Array(32).fill(3 * i)));
    const row = (i: number, delegates: readonly NodeId[]) => {
      const document = JSON.stringify({ delegates: delegates.map(didOfNid), payload: {}, threshold: 1 });
      return { rid: formatRid(new Uint8Array(20).fill(i)), listing: { ...listing, document } };
    };
    const rows = [row(1, nodes.slice(0, 3)), row(2, nodes.slice(2, 20)), { ...row(3, []), listing }];
    const { page } = encodeCataloguePages({ first: "", rows }, deflate)[0]!;
    for (const [i, nid] of nodes.entries()) assert.equal(mayHaveDelegate(page, didOfNid(nid)), i < 20);
    // A repository that has to be opened may be anybody's.
    const opened = encodeCataloguePages({ first: "", rows: [...rows, { rid: RID, listing: null }] }, deflate);
    assert.ok(mayHaveDelegate(opened[0]!.page, didOfNid(nodes[30]!)));
  });
});

describe("the description of the node", () => {
  it("is decoded as it was encoded, and refused when damaged", () => {
    assert.deepEqual(NODE.decode(NODE.encode(node)), node);
    assertRefusesDamage(NODE.encode(node), 50, (bytes) => void NODE.decode(bytes));
    for (
      const part of [{ format: 1 }, { config: {} }, { config: { ...node.config, cli: {} } }, {
        nodeId: "z6Mk",
      }, { state: "other" }]
    ) {
      assert.throws(() => NODE.decode(encodeSealed({ ...node, ...part })), DamagedError);
    }
  });

  it("has its tables in itself while they are small", () => {
    const { table, pages } = encodeNodeSnapshot(new Map([["b", 2], ["a", 1]]), (bytes) => zlibSync(bytes));
    assert.deepEqual(table, { rows: [["a", 1], ["b", 2]] });
    assert.equal(pages.length, 0);
  });

  it("has large tables in pages, of which one has a key", () => {
    const facts = new Map(Array.from({ length: 40_000 }, (_, i) => [`key ${(i * 7919) % 40_000}`, i]));
    const { table, pages } = encodeNodeSnapshot(facts, (bytes) => zlibSync(bytes));
    assert.ok("pages" in table && table.pages.length > 1 && pages.length === table.pages.length);
    const contents = new Map(pages.map(({ sha256, content }) => [sha256, content]));
    assert.deepEqual(NODE.decode(NODE.encode({ ...node, seedCounts: table })).seedCounts, table);
    for (const key of ["key 0", "key 1", "key 31999", "key 9999"]) {
      const page: TablePage = pageOf(table.pages, key)!;
      assert.ok(page.rawBytes < JSON.stringify([...facts]).length);
      const rows = decodePage(FACTS.seedCounts, page, contents.get(page.sha256)!, createUnpack());
      assert.equal(new Map(rows).get(key), facts.get(key));
    }
    assert.equal(pageOf(table.pages, "a"), undefined);
    const [first] = table.pages;
    assertRefusesDamage(
      contents.get(first!.sha256)!,
      2,
      (bytes) => void decodePage(FACTS.seedCounts, first!, bytes, createUnpack()),
    );
    assert.throws(
      () => decodePage(FACTS.aliases, first!, contents.get(first!.sha256)!, createUnpack()),
      DamagedError,
    );
  });
});

describe("published references", () => {
  const refs: readonly Ref[] = [
    { name: "refs/heads/main", oid: OID },
    { name: "HEAD", target: "refs/heads/main" },
    { name: `refs/namespaces/${NID}/refs/heads/ümläut`, oid: OID },
    { name: "refs/heads/main-2", oid: OID },
  ];

  it("are decoded as they were encoded, in bytewise order", () => {
    const text = encodeReferences(refs);
    assert.deepEqual(runSync(decodeReferences(text)), [refs[1], refs[0], refs[3], refs[2]]);
    assert.equal(digestOfReferences(text), digestOfReferences(encodeReferences([...refs].reverse())));
    assert.deepEqual(runSync(decodeReferences(encodeReferences([]))), []);
  });

  it("are refused when malformed", () => {
    const wrong = [
      `${OID} refs/heads/main`,
      `${OID} refs/heads/../x\n`,
      `${OID} heads/main\n`,
      `${OID.slice(1)} refs/heads/main\n`,
      `@a b HEAD\n`,
      `${OID} refs/b\n${OID} refs/a\n`,
      `${OID} refs/a\n${OID} refs/a\n`,
      "\n",
    ];
    for (const text of wrong) {
      assert.throws(() => runSync(decodeReferences(new TextEncoder().encode(text))), DamagedError, text);
    }
    assert.throws(() => runSync(decodeReferences(Uint8Array.of(0xff, 10))), DamagedError);
  });
});

describe("keys", () => {
  it("are read as they were made, and fit every bucket", () => {
    const hash = sha256Of(new Uint8Array([1]), new Uint8Array([2]));
    assert.equal(hash, sha256Of(new Uint8Array([1, 2])));
    const keys = [
      [NODE_KEY, { of: "node" }],
      [CATALOGUE_KEY, { of: "catalogue" }],
      [RECENT_KEY, { of: "recent" }],
      [nodeSnapshotKey(hash), { of: "facts", hash }],
      [manifestKey(RID), { of: "manifest", rid: RID }],
      [contentKey(RID, "tips", hash), { of: "content", rid: RID, kind: "tips", hash }],
      [packKey(RID, OID, "offsets"), { of: "pack", rid: RID, name: OID, file: "offsets" }],
      [gitFileKey(RID, "info/refs"), { of: "gitFile", rid: RID, name: "info/refs" }],
    ] as const;
    for (const [key, parsed] of keys) {
      assert.ok(isBucketKey(key), key);
      assert.deepEqual(parseKey(key), parsed);
    }
    assert.ok(manifestKey(RID).startsWith(repositoryPrefix(RID)));
  });

  it("that no published home has are none", () => {
    const id = RID.slice("rad:".length);
    const wrong = [
      "",
      "node",
      "xylem-probe",
      "node/facts-5",
      `node/facts-${HASH}/x`,
      id,
      `${RID}/manifest.json`,
      `x/manifest.json`,
      `repos/${id}/manifest.json`,
      `${id}/manifest.json/x`,
      `${id}/config`,
      `${id}/other-${HASH}`,
      `${id}/tips-${HASH.slice(1)}`,
      `${id}/objects/pack/pack-${OID}.rev`,
      `${id}/objects/pack/pack-${OID.slice(1)}.idx`,
    ];
    for (const key of wrong) assert.equal(parseKey(key), undefined, key);
  });
});
