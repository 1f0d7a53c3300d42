/**
 * Locks in one repository by which a lock that a killed process has left is told from all others. Each is a second name of one file, the mark, and whoever
 * makes one claims the repository's mutex together with others for as long as it is there; the operating system takes the claim from a process that ends.
 * So whoever gets the mutex alone knows: what is a name of the mark then was left. Other programs' locks are other files, and never touched.
 */
import type { WritableFileSystem } from "../../ports/file_system.ts";

/** Folder of the mutex and the mark in a repository. Git and the Radicle programs pass over names that they do not know. */
const FOLDER = "xylem";

/** Permissions of a reference, of its lock, and so of the mark. */
export const REF_MODE = 0o666;

/**
 * What came of something that needs a lock: its value; or it was not done: "exists" when somebody else has the lock, "busy" while another process
 * removes locks that were left, `undefined` when there is no folder for the lock.
 */
export type Held<T> = { readonly value: T } | "exists" | "busy" | undefined;

/** Whether a file was made; `undefined` when there is no folder for it. */
type Made = "made" | "exists" | undefined;

/** The locks of one repository. */
export class OwnLocks {
  readonly #path: string;
  readonly #folder: string;
  readonly #mutex: string;
  readonly #mark: string;
  readonly #fileSystem: WritableFileSystem;
  /** Names that the mark had when the locks had been looked through: more than one if a backup made of links has some, too. */
  #knownLinks = 1;

  /** @param path Path of the repository. */
  constructor(path: string, fileSystem: WritableFileSystem) {
    this.#path = path;
    this.#folder = `${path}/${FOLDER}`;
    this.#mutex = `${this.#folder}/mutex`;
    this.#mark = `${this.#folder}/mark`;
    this.#fileSystem = fileSystem;
  }

  /**
   * Does something under a lock, after removing those that were left. Where files cannot be claimed, or have no second names, the lock is a file as of
   * git, and stays should this process be killed.
   *
   * @param lock Path of the lock: somewhere below `refs/`, ending in `.lock`.
   * @throws {WriteError}
   */
  async hold<T>(lock: string, action: () => T): Promise<Held<T>> {
    const links = this.#links();
    const isReady = links !== undefined || await this.#prepare();
    if (this.#areNew(links)) this.#removeLeft();
    const attempt = () => this.#underLock(lock, this.#link(lock), action);
    const claimed = isReady ? this.#fileSystem.claim(this.#mutex, "shared", attempt) : undefined;
    if (claimed === undefined) return this.#underLock(lock, this.#create(lock), action);
    return claimed === "busy" ? claimed : claimed.value;
  }

  /** Removes the locks that were left, as far as they can be; none while another process has one. */
  clear(): void {
    if (this.#areNew(this.#links())) this.#removeLeft();
  }

  /** Makes the mutex and the mark, which have reached the disk then. Tells whether it could: references may be all that this process may write. */
  async #prepare(): Promise<boolean> {
    try {
      this.#fileSystem.makeDirectory(this.#folder);
      this.#create(this.#mutex);
      this.#create(this.#mark);
      await this.#fileSystem.syncDirectory(this.#folder);
      await this.#fileSystem.syncDirectory(this.#path);
      return true;
    } catch {
      return false;
    }
  }

  #link(lock: string): Made {
    const made = this.#fileSystem.link(this.#mark, lock);
    if (made === "refused") return this.#create(lock);
    // Should it have been left, and not be noticed since another name of the mark has gone meanwhile, then the next look finds it.
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

  /** Number of names of the mark; `undefined` when there is none, or its folder is another user's alone. */
  #links(): number | undefined {
    try {
      return this.#fileSystem.stat(this.#mark)?.links;
    } catch {
      return undefined;
    }
  }

  /** Whether the mark has names that it had not when the locks had been looked through. */
  #areNew(links = 1): boolean {
    if (links < this.#knownLinks) this.#knownLinks = links;
    return links > this.#knownLinks;
  }

  /** Removes all names of the mark below `refs/`, unless another process has a lock. */
  #removeLeft(): void {
    this.#fileSystem.claim(this.#mutex, "exclusive", () => {
      const folders = this.#areNew(this.#links()) ? [`${this.#path}/refs`] : [];
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        try {
          folders.push(...this.#removeLeftIn(folder));
        } catch {
          // What can be neither read nor removed stays, and keeps nobody from changing other references.
        }
      }
      this.#knownLinks = this.#links() ?? 1;
    });
  }

  /** Removes the names in one folder, and returns the folders in it. */
  #removeLeftIn(folder: string): string[] {
    const entries = this.#fileSystem.list(folder) ?? [];
    for (const { name } of entries) {
      if (name.endsWith(".lock") && this.#isMarked(`${folder}/${name}`)) {
        this.#fileSystem.remove(`${folder}/${name}`);
      }
    }
    return entries.filter(({ kind }) => kind === "directory").map(({ name }) => `${folder}/${name}`);
  }

  /** Whether a file is the mark. The inode alone might not tell: large ones lose digits on the way here. */
  #isMarked(path: string): boolean {
    const [file, mark] = [path, this.#mark].map((path) => this.#fileSystem.stat(path));
    return file?.kind === "file" && file.inode === mark?.inode && file.links === mark.links &&
      file.modifiedMs === mark.modifiedMs;
  }
}
