/** The catalogue in a bucket: a change puts the page that it concerns, whatever else is in it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { formatRid, type RepoId, sortRids } from "../../../../src/ids/rid.ts";
import type { RepositoryListing } from "../../../../src/ports/catalogued_storage.ts";
import { CATALOGUE, encodeCataloguePages } from "../../../../extensions/replicas/format/catalogue.ts";
import { CATALOGUE_KEY, CATALOGUE_PREFIX } from "../../../../extensions/replicas/format/keys.ts";
import { planCatalogue } from "../../../../extensions/replicas/publisher/catalogue_plan.ts";
import { CatalogueWriter, readRows } from "../../../../extensions/replicas/publisher/catalogue_writer.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { publisherParts } from "./test_publisher.ts";

const listing = (text: string): RepositoryListing => ({
  document: text.padEnd(4000, "."),
  isProject: true,
  head: null,
  issues: { open: 0, closed: 0 },
  patches: { open: 0, draft: 0, archived: 0, merged: 0 },
  evaluation: "newest",
});

describe("the catalogue in a bucket", () => {
  const bucket = createMemoryBucket();
  const options = publisherParts(createMemoryStorage(), bucket);
  const random = randomNumbers(1);
  const rids = Array.from(
    { length: 600 },
    () => formatRid(Uint8Array.from({ length: 20 }, () => Math.floor(random() * 256))),
  );
  const writer = new CatalogueWriter({ ...options, isPublic: () => Promise.resolve(true) });
  const update = async (
    added: Iterable<readonly [RepoId, RepositoryListing | null]>,
    ...removed: RepoId[]
  ) => {
    for (const [rid, row] of added) writer.add(rid, row);
    if (removed.length > 0) await writer.hide(removed);
    else await writer.flush();
  };
  const find = async () => {
    const object = await bucket.get(CATALOGUE_KEY);
    assert.ok(object !== undefined && object !== "unchanged");
    const { pages, number } = CATALOGUE.decode(object.bytes);
    return { pages, number, digests: new Set(pages.map(({ sha256 }) => sha256)) };
  };

  it("has all rows, and few pages change with one of them", async () => {
    await update(rids.slice(0, 590).map((rid) => [rid, listing(rid)] as const));
    const before = await find();
    assert.ok(before.pages.length > 4);
    await update([[rids[300]!, listing("changed")]]);
    await update(rids.slice(590).map((rid) => [rid, null] as const));
    await update([[rids[7]!, listing("changed, too")]]);
    const rows = await readRows(options);
    assert.deepEqual([...rows.keys()], sortRids(rids));
    assert.equal(rows.get(rids[599]!), null);
    assert.deepEqual(rows.get(rids[300]!), listing("changed"));
    const { number } = await find();
    await update([[rids[7]!, listing("changed, too")]]);
    assert.equal((await find()).number, number);
    await update([[rids[300]!, listing("again")]]);
    const after = await find();
    await update([[rids[300]!, listing("and again")]]);
    const changed = [...(await find()).digests].filter((digest) => !after.digests.has(digest));
    assert.equal(changed.length, 1);
  });

  it("reads no document of a page again whose documents have not changed", () => {
    const row = (rid: RepoId, text: string) => ({ rid, listing: listing(text) });
    const [one, two] = sortRids(rids.slice(0, 2)) as [RepoId, RepoId];
    const before = [row(one, "one"), row(two, "two")];
    const [made] = encodeCataloguePages({ first: "", rows: before }, options.deflate);
    const page = { ...made!.page, delegates: "AAAA" };
    const plan = (
      added: readonly { rid: RepoId; listing: RepositoryListing | null }[],
      removed: RepoId[] = [],
    ) =>
      planCatalogue([page], new Map([[0, before]]), {
        added: new Map(added.map(({ rid, listing }) => [rid, listing])),
        removed: new Set(removed),
      }).pages[0]!;
    const moved = { rid: one, listing: { ...listing("one"), issues: { open: 1, closed: 0 } } };
    const planned = plan([moved]);
    assert.ok(!("page" in planned) && planned.delegates === "AAAA");
    const [encoded] = encodeCataloguePages(planned, options.deflate);
    assert.equal(encoded!.page.delegates, "AAAA");
    assert.deepEqual(plan([row(one, "one")]), { page });
    for (const other of [plan([row(one, "other")]), plan([row(rids[2]!, "new")]), plan([moved], [two])]) {
      assert.ok(!("page" in other) && other.delegates === undefined);
    }
    const gone = planCatalogue([page], new Map([[0, []]]), { added: new Map(), removed: new Set([one]) });
    const [left] = gone.pages;
    assert.ok(left !== undefined && !("page" in left) && left.delegates === undefined);
  });

  it("loses the rows of a page that is gone, and gets them again", async () => {
    const { pages } = await find();
    await bucket.delete([`${CATALOGUE_PREFIX}page-${pages[1]!.sha256}`]);
    const rows = await readRows(options);
    const lost = rids.filter((rid) => !rows.has(rid));
    assert.equal(lost.length, pages[1]!.rows);
    assert.equal(writer.isDamaged, false);
    await update(lost.map((rid) => [rid, listing(rid)] as const));
    assert.equal(writer.isDamaged, true);
    assert.equal((await readRows(options)).size, rids.length);
  });

  it("is put again for a new holder of the lease, with the same rows", async () => {
    const [before, rows] = [await find(), await readRows(options)];
    await writer.renew();
    const after = await find();
    assert.equal(after.number, before.number + 1);
    assert.deepEqual(await readRows(options), rows);
  });

  it("shows no row of a repository that is not public, before or after its put", async () => {
    const own = createMemoryBucket();
    let looks = 0;
    const hiding = new CatalogueWriter({
      ...publisherParts(createMemoryStorage(), own),
      isPublic: (rid) => Promise.resolve(rid === rids[0] || rid === rids[1] && ++looks === 1),
    });
    for (const rid of rids.slice(0, 3)) hiding.add(rid, null);
    await hiding.flush();
    assert.deepEqual([...(await readRows({ ...options, bucket: own })).keys()], [rids[0]]);
    const pages: string[] = [];
    for await (const { key } of own.list(CATALOGUE_PREFIX)) pages.push(key);
    assert.equal(pages.length, 1, "a page is left that tells of it");
  });

  it("has no row of repositories that have gone", async () => {
    const [gone, left] = [sortRids(rids).slice(1), sortRids(rids)[0]!];
    await update([], ...gone);
    assert.deepEqual([...(await readRows(options)).keys()], [left]);
    assert.ok((await find()).pages.length <= 2);
    await update([], left);
    assert.equal((await readRows(options)).size, 0);
    const { pages } = await find();
    assert.deepEqual(pages.map(({ rows }) => rows), [0]);
  });
});
