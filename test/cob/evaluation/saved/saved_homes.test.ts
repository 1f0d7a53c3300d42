/** Saved evaluations of all objects in the stored homes are equal to fresh ones, under the rules of every generation. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileSystem } from "../../../../adapters/node/file_system.ts";
import { inflate } from "../../../../adapters/node/zlib.ts";
import { RULES } from "../../../../src/cob/rules.ts";
import { type Cobs, createCobs } from "../../../../src/cob/evaluation/store.ts";
import type { Generation } from "../../../../src/cob/rules.ts";
import { CommitGraph } from "../../../../src/git/commit_graph.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { Repository } from "../../../../src/ports/storage.ts";
import { createHomeStorage } from "../../../../src/storage/home/storage.ts";
import { createMemoryDerived, withDerived } from "../../../support/derived.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../../support/programs.ts";
import { Task } from "../../../../src/scheduling/task.ts";

const HOMES = [
  "collab.tar.gz",
  "desk.tar.gz",
  "today/edge-badsig.tar.gz",
  "today/ten-collab.tar.gz",
  "today/ten-then-today.tar.gz",
  "today/today-collab.tar.gz",
];
const GENERATIONS: readonly Generation[] = ["newest", "1.1", "0.10", "2024"];
const TYPES = ["issues", "patches"] as const;

const folder = temporaryFolder("saved-homes");
after(() => removeFolder(folder));

/** The evaluations of all objects that references lead to. */
async function evaluations(cobs: Cobs, type: typeof TYPES[number], repository: Repository) {
  const refs = await repository.refs(`refs/namespaces/*/refs/cobs/${cobs[type].type.name}/`);
  const ids = [...new Set(refs.map(({ name }) => name.slice(name.lastIndexOf("/") + 1) as Oid))].sort();
  const graph = new CommitGraph();
  return await Promise.all(
    ids.map((id) => cobs[type].get({ objects: repository, graph, task: new Task() }, id)),
  );
}

describe("saved evaluations", () => {
  for (const home of HOMES) {
    it(`of ${home} are the fresh ones`, async () => {
      const root = join(unpackHome(home, folder), "storage");
      const storage = createHomeStorage({ root, fileSystem, inflate });
      let count = 0;
      for (const rid of storage.repositoryIds()) {
        for (const generation of GENERATIONS) {
          for (const type of TYPES) count += await compare(storage.repository(rid)!, generation, type);
        }
      }
      storage.close();
      assert.ok(count > 0, `${count} objects`);
    });
  }
});

/** Saves all objects of a type, and compares them with fresh ones. Returns their number. */
async function compare(repository: Repository, generation: Generation, type: typeof TYPES[number]) {
  const fresh = createCobs(RULES[generation], () => {});
  const expected = await evaluations(fresh, type, repository);
  const list = await fresh[type].list({ objects: repository, graph: new CommitGraph(), task: new Task() });
  const derived = createMemoryDerived();
  const graph = new CommitGraph();
  derived.publish(
    (await fresh[type].save(
      { objects: repository, graph, task: new Task() },
      undefined,
      (file) => derived.write(file),
    ))!,
  );
  const reads: string[] = [];
  const replica = withDerived(repository, derived, (oid) => reads.push(oid));
  const later = createCobs(RULES[generation], () => {});
  const { summaries, states } = await later[type].listed({ objects: replica, graph, task: new Task() });
  assert.deepEqual(summaries.map(({ id }) => id), list.map(({ id }) => id));
  assert.deepEqual(await states(summaries), list);
  assert.deepEqual(await evaluations(later, type, replica), expected);
  assert.deepEqual(reads, []);
  return list.length;
}
