/**
 * Makes bare repositories in a home, laid out as the Radicle programs do: without the sample files, hooks and
 * logs of `git init`.
 */
import { isRefname } from "../../../src/ids/refname.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import type { WritableFileSystem } from "../../../src/ports/file_system.ts";
import type { Committer } from "../../../src/ports/storage.ts";
import { WriteError } from "../../../src/ports/write_error.ts";
import { DraftFile } from "../../../src/storage/home/draft_file.ts";

/** An empty repository. */
export interface NewRepository {
  readonly rid: RepoId;
  /**
   * References that stand for others, by name: `HEAD`, which git demands, and those below `refs/`. Their
   * targets need not be there yet.
   */
  readonly symbolicRefs: Readonly<Record<string, string>>;
  /** In whose name commits will be made; `rad` refuses to make any without. */
  readonly committer?: Committer;
}

const FILE_MODE = 0o666;
const FOLDERS = ["objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags"];

/**
 * Makes a repository without objects, under a name that nobody takes for a repository, and moves it to its
 * place when it has reached the disk.
 *
 * @param root Absolute path of the `storage` folder, which is there.
 * @returns Whether it did: false when a repository of that id is there already.
 * @throws {TypeError} when a reference cannot have the name or the target that was given.
 * @throws {WriteError}
 */
export async function createHomeRepository(
  fileSystem: WritableFileSystem,
  root: string,
  { rid, symbolicRefs, committer }: NewRepository,
): Promise<boolean> {
  for (const name of Object.entries(symbolicRefs).flat()) {
    if (!isRefname(name)) throw new TypeError(`"${name}" cannot be the name of a reference`);
  }
  const name = rid.slice("rad:".length);
  const folder = `${root}/${name}.${crypto.randomUUID()}.lock`;
  try {
    const folders = [folder, ...FOLDERS.map((name) => `${folder}/${name}`)];
    for (const path of folders) makeFolder(fileSystem, path);
    for (const [name, target] of Object.entries(symbolicRefs)) {
      const parts = name.split("/");
      for (let length = 1; length < parts.length; length++) {
        const path = `${folder}/${parts.slice(0, length).join("/")}`;
        if (makeFolder(fileSystem, path)) folders.push(path);
      }
      await writeFile(fileSystem, folder, name, `ref: ${target}\n`);
    }
    await writeHomeRepositoryConfig(fileSystem, folder, committer);
    for (const path of folders) await fileSystem.syncDirectory(path);
    if (!fileSystem.rename(folder, `${root}/${name}`)) return false;
    await fileSystem.syncDirectory(root);
    return true;
  } finally {
    removeTree(fileSystem, folder);
  }
}

/**
 * Writes the configuration of a repository anew.
 *
 * @param path Path of the repository.
 * @throws {WriteError}
 */
export async function writeHomeRepositoryConfig(
  fileSystem: WritableFileSystem,
  path: string,
  committer: Committer | undefined,
): Promise<void> {
  const lines = ["[core]", "\tbare = true", "\trepositoryformatversion = 0", "\tfilemode = true"];
  if (committer !== undefined) {
    lines.push("[user]", `\tname = ${toValue(committer.name)}`, `\temail = ${toValue(committer.email)}`);
  }
  await writeFile(fileSystem, path, "config", `${lines.join("\n")}\n`);
  await fileSystem.syncDirectory(path);
}

/** A value as git reads it back: in quotes where it could be mistaken for something else. */
function toValue(text: string): string {
  const escaped = text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return escaped === text && !/[#;]|^\s|\s$/.test(text) ? text : `"${escaped}"`;
}

/** Puts a file in its place, below `folder`, when it has reached the disk. */
async function writeFile(
  fileSystem: WritableFileSystem,
  folder: string,
  name: string,
  text: string,
): Promise<void> {
  const draft = DraftFile.create(fileSystem, folder, FILE_MODE, new TextEncoder().encode(text));
  if (draft === undefined) throw new WriteError("conflict", `There is no folder ${folder}`);
  try {
    await draft.sync();
    if (!fileSystem.rename(draft.path, `${folder}/${name}`)) {
      throw new WriteError("conflict", `${folder}/${name} cannot become a file`);
    }
  } finally {
    draft.discard();
  }
}

/** Whether a folder had to be made. */
function makeFolder(fileSystem: WritableFileSystem, path: string): boolean {
  const made = fileSystem.makeDirectory(path);
  if (made === undefined) throw new WriteError("conflict", `There is no folder to make ${path} in`);
  return made === "made";
}

/** Removes a folder and what is in it; does nothing when there is none. */
function removeTree(fileSystem: WritableFileSystem, path: string): void {
  for (const { name, kind } of fileSystem.list(path) ?? []) {
    if (kind === "directory") removeTree(fileSystem, `${path}/${name}`);
    else fileSystem.remove(`${path}/${name}`);
  }
  fileSystem.remove(path);
}
