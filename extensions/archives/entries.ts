/**
 * Reads the files of a tree as entries of an archive, in the order of `git archive`. The number and sizes of
 * the entries are known before the first file is read.
 */
import {
  DamagedError,
  type EntryKind,
  joinBytes,
  MAX_BLOB_BYTES,
  NotFoundError,
  type Oid,
  type Repository,
  type Task,
  TooLargeError,
  TreeCursor,
} from "../../src/mod.ts";
import { bytesOfName, checkName, foldName, nameOf, showName } from "./names.ts";

/** Maximum number of entries in an archive, including folders. */
export const MAX_ARCHIVE_ENTRIES = 1_000_000;
/** Maximum length of a path in an archive, in bytes. */
export const MAX_ARCHIVE_PATH_BYTES = 4096;
/** Maximum length of the target of a symbolic link, in bytes. Linux has the same maximum length of a path. */
export const MAX_ARCHIVE_LINK_BYTES = 4096;
/** Maximum depth of nested folders. */
const MAX_DEPTH = MAX_ARCHIVE_PATH_BYTES / 2;

export interface ArchiveEntry {
  /** Path as bytes, with slashes. The path of a folder ends with a slash. */
  readonly path: Uint8Array;
  readonly oid: Oid;
  /** A `commit` is a submodule, which becomes an empty folder. */
  readonly kind: EntryKind;
  /** Content of a file, or target of a symbolic link. Empty for a folder. */
  readonly bytes: Uint8Array;
}

/** Sizes of an archive, for the limits of archives. */
export interface ArchiveSize {
  readonly entries: number;
  /** Total size of all files, in bytes. */
  readonly bytes: number;
  /** Size of the largest file, in bytes. */
  readonly largest: number;
  /** Upper bound for the total length of all paths, in bytes, with a slash at the end of each path. */
  readonly pathBytes: number;
  /** Length of the longest path, in bytes. */
  readonly longestPath: number;
  readonly links: number;
}

const EMPTY = new Uint8Array(0);
const SLASH = Uint8Array.of(0x2f);
/** Decodes each byte to one character, so that different names become different texts. */
const latin1 = new TextDecoder("latin1");
const NOTHING: ArchiveSize = { entries: 0, bytes: 0, largest: 0, pathBytes: 0, longestPath: 0, links: 0 };

/**
 * Counts the entries below a tree, and checks their names. A tree that occurs several times is read only
 * once.
 *
 * @throws {TooLargeError} when {@link MAX_ARCHIVE_ENTRIES}, {@link MAX_ARCHIVE_PATH_BYTES},
 * {@link MAX_ARCHIVE_LINK_BYTES} or `MAX_BLOB_BYTES` is exceeded.
 * @throws {DamagedError} when an object is missing, or a name occurs twice in a tree.
 * @throws {NotFoundError} when a name would lead out of the archive, or {@link checkLinks} refuses a link.
 */
export async function measureArchive(
  repository: Repository,
  tree: Oid,
  task: Task,
): Promise<ArchiveSize> {
  const measured = new Map<Oid, ArchiveSize>();
  let visited = 0;

  async function checkNames(cursor: TreeCursor): Promise<void> {
    const names = new Set<string>();
    for (; !cursor.isDone; cursor.next()) {
      if (++visited > MAX_ARCHIVE_ENTRIES) throw tooManyEntries();
      if (cursor.nameEnd - cursor.nameStart > MAX_ARCHIVE_PATH_BYTES) throw tooLongPath();
      const name = nameOf(cursor);
      checkName(name);
      // Names are compared as bytes, because different names that are not UTF-8 may decode to the same text.
      const key = latin1.decode(bytesOfName(cursor));
      if (names.has(key)) throw new DamagedError(`A tree has the name ${showName(name)} twice`);
      names.add(key);
      await task.yield();
    }
  }

  async function measure(oid: Oid, depth: number): Promise<ArchiveSize> {
    const known = measured.get(oid);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new TooLargeError("The archive has too many nested folders");
    let { entries, bytes, largest, pathBytes, longestPath, links } = NOTHING;
    const cursor = await openTree(repository, oid);
    await checkNames(cursor);
    for (cursor.moveTo(0); !cursor.isDone; cursor.next()) {
      const size = cursor.kind === "tree"
        ? await measure(cursor.oid, depth + 1)
        : await measureFile(repository, cursor);
      entries += 1 + size.entries;
      bytes += size.bytes;
      largest = Math.max(largest, size.largest);
      const nameBytes = cursor.nameEnd - cursor.nameStart + 1;
      pathBytes += nameBytes * (1 + size.entries) + size.pathBytes;
      longestPath = Math.max(longestPath, nameBytes + size.longestPath);
      links += size.links;
      if (entries > MAX_ARCHIVE_ENTRIES) throw tooManyEntries();
      if (longestPath > MAX_ARCHIVE_PATH_BYTES) throw tooLongPath();
      await task.yield();
    }
    const size = { entries, bytes, largest, pathBytes, longestPath, links };
    measured.set(oid, size);
    return size;
  }

  const size = await measure(tree, 0);
  const hasLinks = (oid: Oid) => measured.get(oid)!.links > 0;
  await checkLinks({ repository, task, hasLinks }, tree);
  return size;
}

