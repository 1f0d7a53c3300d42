/** Evaluations that were saved and read again, as by a replica: they are the fresh ones, whatever the objects are. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fileSystem } from "../../../adapters/node/file_system.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { createCobs } from "../../../src/cob/evaluation/store.ts";
import { CommitGraph } from "../../../src/git/commit_graph.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { createMemoryDerived, withDerived } from "../../support/derived.ts";
import type { Generation } from "../../support/programs.ts";
import type { BuiltObject } from "./build.ts";
import { Task } from "../../../src/scheduling/task.ts";

/**
 * Most objects of a repository that are saved: every one is evaluated once more. A batch of random objects is smaller,
 * all oddities alone are more.
 */
const MOST_SAVED = 1_000;

/** Objects whose saved evaluations differ from the fresh ones, each with both as text; none of too many objects. */
export async function savedDifferences(
  generation: Generation,
  home: string,
  rid: RepoId,
  objects: readonly BuiltObject[],
): Promise<ReadonlyMap<Oid, string>> {
  if (objects.length > MOST_SAVED) return new Map();
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  const differences = new Map<Oid, string>();
  try {
    const repository = storage.repository(rid)!;
    for (const [type, kind] of [["issues", "issue"], ["patches", "patch"]] as const) {
      const chosen = objects.filter(({ plan }) => plan.kind === kind);
      if (chosen.length === 0) continue;
      const [fresh, later] = [
        createCobs(RULES[generation], () => {}),
        createCobs(RULES[generation], () => {}),
      ];
      const derived = createMemoryDerived();
      const graph = new CommitGraph();
      const root = await fresh[type].save(
        { objects: repository, graph, task: new Task() },
        undefined,
        (file) => derived.write(file),
      );
      if (root === undefined) throw new Error("The evaluations were not saved");
      derived.publish(root);
      const replica = withDerived(repository, derived);
      for (const { id } of chosen) {
        const expected = await fresh[type].get({ objects: repository, graph, task: new Task() }, id);
        const again = await later[type].get({ objects: replica, graph, task: new Task() }, id);
        if (isDeepStrictEqual(again, expected)) continue;
        differences.set(id, `saved ${JSON.stringify(again)}, fresh ${JSON.stringify(expected)}`);
      }
      if (derived.reads.length === 0) throw new Error("The saved evaluations were not used");
    }
  } finally {
    storage.close();
  }
  return differences;
}
