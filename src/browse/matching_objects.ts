/** Filters the issues and patches of a list (specification, 4.3.1, 4.4.1). */
import type { Task } from "../scheduling/task.ts";
import { type Did, didOfNid, type NodeId } from "../ids/nid.ts";

/** Properties that the requested objects must have. A missing property matches every object. */
export interface ObjectFilter {
  /** A part of the title, compared without regard to case. */
  readonly q?: string | undefined;
  /** A label of the object. The whole label must be equal. */
  readonly label?: string | undefined;
  readonly assignee?: NodeId | undefined;
  /** Id of the node that opened the object. */
  readonly author?: NodeId | undefined;
}

export interface Filtered {
  readonly title: string;
  readonly labels: readonly string[];
  readonly assignees: readonly (NodeId | Did)[];
  readonly author: NodeId;
}

/**
 * Number of objects that are filtered before a pause. Filtering these objects takes less than a millisecond.
 */
const OBJECTS_AT_ONCE = 128;

/**
 * Returns the objects that match a filter, in the order of the list. An empty filter returns the list itself.
 */
export async function matchingObjects<T extends Filtered>(
  list: readonly T[],
  { q = "", label, assignee, author }: ObjectFilter,
  task: Task,
): Promise<readonly T[]> {
  if (q === "" && label === undefined && assignee === undefined && author === undefined) return list;
  const part = q.toLowerCase();
  const did = assignee && didOfNid(assignee);
  const found: T[] = [];
  for (const [at, object] of list.entries()) {
    if (at % OBJECTS_AT_ONCE === 0) await task.yield();
    if (author !== undefined && object.author !== author) continue;
    if (label !== undefined && !object.labels.includes(label)) continue;
    if (assignee !== undefined && !object.assignees.some((one) => one === assignee || one === did)) continue;
    if (part === "" || object.title.toLowerCase().includes(part)) found.push(object);
  }
  return found;
}
