/** Last commits of paths, found through lists of changed paths, are those that the plain walk finds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitIndex } from "../../src/git/commit_index.ts";
import { CommitIndexes } from "../../src/git/commit_indexes.ts";
import { findLastCommit } from "../../src/git/last_commit.ts";
import { findPath, splitPath } from "../../src/git/objects.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { randomHistory } from "./random_history.ts";

const COMMITS = 60;

/** The rule, word by word. */
async function plainLastCommit(
  repository: Repository,
  index: CommitIndex,
  tip: number,
  path: string,
): Promise<Oid | undefined> {
  const at = async (row: number) => {
    const entry = await findPath(repository, index.treeOf(row), splitPath(path));
    return entry && `${entry.mode} ${entry.oid}`;
  };
  for (const row of index.walk(tip)) {
    const parent = index.parentCount(row) === 0 ? undefined : index.parentOf(row, 0);
    if (parent !== undefined && !index.isReadable(parent)) continue;
    if (await at(row) !== (parent === undefined ? undefined : await at(parent))) return index.oidOf(row);
  }
  return undefined;
}

/** All answers on a history from some tips, by a function. */
async function answers(
  find: (tip: Oid, path: string) => Promise<Oid | undefined>,
  tips: readonly Oid[],
  paths: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const tip of tips) for (const path of paths) found.push(`${path} ${await find(tip, path)}`);
  return found;
}

/** A repository in which some objects cannot be found. */
function without(repository: Repository, hidden: (oid: Oid) => boolean): Repository {
  return {
    rid: repository.rid,
    ref: (name) => repository.ref(name),
    refs: (prefix) => repository.refs(prefix),
    header: (oid) => hidden(oid) ? undefined : repository.header(oid),
    object: (oid) => hidden(oid) ? undefined : repository.object(oid),
    objects: async (oids) =>
      (await repository.objects(oids)).map((object, i) => hidden(oids[i]!) ? undefined : object),
  };
}

function plainOf(repository: Repository) {
  const index = new CommitIndex();
  return async (tip: Oid, path: string) => {
    const row = await index.load(repository, tip);
    return row === undefined ? undefined : await plainLastCommit(repository, index, row, path);
  };
}

function listedOf(repository: Repository, indexes: CommitIndexes, isSettled: boolean) {
  return async (tip: Oid, path: string) => {
    const index = indexes.of(repository.rid);
    const row = await index.load(repository, tip);
    if (isSettled) await indexes.settle();
    return row === undefined ? undefined : await findLastCommit(repository, index, row, splitPath(path));
  };
}

const newIndexes = () => new CommitIndexes({ log: (...line) => assert.fail(line.join(" ")) });

describe("findLastCommit", () => {
  for (let seed = 1; seed <= 12; seed++) {
    const { repository, commits, paths } = randomHistory(seed, COMMITS);
    const tips = [commits.at(-1)!, commits.at(-2)!, commits[COMMITS >> 1]!];

    it(`agrees with the plain walk when all commits are listed (${seed})`, async () => {
      const expected = await answers(plainOf(repository), tips, paths);
      assert.deepEqual(await answers(listedOf(repository, newIndexes(), true), tips, paths), expected);
    });

    it(`agrees with it when only older commits are listed, and after the history grew (${seed})`, async () => {
      const indexes = newIndexes();
      await indexes.of(repository.rid).load(repository, tips[2]!);
      await indexes.settle();
      const expected = await answers(plainOf(repository), tips, paths);
      assert.deepEqual(await answers(listedOf(repository, indexes, false), tips, paths), expected);
      assert.deepEqual(await answers(listedOf(repository, indexes, true), tips, paths), expected);
    });

    it(`agrees with it when commits or folders cannot be read, and when they come later (${seed})`, async () => {
      const lost = new Set([commits[COMMITS - 7]!, commits[COMMITS - 20]!]);
      const tree = await findPath(
        repository,
        await treeOf(repository, commits[COMMITS - 4]!),
        splitPath("a"),
      );
      if (tree?.mode === 0o040000) lost.add(tree.oid);
      const partial = without(repository, (oid) => lost.has(oid));
      const indexes = newIndexes();
      const expected = await answers(plainOf(partial), tips, paths);
      assert.deepEqual(await answers(listedOf(partial, indexes, true), tips, paths), expected);
      lost.clear();
      const complete = await answers(plainOf(repository), tips, paths);
      assert.deepEqual(await answers(listedOf(partial, indexes, true), tips, paths), complete);
    });
  }

  it("takes a name with any byte literally", async () => {
    const { repository, commits } = randomHistory(1, 5);
    const find = listedOf(repository, newIndexes(), true);
    for (const path of ["*", "[a]", "a\0", "ä", " "]) assert.equal(await find(commits[4]!, path), undefined);
  });
});

async function treeOf(repository: Repository, commit: Oid): Promise<Oid> {
  const index = new CommitIndex();
  return index.treeOf((await index.load(repository, commit))!);
}
