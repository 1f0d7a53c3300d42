/** The entries of objects as the newest `rad cob log` lists them, and how many there are for us. */
import { join } from "node:path";
import { fileSystem } from "../../../adapters/node/file_system.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { createCobs } from "../../../src/cob/evaluation/store.ts";
import { CommitGraph } from "../../../src/git/commit_graph.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import type { CachedType } from "../../../src/ports/cob_cache.ts";
import { entriesInRad } from "../written_project.ts";
import { type Desk, fillHome } from "./desk.ts";
import { ALL_FEATURES, type Features } from "./features.ts";
import type { ObjectPlan } from "./plans.ts";
import { Task } from "../../../src/scheduling/task.ts";

/** Features of objects whose log can be read: it ends at the first entry that cannot, and does not tell others from those that are no entries. */
export const LOG_FEATURES: Features = {
  oddities: ["signature.wrong", "committer.zone.real", "trailer.joined", "manifest.array"],
  json: ["blanks", "type last", "array"],
  documents: ALL_FEATURES.documents,
  hasTypos: false,
  hasStrangeCommits: false,
  hasMissingRoots: false,
};

/** Compares the logs of objects; the outcome is a line for each that differs, and how many there were. */
export async function compareLogs(
  desk: Desk,
  plans: readonly ObjectPlan[],
): Promise<{ lines: string[]; compared: number }> {
  const { rad, git, objects } = fillHome(desk, plans.filter(isWhole));
  const storage = createHomeStorage({ root: join(rad.home, "storage"), fileSystem });
  const { issues, patches } = createCobs(RULES.newest, () => {});
  const graph = new CommitGraph();
  const lines: string[] = [];
  let compared = 0;
  try {
    const repository = storage.repository(desk.rid)!;
    for (const { plan: { kind, nonce }, id } of objects) {
      const type = `xyz.radicle.${kind}` as CachedType;
      const evaluation = await (kind === "issue" ? issues : patches).get({
        objects: repository,
        graph,
        task: new Task(),
      }, id);
      if (evaluation === undefined) continue;
      const project = { rad, rid: desk.rid, git, seed: desk.seed, commits: desk.commits };
      const logged = attempt(() => entriesInRad(project, id, type));
      if (logged === undefined) continue;
      compared++;
      const missing = evaluation.tips.filter((tip) => !logged.has(tip));
      if (missing.length > 0 || logged.size !== evaluation.size) {
        lines.push(
          `${kind} ${nonce}: ${logged.size} entries, ours ${evaluation.size}, without ${missing.join(" ")}`,
        );
      }
    }
    return { lines, compared };
  } finally {
    storage.close();
  }
}

/** Whether entries stand on entries alone; there is no log otherwise. */
function isWhole({ entries }: ObjectPlan): boolean {
  return entries.every(({ parents }) => parents.every((parent) => typeof parent === "number"));
}

/** The log, unless it ends at an action that `rad` does not know. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && error.message.includes("failed to decode Op")) return undefined;
    throw error;
  }
}
