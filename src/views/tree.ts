/** A folder as clients see it (2.6). */
import type { HistoryStats } from "../git/branches.ts";
import { entryKind, type TreeEntry } from "../git/tree.ts";
import type { CommitView } from "./commit.ts";

/** What a name in a folder is; symbolic links are blobs. */
export type TreeEntryKind = "tree" | "blob" | "submodule";

/** Wire form of a name in a folder. */
export interface TreeEntryView {
  /** Path from the root. */
  readonly path: string;
  readonly name: string;
  readonly kind: TreeEntryKind;
}

/** Wire form of a folder. */
export interface TreeView {
  /** Folders and submodules first, then files, each in bytewise order of the names. */
  readonly entries: readonly TreeEntryView[];
  readonly lastCommit: CommitView;
  readonly name: string;
  readonly path: string;
  readonly stats: HistoryStats;
}

/** Shows a folder. `path` is as the client asked for it, empty for the root. */
export function toTreeView(
  entries: readonly TreeEntry[],
  path: string,
  lastCommit: CommitView,
  stats: HistoryStats,
): TreeView {
  const folder = path === "" || path.endsWith("/") ? path : `${path}/`;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const sorted = entries
    .map((entry) => ({ bytes: entry.name, name: decoder.decode(entry.name), kind: toKind(entry.mode) }))
    .sort((a, b) => Number(a.kind === "blob") - Number(b.kind === "blob") || compareBytes(a.bytes, b.bytes));
  return {
    entries: sorted.map(({ name, kind }) => ({ path: folder + name, name, kind })),
    lastCommit,
    name: path.slice(path.lastIndexOf("/") + 1),
    path,
    stats,
  };
}

function toKind(mode: number): TreeEntryKind {
  const kind = entryKind(mode);
  return kind === "tree" ? "tree" : kind === "commit" ? "submodule" : "blob";
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
