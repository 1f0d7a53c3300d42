/**
 * Lock files of one repository (`<reference>.lock`). Stale locks, which killed processes did not remove, are
 * detected and removed.
 *
 * Each lock file is a hard link to one file, the lock inode. While the link exists, the process that created
 * it holds a shared file lock on `xylem/mutex`, which the operating system releases when the process ends. A
 * process that has the exclusive file lock therefore knows that every existing link to the lock inode is
 * stale. Lock files of other programs have other inodes and are never removed.
 */
import type { WritableFileSystem } from "../../ports/file_system.ts";

/**
 * Folder in a repository that contains the file with the file lock, and the lock inode. Git and the Radicle
 * programs ignore the folder.
 */
const FOLDER = "xylem";

/** Permissions of the file of a reference, and therefore of its lock file and of the lock inode. */
export const REF_MODE = 0o666;

/**
 * Result of an action under a lock: the value that it returned, or the reason why the action did not run.
 * "exists": another process holds the lock. "busy": another process is removing stale locks. `undefined`: the
 * folder of the lock file does not exist.
 */
export type Held<T> = { readonly value: T } | "exists" | "busy" | undefined;

type Made = "made" | "exists" | undefined;

export class LockFiles {
  readonly #path: string;
  readonly #folder: string;
  readonly #fileLock: string;
  readonly #lockInode: string;
  readonly #fileSystem: WritableFileSystem;
  /**
   * Number of links to the lock inode after the last search for stale locks. The number is more than one if a
   * backup that consists of hard links contains the lock inode.
   */
  #knownLinks = 1;

  /** @param path Path of the repository. */
  constructor(path: string, fileSystem: WritableFileSystem) {
    this.#path = path;
    this.#folder = `${path}/${FOLDER}`;
    this.#fileLock = `${this.#folder}/mutex`;
    this.#lockInode = `${this.#folder}/mark`;
    this.#fileSystem = fileSystem;
  }

  /**
   * Removes stale locks, and runs an action under a lock. If the operating system has no file locks or hard
   * links, the lock is a plain file, as in git. If this process is killed, nothing removes such a file.
   *
   * @param lock Path of the lock file below `refs/`, which ends in `.lock`.
   * @throws {WriteError}
   */
  async hold<T>(lock: string, action: () => T): Promise<Held<T>> {
    const links = this.#links();
    const isReady = links !== undefined || await this.#prepare();
    if (this.#areNew(links)) this.#removeStale();
    const attempt = () => this.#underLock(lock, this.#link(lock), action);
    const locked = isReady ? this.#fileSystem.withFileLock(this.#fileLock, "shared", attempt) : undefined;
    if (locked === undefined) return this.#underLock(lock, this.#create(lock), action);
    return locked === "busy" ? locked : locked.value;
  }

  /** Removes stale locks, as far as possible. If another process holds a lock, nothing is removed. */
  clear(): void {
    if (this.#areNew(this.#links())) this.#removeStale();
  }

  /**
   * Creates the file of the file lock and the lock inode, and syncs them to the disk. Returns `false` if that
   * fails, because the process may have permission to write only references.
   */
  async #prepare(): Promise<boolean> {
    try {
      this.#fileSystem.makeDirectory(this.#folder);
      this.#create(this.#fileLock);
      this.#create(this.#lockInode);
      await this.#fileSystem.syncDirectory(this.#folder);
      await this.#fileSystem.syncDirectory(this.#path);
      return true;
    } catch {
      return false;
    }
  }

  #link(lock: string): Made {
    const made = this.#fileSystem.link(this.#lockInode, lock);
    if (made === "refused") return this.#create(lock);
    // The existing lock may be stale, even if the number of links has not grown because another link was
    // removed. This line ensures that the next call searches for stale locks.
    if (made === "exists") this.#knownLinks = 1;
    return made;
  }

  #create(path: string): Made {
    const file = this.#fileSystem.create(path, REF_MODE);
    if (typeof file !== "object") return file;
    file.close();
    return "made";
  }

  #underLock<T>(lock: string, made: Made, action: () => T): Held<T> {
    if (made !== "made") return made;
    try {
      return { value: action() };
    } finally {
      this.#fileSystem.remove(lock);
    }
  }

  /**
   * Returns the number of links to the lock inode; `undefined` when the lock inode does not exist, or its
   * folder belongs to another user.
   */
  #links(): number | undefined {
    try {
      return this.#fileSystem.stat(this.#lockInode)?.links;
    } catch {
      return undefined;
    }
  }

  #areNew(links = 1): boolean {
    if (links < this.#knownLinks) this.#knownLinks = links;
    return links > this.#knownLinks;
  }

  /** Removes all links to the lock inode below `refs/`, unless another process holds a lock. */
  #removeStale(): void {
    this.#fileSystem.withFileLock(this.#fileLock, "exclusive", () => {
      const folders = this.#areNew(this.#links()) ? [`${this.#path}/refs`] : [];
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        try {
          folders.push(...this.#removeStaleIn(folder));
        } catch {
          // A lock file that cannot be read or removed stays. Other references can still be locked.
        }
      }
      this.#knownLinks = this.#links() ?? 1;
    });
  }

  /** Removes the stale lock files in one folder, and returns the paths of its subfolders. */
  #removeStaleIn(folder: string): string[] {
    const entries = this.#fileSystem.list(folder) ?? [];
    for (const { name } of entries) {
      if (name.endsWith(".lock") && this.#isOwnLink(`${folder}/${name}`)) {
        this.#fileSystem.remove(`${folder}/${name}`);
      }
    }
    return entries.filter(({ kind }) => kind === "directory").map(({ name }) => `${folder}/${name}`);
  }

  /**
   * Checks whether a file is a link to the lock inode. Comparing the inode numbers does not suffice, because
   * a double cannot represent large inode numbers exactly.
   */
  #isOwnLink(path: string): boolean {
    const file = this.#fileSystem.stat(path);
    const own = this.#fileSystem.stat(this.#lockInode);
    return file?.kind === "file" && file.inode === own?.inode && file.links === own.links &&
      file.modifiedMs === own.modifiedMs;
  }
}
