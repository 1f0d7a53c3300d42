/** Reads objects of a repository, to find the objects to which they lead. */
import {
  DamagedError,
  type GitObject,
  ifReadable,
  isUnreadable,
  type Oid,
  type Repository,
  type Task,
  TreeCursor,
} from "../../../src/mod.ts";

/** Number of entries of a tree that are processed between two pauses. This takes less than a millisecond. */
export const ENTRIES_AT_ONCE = 1024;

/** Reads objects, and collects the ids of unreadable objects. */
export class ObjectReads {
  /** Objects that are missing or damaged. Callers may add further objects. */
  readonly unreadable: Set<Oid> = new Set();
  readonly #repository: Repository;
  readonly #task: Task;

  constructor(repository: Repository, task: Task) {
    this.#repository = repository;
    this.#task = task;
  }

  /**
   * Visits the entries of a tree and of all trees below it, parents before children.
   *
   * @param enter Returns whether to visit the entries of a tree.
   */
  async visitTrees(
    root: Oid,
    enter: (oid: Oid) => boolean,
    visit: (blob: Oid, at: TreeCursor) => void,
  ): Promise<void> {
    const stack = [root];
    while (stack.length > 0) {
      const oid = stack.pop()!;
      if (!enter(oid)) continue;
      const object = await this.object(oid);
      if (object?.kind !== "tree") continue;
      const folders: Oid[] = [];
      try {
        let count = 0;
        for (const cursor = new TreeCursor(object.bytes); !cursor.isDone; cursor.next()) {
          const { kind } = cursor;
          if (kind === "tree") folders.push(cursor.oid);
          else if (kind !== "commit") visit(cursor.oid, cursor);
          if (++count % ENTRIES_AT_ONCE === 0) await this.#task.yield();
        }
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        // The entries before the damage are visited, because readers of the tree also get these entries.
      }
      // The folders are pushed in reverse order, so that the first folder is visited first.
      for (const folder of folders.reverse()) stack.push(folder);
      const pause = this.#task.yield();
      if (pause !== undefined) await pause;
    }
  }

  /** Returns an object, or `undefined` when it cannot be read. */
  async object(oid: Oid): Promise<GitObject | undefined> {
    try {
      const object = await this.#repository.object(oid);
      if (object === undefined) this.unreadable.add(oid);
      return object;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      // For an object that is too large, readers get only its size, and nothing below it.
      if (error instanceof DamagedError) this.unreadable.add(oid);
      return undefined;
    }
  }

  /** Returns the kind of an object, or `undefined` when it is missing or damaged. */
  async kindOf(oid: Oid): Promise<GitObject["kind"] | undefined> {
    return (await ifReadable(() => this.#repository.header(oid)))?.kind;
  }
}
