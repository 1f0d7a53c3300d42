/** The lists of a diff object, filled file by file. */
import type {
  AddedFile,
  CopiedFile,
  DeletedFile,
  Diff,
  FileContent,
  ModifiedFile,
  MovedFile,
} from "./diff_object.ts";
import { NO_CONTENT } from "./hunks.ts";
import type { Change } from "./tree_comparison.ts";

// Paths need not be UTF-8 either.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The diff that names the changes and looks into no file: nothing is moved or copied, and there are no hunks. */
export function diffWithoutContent(changes: readonly Change[]): Diff {
  const files = new FileLists();
  for (const change of changes) files.addChange(change, NO_CONTENT);
  return files.toDiff();
}

/** Files of a diff, sorted by what happened to them. */
export class FileLists {
  readonly #added: AddedFile[] = [];
  readonly #deleted: DeletedFile[] = [];
  readonly #moved: MovedFile[] = [];
  readonly #copied: CopiedFile[] = [];
  readonly #modified: ModifiedFile[] = [];

  /** A file that kept its path. */
  addChange(change: Change, diff: FileContent): void {
    const path = decoder.decode(change.path);
    if (change.old === undefined) {
      if (change.new !== undefined) this.#added.push({ path, diff, new: change.new });
    } else if (change.new === undefined) {
      this.#deleted.push({ path, diff, old: change.old });
    } else {
      this.#modified.push({ path, diff, old: change.old, new: change.new });
    }
  }

  /** A file that was made from one with another path. */
  addPair(from: Change, to: Change, isRename: boolean, diff: FileContent): void {
    if (from.old === undefined || to.new === undefined) throw new TypeError("Not a pair of files");
    const [oldPath, newPath] = [decoder.decode(from.path), decoder.decode(to.path)];
    if (!isRename) {
      this.#copied.push({ oldPath, newPath, old: from.old, new: to.new, diff });
    } else if (from.old.oid === to.new.oid && from.old.mode === to.new.mode) {
      this.#moved.push({ oldPath, newPath, current: to.new });
    } else {
      this.#moved.push({ oldPath, newPath, old: from.old, new: to.new, diff });
    }
  }

  toDiff(): Diff {
    const [added, deleted, moved, copied, modified] = [
      this.#added,
      this.#deleted,
      this.#moved,
      this.#copied,
      this.#modified,
    ];
    let [insertions, deletions] = [0, 0];
    for (const { diff } of [...added, ...deleted, ...modified]) {
      for (const hunk of diff.hunks) {
        for (const { type } of hunk.lines) {
          if (type === "addition") insertions++;
          else if (type === "deletion") deletions++;
        }
      }
    }
    const filesChanged = added.length + deleted.length + moved.length + copied.length + modified.length;
    return { added, deleted, moved, copied, modified, stats: { filesChanged, insertions, deletions } };
  }
}
