import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SMALL_TABLES } from "../../src/cache/caches.ts";
import { Memory } from "../../src/cache/memory.ts";
import { CountingRepository, RecentBlobs } from "../../src/diff_service/repositories.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { blob, ELSEWHERE, emptyRepository, slowly } from "../diff/trees.ts";
import { putTree } from "../support/world.ts";

/** A repository that notes what it is asked for. */
const RECENT_BYTES = new Memory().share("recentBlobs");
const RECENT_REPOSITORIES = SMALL_TABLES.recentRepositories.entries;
function noting(
  repository: Repository,
  rid: string = repository.rid,
): { repository: Repository; asked: Oid[] } {
  const asked: Oid[] = [];
  return {
    asked,
    repository: {
      ...repository,
      rid: rid as RepoId,
      header: (oid) => (asked.push(oid), repository.header(oid)),
      objects: (oids) => (asked.push(...oids), repository.objects(oids)),
    },
  };
}

describe("recent blobs", () => {
  it("are read once", async () => {
    const behind = emptyRepository();
    const [one, two, folder] = [blob(behind, "one"), blob(behind, "two"), putTree(behind, {})];
    for (const source of [behind, slowly(behind)]) {
      const { repository, asked } = noting(source);
      const recent = new RecentBlobs();
      const wanted = await behind.objects([one, two, folder, ELSEWHERE]);
      assert.deepEqual(await recent.of(repository).objects([one]), [wanted[0]]);
      assert.deepEqual(await recent.of(repository).objects([one, two, folder, ELSEWHERE]), wanted);
      assert.deepEqual(await recent.of(repository).object(two), wanted[1]);
      assert.deepEqual(await recent.of(repository).header(two), { kind: "blob", size: 3 });
      assert.deepEqual(asked, [one, two, folder, ELSEWHERE]);
    }
  });

  it("of one repository are not shown in another", async () => {
    const one = emptyRepository();
    const oid = blob(one, "secret");
    const recent = new RecentBlobs();
    await recent.of(one).object(oid);
    const other = { ...emptyRepository(), rid: "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5" as RepoId };
    assert.equal(await recent.of(other).object(oid), undefined);
    assert.equal(await recent.of(other).header(oid), undefined);
  });

  it("are forgotten when there are too many, and large ones right away", async () => {
    const behind = emptyRepository();
    const [large, ...others] = [RECENT_BYTES / 2, ...Array<number>(12).fill(RECENT_BYTES / 10)].map((
      size,
      i,
    ) => blob(behind, String(i).padEnd(size))) as [Oid, ...Oid[]];
    const { repository, asked } = noting(behind);
    const recent = new RecentBlobs().of(repository);
    for (const oid of [large, ...others]) await recent.object(oid);
    asked.length = 0;
    for (const oid of [large, others[0]!, others.at(-1)!]) await recent.object(oid);
    assert.deepEqual(asked, [large, others[0]]);
  });

  it("are forgotten when many other repositories are read", async () => {
    const behind = emptyRepository();
    const oid = blob(behind, "text");
    const recent = new RecentBlobs();
    const repositories = Array.from(
      { length: RECENT_REPOSITORIES + 1 },
      (_, i) => noting(behind, `rad:z${i}`),
    );
    for (const { repository } of repositories) await recent.of(repository).object(oid);
    await recent.of(repositories[0]!.repository).object(oid);
    assert.equal(repositories[0]!.asked.length, 2);
  });
});

describe("a counting repository", () => {
  it("answers as the one behind it", async () => {
    const repository = emptyRepository();
    const oid = blob(repository, "text");
    repository.setRef("refs/heads/main", oid);
    for (const behind of [repository, slowly(repository)]) {
      const counting = new CountingRepository(behind);
      assert.equal(counting.rid, repository.rid);
      assert.deepEqual(await counting.ref("refs/heads/main"), { name: "refs/heads/main", oid });
      assert.deepEqual(await counting.refs("refs/heads/"), [{ name: "refs/heads/main", oid }]);
      assert.deepEqual(await counting.header(oid), { kind: "blob", size: 4 });
      assert.deepEqual(await counting.object(oid), await repository.object(oid));
    }
  });

  it("knows how much was read", async () => {
    const repository = emptyRepository();
    const counting = new CountingRepository(repository);
    await counting.header(blob(repository, "not read"));
    await counting.object(blob(repository, "read"));
    assert.equal(counting.readBytes, 4);
  });
});
