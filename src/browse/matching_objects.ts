/** Filters the issues and patches of a list (4.3.1, 4.4.1). */
import type { Task } from "../scheduling/task.ts";
import { type Did, didOfNid, type NodeId } from "../ids/nid.ts";

/** Properties of the requested objects. An absent member matches everything. */
export interface ObjectFilter {
  /** Part of the title. Upper and lower case are equal. */
  readonly q?: string | undefined;
  /** One of the labels, exactly. */
  readonly label?: string | undefined;
  readonly assignee?: NodeId | undefined;
  /** The node that opened the object. */
  readonly author?: NodeId | undefined;
}

export interface Filtered {
  readonly title: string;
  readonly labels: readonly string[];
  readonly assignees: readonly (NodeId | Did)[];
  readonly author: NodeId;
}

/** Objects between two pauses: below a millisecond. */
const OBJECTS_AT_ONCE = 128;

/** The matching objects of a list, in its order. An empty filter returns the list itself. */
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