/**
 * Yields the entries below a tree. Each folder comes before its content. A file is read when the caller
 * requests its entry. Folders without files and submodules are left out, as in `git archive`.
 */
export async function* archiveEntries(
  repository: Repository,
  tree: Oid,
  prefix: string,
  task: Task,
): AsyncGenerator<ArchiveEntry, void> {
  const path: Uint8Array = new TextEncoder().encode(prefix);
  if (prefix !== "") yield { path, oid: tree, kind: "tree", bytes: EMPTY };
  const folders = [{ cursor: await openTree(repository, tree), path, oid: tree }];
  /** Number of folders on the current path that have been yielded. */
  let shown = 1;
  for (let folder = folders.at(-1); folder !== undefined; folder = folders.at(-1)) {
    await task.yield();
    const { cursor } = folder;
    if (cursor.isDone) {
      folders.pop();
      shown = Math.min(shown, folders.length);
      continue;
    }
    const { kind, oid } = cursor;
    const isFolder = kind === "tree" || kind === "commit";
    const path = joinBytes([folder.path, bytesOfName(cursor), isFolder ? SLASH : EMPTY]);
    cursor.next();
    if (kind === "tree") {
      folders.push({ cursor: await openTree(repository, oid), path, oid });
      continue;
    }
    for (; shown < folders.length; shown++) {
      const { path, oid } = folders[shown]!;
      yield { path, oid, kind: "tree", bytes: EMPTY };
    }
    if (kind === "commit") {
      yield { path, oid, kind, bytes: EMPTY };
      continue;
    }
    const blob = await repository.object(oid);
    if (blob?.kind !== "blob") throw new DamagedError(`File ${oid} is missing`);
    yield { path, oid, kind, bytes: blob.bytes };
  }
}

async function measureFile(repository: Repository, { kind, oid }: TreeCursor): Promise<ArchiveSize> {
  if (kind === "commit") return NOTHING;
  const header = await repository.header(oid);
  if (header?.kind !== "blob") throw new DamagedError(`File ${oid} is missing`);
  const { size } = header;
  const isLink = kind === "link";
  const limit = isLink ? MAX_ARCHIVE_LINK_BYTES : MAX_BLOB_BYTES;
  if (size > limit) {
    throw new TooLargeError(
      `The archive has a ${isLink ? "symbolic link" : "file"} larger than ${limit} bytes`,
    );
  }
  return { ...NOTHING, bytes: size, largest: size, links: isLink ? 1 : 0 };
}

function tooManyEntries(): TooLargeError {
  return new TooLargeError(`The archive has more than ${MAX_ARCHIVE_ENTRIES} entries`);
}

function tooLongPath(): TooLargeError {
  return new TooLargeError(`The archive has a path longer than ${MAX_ARCHIVE_PATH_BYTES} bytes`);
}

interface Trees {
  readonly repository: Repository;
  readonly task: Task;
  /** Checks whether a tree contains a symbolic link at any depth. */
  readonly hasLinks: (tree: Oid) => boolean;
}

export async function openTree(repository: Repository, oid: Oid): Promise<TreeCursor> {
  const object = await repository.object(oid);
  if (object?.kind !== "tree") throw new DamagedError(`Tree ${oid} is missing`);
  return new TreeCursor(object.bytes);
}

/**
 * Refuses a symbolic link if a file system may treat its name as equal to the name of another entry in the
 * same folder ({@link foldName}), because the other entry would be written through the link. Folders with
 * equal names become one folder, so their contents are compared together.
 *
 * @throws {NotFoundError} when a link is refused.
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
        throw new NotFoundError(`An archive cannot have the link ${names}: it may lead elsewhere`);
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
