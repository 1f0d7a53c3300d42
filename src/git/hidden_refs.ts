/** References that no client gets over HTTP: drafts of reviews and objects, and temporary ones. */
import type { NodeId } from "../ids/nid.ts";

/** Folders of hidden references, in a namespace or at the top of a repository. */
const HIDDEN_FOLDERS = ["refs/drafts", "refs/tmp"] as const;

const HIDDEN = /^((?:refs\/namespaces\/[^/]+\/)?refs\/(?:drafts|tmp))(?:\/|$)/;

/**
 * Patterns of hidden references for `git rev-list --exclude`, in which `*` matches slashes, too. They match a
 * little more: branches whose names contain such a folder, to which other references usually lead.
 */
export const HIDDEN_PATTERNS: readonly string[] = HIDDEN_FOLDERS.flatMap((folder) => [
  `${folder}/*`,
  `refs/namespaces/*/${folder}/*`,
]);

/** Whether a reference is hidden from all clients, by its full name. */
export function isHiddenRef(name: string): boolean {
  return HIDDEN.test(name);
}

/** The folder of a hidden reference; `undefined` for a shown one. */
export function hiddenFolderOf(name: string): string | undefined {
  return HIDDEN.exec(name)?.[1];
}

/**
 * Folders in which programs on this machine may create hidden references at any time: at the top, and in
 * the namespace of the local node. Other nodes' drafts are not fetched.
 */
export function ownHiddenFolders(nodeId: NodeId): readonly string[] {
  return HIDDEN_FOLDERS.flatMap((folder) => [folder, `refs/namespaces/${nodeId}/${folder}`]);
}
