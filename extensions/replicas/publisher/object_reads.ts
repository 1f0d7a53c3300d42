/** Reads objects of a repository to find the objects that they lead to. */
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

/** Entries of a tree that are processed between two pauses: below a millisecond. */
export const ENTRIES_AT_ONCE = 1024;

/** Reads objects, and collects the ids of unreadable ones. */
export class ObjectReads {
  /** Objects of a wrong kind or that cannot be read. */
  readonly unreadable: Set<Oid> = new Set();
  readonly #repository: Repository;
  readonly #task: Task;

  constructor(repository: Repository, task: Task) {
    this.#repository = repository;
    this.#task = task;
  }

  /**
   * Visits a tree and the trees below it, each parent before its children.
   *
   * @param enter Whether to go into a tree.
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
        // The entries before the damage count: readers of the tree get them, too.
      }
      // The first folder is visited first.
      for (const folder of folders.reverse()) stack.push(folder);
      const pause = this.#task.yield();
      if (pause !== undefined) await pause;
    }
  }

  /** An object; `undefined` when it cannot be read. */
  async object(oid: Oid): Promise<GitObject | undefined> {
    try {
      const object = await this.#repository.object(oid);
      if (object === undefined) this.unreadable.add(oid);
      return object;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      // Readers get the size of an object that is too large, and nothing below it.
      if (error instanceof DamagedError) this.unreadable.add(oid);
      return undefined;
    }
  }

  /** The kind of an object; `undefined` when it is gone or damaged. */
  async kindOf(oid: Oid): Promise<GitObject["kind"] | undefined> {
    return (await ifReadable(() => this.#repository.header(oid)))?.kind;
  }
}
