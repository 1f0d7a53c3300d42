/** Symbolic links in archives: no other entry may be written through one, on whatever file system. */
import type { Task } from "../scheduling/task.ts";
import { ApiError, DamagedError } from "../errors.ts";
import { TreeCursor } from "../git/tree.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { foldName, nameOf, showName } from "./names.ts";

/** Where trees are read from, and what is known of them. */
interface Trees {
  readonly repository: Repository;
  readonly task: Task;
  /** Whether there are links anywhere below a tree. */
  readonly hasLinks: (tree: Oid) => boolean;
}

/**
 * Opens a tree.
 *
 * @throws {DamagedError} when it is missing.
 */
export async function openTree(repository: Repository, oid: Oid): Promise<TreeCursor> {
  const object = await repository.object(oid);
  if (object?.kind !== "tree") throw new DamagedError(`Tree ${oid} is missing`);
  return new TreeCursor(object.bytes);
}

/**
 * Refuses a link beside an entry that is none, if some file system takes their names for the same
 * ({@link foldName}): the entry would be written through the link. Folders of one such name become one
 * folder, so what they have is compared together. Each set of folders is read once, and only if there are
 * links in it.
 *
 * @throws {ApiError} `notFound`
 */
export async function checkLinks({ repository, task, hasLinks }: Trees, tree: Oid): Promise<void> {
  const checked = new Set<string>();

  async function check(trees: readonly Oid[]): Promise<void> {
    const key = trees.join();
    if (checked.has(key)) return;
    checked.add(key);
    const links = new Map<string, string>();
    const folders = new Map<string, Oid[]>();
    for await (const { kind, oid, name, folded } of entriesOf(trees)) {
      if (kind === "link") links.set(folded, name);
      else if (kind === "tree" && hasLinks(oid)) folders.set(folded, []);
    }
    for await (const { kind, oid, name, folded } of entriesOf(trees)) {
      const link = kind === "link" ? undefined : links.get(folded);
      if (link !== undefined) {
        const names = `${showName(link)} beside ${showName(name)}`;
        throw new ApiError("notFound", `An archive cannot have the link ${names}: it may lead elsewhere`);
      }
      if (kind === "tree") folders.get(folded)?.push(oid);
    }
    for (const folder of folders.values()) await check([...new Set(folder)]);
  }

  async function* entriesOf(trees: readonly Oid[]) {
    for (const tree of trees) {
      for (const cursor = await openTree(repository, tree); !cursor.isDone; cursor.next()) {
        const name = nameOf(cursor);
        yield { kind: cursor.kind, oid: cursor.oid, name, folded: foldName(name) };
        await task.yield();
      }
    }
  }

  if (hasLinks(tree)) await check([tree]);
}
