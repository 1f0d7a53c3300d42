/** The entry at one path in many trees. */
import type { Task } from "../scheduling/task.ts";
import { smallTable } from "../cache/memory.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { entryKind, findEntry, MODE } from "./tree.ts";

/** The value of a path that does not exist. */
export const ABSENT = "absent";

/**
 * Creates a reader of the entry at a path of a tree: mode and id as one text. Folders on the path are read
 * once.
 *
 * @param spend Told of each tree that is read; what it throws ends the reading.
 */
export function pathReader(
  repository: Repository,
  names: readonly Uint8Array[],
  task: Task,
  spend: (treeBytes: number) => void = () => {},
): (tree: Oid) => Promise<string> {
  // Most commits leave most folders on the path unchanged.
  const cached = smallTable<string, string>("foldersOnPath");
  return async (tree) => {
    const passed: string[] = [];
    let entry = { mode: MODE.tree as number, oid: tree };
    let found = "";
    for (const [depth, name] of names.entries()) {
      const key = `${depth} ${entry.oid}`;
      found = cached.get(key) ?? "";
      if (found !== "") break;
      passed.push(key);
      const answer = entryKind(entry.mode) === "tree" ? repository.object(entry.oid) : undefined;
      const object = answer instanceof Promise ? await answer : answer;
      spend(object?.bytes.length ?? 0);
      const entered = object?.kind === "tree" ? findEntry(object.bytes, name, task) : undefined;
      const next = entered instanceof Promise ? await entered : entered;
      object?.release?.();
      if (next === undefined) {
        found = ABSENT;
        break;
      }
      entry = { mode: next.mode, oid: next.oid };
      const pause = task.yield();
      if (pause !== undefined) await pause;
    }
    if (found === "") found = `${entry.mode} ${entry.oid}`;
    for (const key of passed) cached.set(key, found);
    return found;
  };
}
